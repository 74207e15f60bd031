import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { NewAuditEntry } from '../domain/audit.ts';
import { AccountRights, changedRights, noRights, type RightsChange } from '../domain/rights.ts';
import type { AccountRef, WorkspaceId } from '../domain/terms.ts';
import { rightsEntryOf } from './audit/rights-entry.ts';
import { type AuditWriter, createAuditWriter } from './audit/writer.ts';
import { createCodec } from './codec.ts';
import { workspaceKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

export const accountRightsCodec = createCodec('account-rights', AccountRights);

export type Grants = ReturnType<typeof createGrants>;

/** Creates the store of account owners' decisions about who may do what. */
export function createGrants(redis: Redis, logger?: ErrorLogger, audit: AuditWriter = createAuditWriter()) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'rights');
  const stored = createStoredHash(redis, { codec: accountRightsCodec, field: z.string() }, logger);

  return {
    async of({ workspace, account }: AccountRef): Promise<AccountRights> {
      return (await stored.get(key(workspace), account)) ?? noRights;
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
        key(workspace),
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
