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
export const sharedKeyOwner = 'shared';
type KeyOwner = MemberId | typeof sharedKeyOwner;

const StoredKey = z.object({ account: AccountId, sealed: z.string() }).readonly();
type StoredKey = z.infer<typeof StoredKey>;

/** A holding that cannot be read stays in its place: no copy of a key, sealed as it is, may outlive a disconnect. */
export const storedKeyCodec = createCodec('holding', StoredKey);

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
  const storedKeysKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'holdings');
  const purpose = (workspace: WorkspaceId, holder: string) => `api-key ${workspace} ${holder}`;

  async function loadKey(workspace: WorkspaceId, holder: KeyOwner): Promise<StoredKey | undefined> {
    const [found] = await loadKeys(workspace, [holder]);
    return found;
  }

  /** Returns the entries of several holders, in the order asked for: undefined where there is none, or a damaged one. */
  async function loadKeys(
    workspace: WorkspaceId,
    holders: readonly string[],
  ): Promise<(StoredKey | undefined)[]> {
    const texts = await redis.hmget(storedKeysKey(workspace), ...holders);
    return texts.map((text, index) => {
      const entry = text == null ? undefined : parsed(text);
      if (text != null && entry === undefined) reportDamaged(workspace, holders[index] ?? '');
      return entry;
    });
  }

  /** An entry, or undefined when it is damaged. */
  function parsed(text: string): StoredKey | undefined {
    const decoded = storedKeyCodec.decode(text);
    return decoded.ok ? decoded.value : undefined;
  }

  function reportDamaged(workspace: WorkspaceId, holder: string): void {
    if (damaged.has(`${workspace} ${holder}`)) return;
    damaged.add(`${workspace} ${holder}`);
    logger?.error(
      { event: 'stored-value-unreadable', kind: storedKeyCodec.name, workspace, holder },
      'a stored API key is unreadable: its holder has to connect again',
    );
  }

  /** The key in an entry, or undefined when it cannot be opened. */
  function decrypted(
    workspace: WorkspaceId,
    holder: string,
    entry: StoredKey | undefined,
  ): string | undefined {
    try {
      return entry && vault.open(entry.sealed, purpose(workspace, holder));
    } catch {
      return undefined;
    }
  }

  return {
    /** Keeps a key that the marketplace has accepted, in place of the one this holder had. */
    async connect(workspace: WorkspaceId, holder: KeyOwner, key: string): Promise<AccountRef> {
      const account = accountIdOf(workspace, key);
      const entry: StoredKey = { account, sealed: vault.seal(key, purpose(workspace, holder)) };
      await redis.hset(storedKeysKey(workspace), holder, storedKeyCodec.encode(entry));
      damaged.delete(`${workspace} ${holder}`);
      return { workspace, account };
    },

    /** Forgets a holder's key. Gives the account it was for, or undefined when there was none. */
    async disconnect(workspace: WorkspaceId, holder: KeyOwner): Promise<AccountRef | undefined> {
      const previous = await loadKey(workspace, holder);
      await redis.hdel(storedKeysKey(workspace), holder);
      return previous && { workspace, account: previous.account };
    },

    /** The account a member acts for: by their own key, else the workspace's shared one; undefined without either. */
    async of(workspace: WorkspaceId, member: MemberId): Promise<AccountRef | undefined> {
      const [own, shared] = await loadKeys(workspace, [member, sharedKeyOwner]);
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
    async hasOwnKey(workspace: WorkspaceId, member: MemberId): Promise<boolean> {
      return (await loadKey(workspace, member)) !== undefined;
    },

    /** Whether a member may act for an account: they hold its key, or it is the workspace's shared account. */
    async mayUse(ref: AccountRef, member: MemberId): Promise<boolean> {
      const entries = await loadKeys(ref.workspace, [member, sharedKeyOwner]);
      return entries.some((entry) => entry?.account === ref.account);
    },

    /** How many keys of a workspace the encryption keys do not open. */
    async unreadable(workspace: WorkspaceId): Promise<number> {
      const entries = await redis.hgetall(storedKeysKey(workspace));
      return Object.entries(entries).filter(
        ([holder, text]) => decrypted(workspace, holder, parsed(text)) === undefined,
      ).length;
    },

    /**
     * A key of the account, whoever holds it. Undefined when nobody does any more, or when none of theirs can be opened
     * (the encryption key is gone, the entry damaged): connecting again helps against both.
     */
    async keyOf(ref: AccountRef): Promise<string | undefined> {
      const entries = await redis.hgetall(storedKeysKey(ref.workspace));
      let keyCount = 0;
      for (const [holder, text] of Object.entries(entries)) {
        const entry = parsed(text);
        if (entry?.account !== ref.account) continue;
        keyCount += 1;
        const key = decrypted(ref.workspace, holder, entry);
        if (key === undefined) continue;
        unreadable.delete(ref.account);
        return key;
      }
      if (keyCount > 0 && !unreadable.has(ref.account)) {
        unreadable.add(ref.account);
        logger?.error(
          { ...ref, keys: keyCount },
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
