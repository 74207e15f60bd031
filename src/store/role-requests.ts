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
    /** The first owner's answer. It may not be carried out yet. */
    answer: z.object({ by: MemberId, isGranted: z.boolean() }).readonly().exactOptional(),
    /** Whether the answer was carried out and the requester is told. */
    isDone: z.boolean().exactOptional(),
  })
  .readonly();
export type RoleRequest = z.infer<typeof RoleRequest>;

export const roleRequestCodec = createCodec('role-request', RoleRequest);

/** KEYS: request, an audit trail. ARGV: request, its time to live (s), entry. */
const putScript = `
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
${appendEntry('KEYS[2]', 'ARGV[3]')}`;

/**
 * KEYS: request, an audit trail if an entry is added to it. ARGV: its current text, its new text, entry. Returns 1, or 0 when
 * it has changed.
 */
const swapScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
if KEYS[2] then ${appendEntry('KEYS[2]', 'ARGV[3]')} end
return 1`;

export type RoleRequests = ReturnType<typeof createRoleRequests>;

/** Creates the store of requests for roles. A damaged one counts as gone. */
export function createRoleRequests(redis: Redis) {
  const key = (workspace: WorkspaceId, id: string) => workspaceKey(workspace, 'role-request', id);

  function decoded(text: string | null): RoleRequest | undefined {
    const result = roleRequestCodec.decode(text ?? '');
    return result.ok ? result.value : undefined;
  }

  /**
   * Changes a request; concurrent changes are made one after the other. `change` returns undefined to leave it unchanged.
   * Resolves to the request as it then is, and whether this call changed it.
   * @param step an audit entry that is added with the change
   */
  async function update(
    workspace: WorkspaceId,
    id: string,
    change: (before: RoleRequest) => RoleRequest | undefined,
    step?: AuditStep,
  ): Promise<{ readonly request: RoleRequest | undefined; readonly isChanged: boolean }> {
    const keys = [key(workspace, id), ...(step === undefined ? [] : [step.key])];
    for (;;) {
      const text = await redis.get(key(workspace, id));
      const before = decoded(text);
      const after = before && change(before);
      if (text === null || after === undefined) return { request: before, isChanged: false };
      const rest = [text, roleRequestCodec.encode(after), step?.text ?? ''];
      if ((await redis.eval(swapScript, keys.length, ...keys, ...rest)) !== 1) continue;
      step?.stored();
      return { request: after, isChanged: true };
    }
  }

  return {
    /** Adds a request. @param step its audit entry */
    async put(workspace: WorkspaceId, id: string, request: RoleRequest, step: AuditStep): Promise<void> {
      const text = roleRequestCodec.encode(request);
      await redis.eval(putScript, 2, key(workspace, id), step.key, text, answerSeconds, step.text);
      step.stored();
    },

    async get(workspace: WorkspaceId, id: string): Promise<RoleRequest | undefined> {
      return decoded(await redis.get(key(workspace, id)));
    },

    /** Stores in which messages owners were asked. Resolves to the request, which may have an answer by then. */
    async asked(
      workspace: WorkspaceId,
      id: string,
      messages: RoleRequest['messages'],
    ): Promise<RoleRequest | undefined> {
      return (await update(workspace, id, (before) => ({ ...before, messages }))).request;
    },

    /**
     * Stores an answer unless there is one: only the first one counts. Resolves to the request with the answer that counts.
     * @param step the audit entry of the answer, unless it is added elsewhere
     */
    async answer(
      workspace: WorkspaceId,
      id: string,
      answer: NonNullable<RoleRequest['answer']>,
      step?: AuditStep,
    ): Promise<RoleRequest | undefined> {
      const change = (before: RoleRequest) =>
        before.answer === undefined ? { ...before, answer } : undefined;
      return (await update(workspace, id, change, step)).request;
    },

    /** Marks the answer as carried out. Resolves to whether this call did: its caller tells the requester. */
    async done(workspace: WorkspaceId, id: string): Promise<boolean> {
      const change = (before: RoleRequest) =>
        before.isDone === true ? undefined : { ...before, isDone: true };
      return (await update(workspace, id, change)).isChanged;
    },
  };
}
