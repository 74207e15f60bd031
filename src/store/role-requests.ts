import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type Capability, capabilities } from '../domain/permissions.ts';
import { AccountId, ChannelId, MemberId, type WorkspaceId } from '../domain/terms.ts';
import { type AuditStep, appendEntry } from './audit/writer.ts';
import { createCodec } from './codec.ts';
import { workspaceKey } from './keys.ts';

/** How long owners may think about a request (s). */
const answerSeconds = 7 * 86_400;

/** Somebody's request to the owners of an account for the role that an action needs. */
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

/** KEYS: request, an audit trail. ARGV: request, its time to live (s), entry. */
const putScript = `
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
${appendEntry('KEYS[2]', 'ARGV[3]')}`;

/** KEYS: request, an audit trail if an entry is added to it. ARGV: entry. Returns the request, if there was one. */
const takeScript = `
local taken = redis.call('GETDEL', KEYS[1])
if taken and KEYS[2] then ${appendEntry('KEYS[2]', 'ARGV[1]')} end
return taken`;

export type RoleRequests = ReturnType<typeof createRoleRequests>;

/** Creates the store of unanswered requests for roles. A damaged one counts as gone. */
export function createRoleRequests(redis: Redis) {
  const key = (workspace: WorkspaceId, id: string) => workspaceKey(workspace, 'role-request', id);

  function decoded(text: string | null): RoleRequest | undefined {
    const result = roleRequestCodec.decode(text ?? '');
    return result.ok ? result.value : undefined;
  }

  return {
    /** Adds a request. @param step its audit entry */
    async put(workspace: WorkspaceId, id: string, request: RoleRequest, step: AuditStep): Promise<void> {
      const text = roleRequestCodec.encode(request);
      await redis.eval(putScript, 2, key(workspace, id), step.key, text, answerSeconds, step.text);
      step.stored();
    },

    /** Replaces a request that nobody has answered yet. */
    async replace(workspace: WorkspaceId, id: string, request: RoleRequest): Promise<void> {
      await redis.set(key(workspace, id), roleRequestCodec.encode(request), 'EX', answerSeconds, 'XX');
    },

    async get(workspace: WorkspaceId, id: string): Promise<RoleRequest | undefined> {
      return decoded(await redis.get(key(workspace, id)));
    },

    /**
     * Removes and returns a request: the caller that takes it answers it. Undefined when somebody else has taken it.
     * @param step the audit entry of the answer, unless it is added elsewhere
     */
    async take(workspace: WorkspaceId, id: string, step?: AuditStep): Promise<RoleRequest | undefined> {
      const keys = step === undefined ? [key(workspace, id)] : [key(workspace, id), step.key];
      const taken = (await redis.eval(takeScript, keys.length, ...keys, step?.text ?? '')) as string | null;
      if (taken !== null) step?.stored();
      return decoded(taken);
    },
  };
}
