import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { AccountId, type AccountRef, type MemberId, type WorkspaceId } from '../domain/terms.ts';
import { NotConnected } from '../errors.ts';
import { createCodec } from './codec.ts';
import type { Vault } from './encryption.ts';
import { workspaceKey } from './keys.ts';
import type { ErrorLogger } from './unreadable.ts';

/** Owner of the key that the whole workspace shares (MARKETPLACE_API_KEY). */
export const sharedKeyOwner = 'shared';
type KeyOwner = MemberId | typeof sharedKeyOwner;

const StoredKey = z.object({ account: AccountId, sealed: z.string() }).readonly();
type StoredKey = z.infer<typeof StoredKey>;

/** An unreadable key is not set aside like other values: no copy of a key, even encrypted, may outlive a disconnect. */
export const storedKeyCodec = createCodec('holding', StoredKey);

export type Accounts = ReturnType<typeof createAccounts>;

/**
 * Creates the store of marketplace keys: which member has which key, and so which account they act for. Keys are stored
 * encrypted.
 * @param logger logs once that all keys of an account are unreadable
 */
export function createAccounts(redis: Redis, vault: Vault, logger?: ErrorLogger) {
  /** Accounts none of whose keys can be decrypted: logged once, until one can. */
  const unreadable = new Set<AccountId>();
  /** Damaged entries that were logged already. */
  const damaged = new Set<string>();
  const storedKeysKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'holdings');
  const purpose = (workspace: WorkspaceId, owner: string) => `api-key ${workspace} ${owner}`;

  async function loadKey(workspace: WorkspaceId, owner: KeyOwner): Promise<StoredKey | undefined> {
    const [found] = await loadKeys(workspace, [owner]);
    return found;
  }

  /** Returns the entries of several owners, in the order asked for: undefined where there is none, or a damaged one. */
  async function loadKeys(
    workspace: WorkspaceId,
    owners: readonly string[],
  ): Promise<(StoredKey | undefined)[]> {
    const texts = await redis.hmget(storedKeysKey(workspace), ...owners);
    return texts.map((text, index) => {
      const entry = text == null ? undefined : parsed(text);
      if (text != null && entry === undefined) reportDamaged(workspace, owners[index] ?? '');
      return entry;
    });
  }

  /** Parses an entry; undefined when it is damaged. */
  function parsed(text: string): StoredKey | undefined {
    const decoded = storedKeyCodec.decode(text);
    return decoded.ok ? decoded.value : undefined;
  }

  function reportDamaged(workspace: WorkspaceId, owner: string): void {
    if (damaged.has(`${workspace} ${owner}`)) return;
    damaged.add(`${workspace} ${owner}`);
    logger?.error(
      { event: 'stored-value-unreadable', kind: storedKeyCodec.name, workspace, owner },
      'stored API key unreadable, its owner must connect again',
    );
  }

  /** Returns the key in an entry, or undefined when it cannot be decrypted. */
  function decrypted(
    workspace: WorkspaceId,
    owner: string,
    entry: StoredKey | undefined,
  ): string | undefined {
    try {
      return entry && vault.open(entry.sealed, purpose(workspace, owner));
    } catch {
      return undefined;
    }
  }

  return {
    /** Stores a key that the marketplace has accepted, in place of the owner's earlier one. */
    async connect(workspace: WorkspaceId, owner: KeyOwner, key: string): Promise<AccountRef> {
      const account = accountIdOf(workspace, key);
      const entry: StoredKey = { account, sealed: vault.seal(key, purpose(workspace, owner)) };
      await redis.hset(storedKeysKey(workspace), owner, storedKeyCodec.encode(entry));
      damaged.delete(`${workspace} ${owner}`);
      return { workspace, account };
    },

    /** Deletes an owner's key. Returns the account it was for, or undefined when there was none. */
    async disconnect(workspace: WorkspaceId, owner: KeyOwner): Promise<AccountRef | undefined> {
      const previous = await loadKey(workspace, owner);
      await redis.hdel(storedKeysKey(workspace), owner);
      return previous && { workspace, account: previous.account };
    },

    /** Returns the account a member acts for: that of their own key, else of the shared one; undefined without either. */
    async of(workspace: WorkspaceId, member: MemberId): Promise<AccountRef | undefined> {
      const [own, shared] = await loadKeys(workspace, [member, sharedKeyOwner]);
      const found = own ?? shared;
      return found && { workspace, account: found.account };
    },

    /** Returns the account a member acts for. Throws NotConnected when there is none. */
    async require(workspace: WorkspaceId, member: MemberId): Promise<AccountRef> {
      const account = await this.of(workspace, member);
      if (account === undefined) throw new NotConnected();
      return account;
    },

    /** Returns whether a member has a key of their own. */
    async hasOwnKey(workspace: WorkspaceId, member: MemberId): Promise<boolean> {
      return (await loadKey(workspace, member)) !== undefined;
    },

    /** Returns whether a member may act for an account: they have its key, or it is the workspace's shared account. */
    async mayUse(ref: AccountRef, member: MemberId): Promise<boolean> {
      const entries = await loadKeys(ref.workspace, [member, sharedKeyOwner]);
      return entries.some((entry) => entry?.account === ref.account);
    },

    /** Counts the keys of a workspace that cannot be decrypted. */
    async unreadable(workspace: WorkspaceId): Promise<number> {
      const entries = await redis.hgetall(storedKeysKey(workspace));
      return Object.entries(entries).filter(
        ([owner, text]) => decrypted(workspace, owner, parsed(text)) === undefined,
      ).length;
    },

    /**
     * Returns a key of the account, whoever owns it. Undefined when nobody has one any more, or when none can be decrypted
     * (the encryption key is missing, the entry is damaged): connecting again repairs both.
     */
    async keyOf(ref: AccountRef): Promise<string | undefined> {
      const entries = await redis.hgetall(storedKeysKey(ref.workspace));
      let keyCount = 0;
      for (const [owner, text] of Object.entries(entries)) {
        const entry = parsed(text);
        if (entry?.account !== ref.account) continue;
        keyCount += 1;
        const key = decrypted(ref.workspace, owner, entry);
        if (key === undefined) continue;
        unreadable.delete(ref.account);
        return key;
      }
      if (keyCount > 0 && !unreadable.has(ref.account)) {
        unreadable.add(ref.account);
        logger?.error(
          { ...ref, keys: keyCount },
          'no API key of this account can be decrypted: restore the encryption key or connect again',
        );
      }
      return undefined;
    },
  };
}

/** Returns the id of a key's account in a workspace: always the same one, and it reveals nothing about the key. */
export function accountIdOf(workspace: WorkspaceId, key: string): AccountId {
  return AccountId.parse(
    createHash('sha256').update(`proofdesk account\0${workspace}\0${key}`).digest('hex').slice(0, 16),
  );
}
