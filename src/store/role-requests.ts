import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type Capability, capabilities } from '../domain/permissions.ts';
import { AccountId, ChannelId, MemberId, type WorkspaceId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { workspaceKey } from './keys.ts';

/** How long owners may think about a request (s). */
const answerSeconds = 7 * 86_400;

/** Somebody asks the owners of an account for the role that something takes. */
const RoleRequest = z
  .object({
    account: AccountId,
    member: MemberId,
    isGuest: z.boolean(),
    capability: z.enum(Object.keys(capabilities) as [Capability, ...Capability[]]),
    at: z.number(),
    /** The messages in which owners were asked. */
    messages: z.array(z.object({ channel: ChannelId, ts: z.string() })).readonly(),
  })
  .readonly();
export type RoleRequest = z.infer<typeof RoleRequest>;

export const roleRequestCodec = createCodec('role-request', RoleRequest);

export type RoleRequests = ReturnType<typeof createRoleRequests>;

/** Creates the store of requests for roles that nobody has answered yet. A damaged one counts as gone. */
export function createRoleRequests(redis: Redis) {
  const key = (workspace: WorkspaceId, id: string) => workspaceKey(workspace, 'role-request', id);

  function decoded(text: string | null): RoleRequest | undefined {
    const result = roleRequestCodec.decode(text ?? '');
    return result.ok ? result.value : undefined;
  }

  return {
    async put(workspace: WorkspaceId, id: string, request: RoleRequest): Promise<void> {
      await redis.set(key(workspace, id), roleRequestCodec.encode(request), 'EX', answerSeconds);
    },

    /** Puts a request in the place of one that nobody has answered yet. */
    async replace(workspace: WorkspaceId, id: string, request: RoleRequest): Promise<void> {
      await redis.set(key(workspace, id), roleRequestCodec.encode(request), 'EX', answerSeconds, 'XX');
    },

    async get(workspace: WorkspaceId, id: string): Promise<RoleRequest | undefined> {
      return decoded(await redis.get(key(workspace, id)));
    },

    /** Returns a request and removes it: whoever takes it answers it. Undefined when somebody else has. */
    async take(workspace: WorkspaceId, id: string): Promise<RoleRequest | undefined> {
      return decoded(await redis.getdel(key(workspace, id)));
    },
  };
}
