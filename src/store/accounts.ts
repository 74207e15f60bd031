import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { AccountId, AccountRef, MemberId, WorkspaceId } from '../domain/terms.ts';
import { NotConnected } from '../errors.ts';
import type { Vault } from './encryption.ts';
import { workspaceKey } from './keys.ts';

/** Holder of the key that the configuration gives the whole workspace (MARKETPLACE_API_KEY). */
export const sharedHolder = 'shared';

interface Holding {
  readonly account: AccountId;
  readonly sealed: string;
}

export type Accounts = ReturnType<typeof createAccounts>;

/** Which member holds which marketplace key, and so which account they act for. Keys are kept encrypted. */
export function createAccounts(redis: Redis, vault: Vault) {
  const holdingsKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'holdings');
  const purpose = (workspace: WorkspaceId, holder: string) => `api-key ${workspace} ${holder}`;

  async function holding(workspace: WorkspaceId, holder: string): Promise<Holding | undefined> {
    const text = await redis.hget(holdingsKey(workspace), holder);
    return text === null ? undefined : (JSON.parse(text) as Holding);
  }

  return {
    /** Keeps a key that the marketplace has accepted, in place of the one this holder had. */
    async connect(workspace: WorkspaceId, holder: MemberId, key: string): Promise<AccountRef> {
      const account = accountIdOf(workspace, key);
      const entry: Holding = { account, sealed: vault.seal(key, purpose(workspace, holder)) };
      await redis.hset(holdingsKey(workspace), holder, JSON.stringify(entry));
      return { workspace, account };
    },

    /** Forgets a holder's key. Gives the account it was for, or undefined when there was none. */
    async disconnect(workspace: WorkspaceId, holder: string): Promise<AccountRef | undefined> {
      const had = await holding(workspace, holder);
      await redis.hdel(holdingsKey(workspace), holder);
      return had && { workspace, account: had.account };
    },

    /** The account a member acts for: by their own key, else the workspace's shared one; undefined without either. */
    async of(workspace: WorkspaceId, member: MemberId): Promise<AccountRef | undefined> {
      const [own, shared] = await redis.hmget(holdingsKey(workspace), member, sharedHolder);
      const found = own ?? shared;
      return found == null ? undefined : { workspace, account: (JSON.parse(found) as Holding).account };
    },

    /** Like `of`, but throws NotConnected when there is none. */
    async require(workspace: WorkspaceId, member: MemberId): Promise<AccountRef> {
      const account = await this.of(workspace, member);
      if (account === undefined) throw new NotConnected();
      return account;
    },

    /** Whether a member holds a key of their own. */
    async holdsKey(workspace: WorkspaceId, member: MemberId): Promise<boolean> {
      return (await holding(workspace, member)) !== undefined;
    },

    /** Whether a member may act for an account: they hold its key, or it is the workspace's shared account. */
    async mayUse(ref: AccountRef, member: MemberId): Promise<boolean> {
      const entries = await redis.hmget(holdingsKey(ref.workspace), member, sharedHolder);
      return entries.some((entry) => entry != null && (JSON.parse(entry) as Holding).account === ref.account);
    },

    /** How many keys of a workspace the encryption keys do not open. */
    async unreadable(workspace: WorkspaceId): Promise<number> {
      const holdings = await redis.hgetall(holdingsKey(workspace));
      return Object.entries(holdings).filter(([holder, text]) => {
        try {
          vault.open((JSON.parse(text) as Holding).sealed, purpose(workspace, holder));
          return false;
        } catch {
          return true;
        }
      }).length;
    },

    /** A key of the account, whoever holds it; undefined when nobody does any more. */
    async keyOf(ref: AccountRef): Promise<string | undefined> {
      const holdings = await redis.hgetall(holdingsKey(ref.workspace));
      for (const [holder, text] of Object.entries(holdings)) {
        const { account, sealed } = JSON.parse(text) as Holding;
        if (account === ref.account) return vault.open(sealed, purpose(ref.workspace, holder));
      }
      return undefined;
    },
  };
}

/** The same key in the same workspace is the same account; the id tells nothing about the key. */
export function accountIdOf(workspace: WorkspaceId, key: string): AccountId {
  return createHash('sha256').update(`proofdesk account\0${workspace}\0${key}`).digest('hex').slice(0, 16);
}
