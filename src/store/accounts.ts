import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { AccountId, type AccountRef, type MemberId, type WorkspaceId } from '../domain/terms.ts';
import { NotConnected } from '../errors.ts';
import { createCodec } from './codec.ts';
import type { Vault } from './encryption.ts';
import { workspaceKey } from './keys.ts';
import type { ErrorLogger } from './unreadable.ts';

/** Holder of the key that the configuration gives the whole workspace (MARKETPLACE_API_KEY). */
export const sharedHolder = 'shared';
type Holder = MemberId | typeof sharedHolder;

const Holding = z.object({ account: AccountId, sealed: z.string() }).readonly();
type Holding = z.infer<typeof Holding>;

/** A holding that cannot be read stays in its place: no copy of a key, sealed as it is, may outlive a disconnect. */
export const holdingCodec = createCodec('holding', Holding);

export type Accounts = ReturnType<typeof createAccounts>;

/**
 * Which member holds which marketplace key, and so which account they act for. Keys are kept encrypted.
 * @param logger told once of an account whose keys are all unreadable
 */
export function createAccounts(redis: Redis, vault: Vault, logger?: ErrorLogger) {
  /** Accounts with keys of which none opens: said once, until one does. */
  const unreadable = new Set<AccountId>();
  /** Damaged entries that were logged. */
  const damaged = new Set<string>();
  const holdingsKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'holdings');
  const purpose = (workspace: WorkspaceId, holder: string) => `api-key ${workspace} ${holder}`;

  async function holding(workspace: WorkspaceId, holder: Holder): Promise<Holding | undefined> {
    const [found] = await holdings(workspace, [holder]);
    return found;
  }

  /** Returns the entries of several holders, in the order asked for: undefined where there is none, or a damaged one. */
  async function holdings(
    workspace: WorkspaceId,
    holders: readonly string[],
  ): Promise<(Holding | undefined)[]> {
    const texts = await redis.hmget(holdingsKey(workspace), ...holders);
    return texts.map((text, index) => {
      const entry = text == null ? undefined : parsed(text);
      if (text != null && entry === undefined) reportDamaged(workspace, holders[index] ?? '');
      return entry;
    });
  }

  /** An entry, or undefined when it is damaged. */
  function parsed(text: string): Holding | undefined {
    const decoded = holdingCodec.decode(text);
    return decoded.ok ? decoded.value : undefined;
  }

  function reportDamaged(workspace: WorkspaceId, holder: string): void {
    if (damaged.has(`${workspace} ${holder}`)) return;
    damaged.add(`${workspace} ${holder}`);
    logger?.error(
      { event: 'stored-value-unreadable', kind: holdingCodec.name, workspace, holder },
      'a stored API key is unreadable: its holder has to connect again',
    );
  }

  /** The key in an entry, or undefined when it cannot be opened. */
  function opened(workspace: WorkspaceId, holder: string, entry: Holding | undefined): string | undefined {
    try {
      return entry && vault.open(entry.sealed, purpose(workspace, holder));
    } catch {
      return undefined;
    }
  }

  return {
    /** Keeps a key that the marketplace has accepted, in place of the one this holder had. */
    async connect(workspace: WorkspaceId, holder: Holder, key: string): Promise<AccountRef> {
      const account = accountIdOf(workspace, key);
      const entry: Holding = { account, sealed: vault.seal(key, purpose(workspace, holder)) };
      await redis.hset(holdingsKey(workspace), holder, holdingCodec.encode(entry));
      damaged.delete(`${workspace} ${holder}`);
      return { workspace, account };
    },

    /** Forgets a holder's key. Gives the account it was for, or undefined when there was none. */
    async disconnect(workspace: WorkspaceId, holder: Holder): Promise<AccountRef | undefined> {
      const had = await holding(workspace, holder);
      await redis.hdel(holdingsKey(workspace), holder);
      return had && { workspace, account: had.account };
    },

    /** The account a member acts for: by their own key, else the workspace's shared one; undefined without either. */
    async of(workspace: WorkspaceId, member: MemberId): Promise<AccountRef | undefined> {
      const [own, shared] = await holdings(workspace, [member, sharedHolder]);
      const found = own ?? shared;
      return found && { workspace, account: found.account };
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
      const entries = await holdings(ref.workspace, [member, sharedHolder]);
      return entries.some((entry) => entry?.account === ref.account);
    },

    /** How many keys of a workspace the encryption keys do not open. */
    async unreadable(workspace: WorkspaceId): Promise<number> {
      const entries = await redis.hgetall(holdingsKey(workspace));
      return Object.entries(entries).filter(
        ([holder, text]) => opened(workspace, holder, parsed(text)) === undefined,
      ).length;
    },

    /**
     * A key of the account, whoever holds it. Undefined when nobody does any more, or when none of theirs can be opened
     * (the encryption key is gone, the entry damaged): connecting again helps against both.
     */
    async keyOf(ref: AccountRef): Promise<string | undefined> {
      const entries = await redis.hgetall(holdingsKey(ref.workspace));
      let kept = 0;
      for (const [holder, text] of Object.entries(entries)) {
        const entry = parsed(text);
        if (entry?.account !== ref.account) continue;
        kept += 1;
        const key = opened(ref.workspace, holder, entry);
        if (key === undefined) continue;
        unreadable.delete(ref.account);
        return key;
      }
      if (kept > 0 && !unreadable.has(ref.account)) {
        unreadable.add(ref.account);
        logger?.error(
          { ...ref, kept },
          'no API key of this account can be opened: put the encryption key that it was kept with back, or connect again',
        );
      }
      return undefined;
    },
  };
}

/** The same key in the same workspace is the same account; the id tells nothing about the key. */
export function accountIdOf(workspace: WorkspaceId, key: string): AccountId {
  return AccountId.parse(
    createHash('sha256').update(`proofdesk account\0${workspace}\0${key}`).digest('hex').slice(0, 16),
  );
}
