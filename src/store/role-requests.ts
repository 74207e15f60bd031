import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type Capability, capabilities } from '../domain/permissions.ts';
import { AccountId, ChannelId, MemberId, type WorkspaceId } from '../domain/terms.ts';
import { type AuditStep, appendEntry } from './audit/writer.ts';
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

/** KEYS: request, a trail of the audit. ARGV: request, how long it stands (s), entry. */
const putScript = `
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
${appendEntry('KEYS[2]', 'ARGV[3]')}`;

/** KEYS: request, a trail of the audit if an entry is added to it. ARGV: entry. Returns the request that was there, if any. */
const takeScript = `
local taken = redis.call('GETDEL', KEYS[1])
if taken and KEYS[2] then ${appendEntry('KEYS[2]', 'ARGV[1]')} end
return taken`;

export type RoleRequests = ReturnType<typeof createRoleRequests>;

/** Creates the store of requests for roles that nobody has answered yet. A damaged one counts as gone. */
export function createRoleRequests(redis: Redis) {
  const key = (workspace: WorkspaceId, id: string) => workspaceKey(workspace, 'role-request', id);

  function decoded(text: string | null): RoleRequest | undefined {
    const result = roleRequestCodec.decode(text ?? '');
    return result.ok ? result.value : undefined;
  }

  return {
    /** Adds a request. @param step what the audit says of it */
    async put(workspace: WorkspaceId, id: string, request: RoleRequest, step: AuditStep): Promise<void> {
      const text = roleRequestCodec.encode(request);
      await redis.eval(putScript, 2, key(workspace, id), step.key, text, answerSeconds, step.text);
      step.stored();
    },

    /** Puts a request in the place of one that nobody has answered yet. */
    async replace(workspace: WorkspaceId, id: string, request: RoleRequest): Promise<void> {
      await redis.set(key(workspace, id), roleRequestCodec.encode(request), 'EX', answerSeconds, 'XX');
    },

    async get(workspace: WorkspaceId, id: string): Promise<RoleRequest | undefined> {
      return decoded(await redis.get(key(workspace, id)));
    },

    /**
     * Returns a request and removes it: whoever takes it answers it. Undefined when somebody else has.
     * @param step what the audit says of the answer, unless it is said elsewhere
     */
    async take(workspace: WorkspaceId, id: string, step?: AuditStep): Promise<RoleRequest | undefined> {
      const keys = step === undefined ? [key(workspace, id)] : [key(workspace, id), step.key];
      const taken = (await redis.eval(takeScript, keys.length, ...keys, step?.text ?? '')) as string | null;
      if (taken !== null) step?.stored();
      return decoded(taken);
    },
  };
}
