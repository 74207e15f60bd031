import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { NewAuditEntry } from '../domain/audit.ts';
import { AccountRights, changedRights, noRights, type RightsChange, RoleRequest } from '../domain/rights.ts';
import type { AccountRef, MemberId, WorkspaceId } from '../domain/terms.ts';
import { type AuditStep, type AuditWriter, createAuditWriter, rightsEntryOf } from './audit.ts';
import { createCodec } from './codec.ts';
import { workspaceKey } from './keys.ts';
import { createStoredHash, createStoredValues, type ErrorLogger } from './stored-hash.ts';

export const accountRightsCodec = createCodec('account-rights', AccountRights);

export type Grants = ReturnType<typeof createGrants>;

/** Creates the store of account owners' decisions about who may do what. */
export function createGrants(redis: Redis, logger?: ErrorLogger, audit: AuditWriter = createAuditWriter()) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'rights');
  const stored = createStoredHash(redis, { codec: accountRightsCodec, field: z.string(), key }, logger);

  return {
    async of({ workspace, account }: AccountRef): Promise<AccountRights> {
      return (await stored.get(workspace, account)) ?? noRights;
    },

    /**
     * Changes the rights in an account: the only place that does. Resolves to the previous and the new rights.
     * @param actor who changes them and how, for the audit
     */
    async change(
      { workspace, account }: AccountRef,
      change: RightsChange,
      actor: Pick<NewAuditEntry, 'by' | 'how'>,
      isAllowed: (after: AccountRights) => boolean = () => true,
    ): Promise<{ readonly changed: boolean; readonly before: AccountRights; readonly after: AccountRights }> {
      let after = noRights;
      let changed = false;
      const before = await stored.update(
        workspace,
        account,
        (stands) => {
          const current = stands ?? noRights;
          const next = changedRights(current, change);
          changed = next !== current && isAllowed(next);
          after = changed ? next : current;
          return changed ? next : stands;
        },
        (stands) => {
          const entry = rightsEntryOf(stands ?? noRights, change);
          return entry && audit({ workspace }, { ...entry, ...actor, account });
        },
      );
      return { changed, before: before ?? noRights, after };
    },
  };
}

/** How long owners may think about a request (s). */
const answerSeconds = 7 * 86_400;

export const roleRequestCodec = createCodec('role-request', RoleRequest);

/** Creates the store of requests for roles. A damaged one counts as gone. */
export function createRoleRequests(redis: Redis) {
  const key = (workspace: WorkspaceId, id: string) => workspaceKey(workspace, 'role-request', id);
  const stored = createStoredValues(redis, roleRequestCodec, key, answerSeconds);

  return {
    put: stored.set,
    get: stored.get,

    /** Stores which owners are asked. Resolves to the request. */
    async asked(
      workspace: WorkspaceId,
      id: string,
      asked: readonly MemberId[],
    ): Promise<RoleRequest | undefined> {
      return (await stored.update(workspace, id, (before) => ({ ...before, asked }))).value;
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
      const answered = (before: RoleRequest) =>
        before.answer === undefined ? { ...before, answer } : undefined;
      return (await stored.update(workspace, id, answered, step)).value;
    },

    /** Marks the answer as carried out. */
    async done(workspace: WorkspaceId, id: string): Promise<void> {
      await stored.update(workspace, id, (before) =>
        before.isDone ? undefined : { ...before, isDone: true },
      );
    },
  };
}
