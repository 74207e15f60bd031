import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ActedBy, NewAuditEntry } from '../domain/audit.ts';
import { AccountId, type AccountRef, MemberId, type WorkspaceId } from '../domain/terms.ts';
import { type AuditWriter, createAuditWriter } from './audit-entries.ts';
import { createCodec } from './codec.ts';
import { createKeySeals, type KeyPlace, type Resealed, type Vault } from './encryption.ts';
import { workspaceKey } from './keys.ts';
import { change, changeIf } from './scripts.ts';
import { type ErrorLogger, swapField } from './stored-hash.ts';

/** Owner of the key that the whole workspace shares (MARKETPLACE_API_KEY). */
export const sharedKeyOwner = 'shared';
type KeyOwner = MemberId | typeof sharedKeyOwner;

/** Who has a key of an account. */
interface Owners {
  /** Whether it is the account that the whole workspace shares. */
  readonly isShared: boolean;
  readonly members: readonly MemberId[];
}

/** A key of an account that can be decrypted. */
export interface UsableKey {
  readonly key: string;
  /** When the marketplace refused it (ms); absent when it did not, or has accepted the key since. */
  readonly refusedAt?: number;
}

export type Accounts = ReturnType<typeof createAccounts>;

/**
 * Creates the store of marketplace keys: which member has which key, and so which account they act for. Keys are stored
 * encrypted.
 * @param logger logs once when all keys of an account are unreadable
 */
export function createAccounts(
  redis: Redis,
  vault: Vault,
  logger?: ErrorLogger,
  audit: AuditWriter = createAuditWriter(),
) {
  /** Accounts with no key that can be decrypted: logged once, until one can. */
  const unreadable = new Set<AccountId>();
  const seals = createKeySeals(vault);
  const storedKeys = createStoredKeys(redis, seals, logger);
  /** Maps the fingerprint of each key to its account, even after the key itself was deleted. */
  const assignedKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'accounts-by-key');
  /** Maps the fingerprint of each key that the marketplace has refused to the time it did (ms). */
  const refusedKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'refused-keys');
  /** The name of each account. */
  const namesKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'account-names');

  /** Stores an owner's key, or deletes it (''), together with its audit entry. */
  async function storeKey(
    workspace: WorkspaceId,
    owner: KeyOwner,
    text: string,
    entry: NewAuditEntry | undefined,
  ): Promise<void> {
    const key = storedKeys.key(workspace);
    const step = entry && audit({ workspace }, entry);
    await change(redis, step, text === '' ? ['HDEL', key, owner] : ['HSET', key, owner, text]);
  }

  /** Returns who deletes an owner's key: the owner, the bot, or the environment. */
  function actorOf(owner: KeyOwner, how: ActedBy): Pick<NewAuditEntry, 'by' | 'how' | 'member'> {
    if (owner === sharedKeyOwner) return { how: 'setting' };
    const member = MemberId.parse(owner);
    return how === 'job' ? { how, member } : { by: member, how };
  }

  async function ownersOf(ref: AccountRef): Promise<Owners> {
    const owners = (await storedKeys.entries(ref)).map(({ owner }) => owner);
    return {
      isShared: owners.includes(sharedKeyOwner),
      members: owners.filter((owner) => owner !== sharedKeyOwner).map((owner) => MemberId.parse(owner)),
    };
  }

  async function nameOf({ workspace, account }: AccountRef): Promise<string | undefined> {
    return (await redis.hget(namesKey(workspace), account)) ?? undefined;
  }

  /** Returns the keys of an account, the newest first. */
  async function keysOf(ref: AccountRef) {
    const { workspace } = ref;
    const [entries, refused] = await Promise.all([
      storedKeys.entries(ref),
      redis.hgetall(refusedKey(workspace)),
    ]);
    const byAge = [...entries].sort((a, b) => b.entry.at - a.entry.at);
    return byAge.map(({ owner, entry }) => {
      const key = storedKeys.decrypted(workspace, owner, entry);
      const at = key && refused[fingerprintOf(workspace, key)];
      return { owner: owner as KeyOwner, key, refusedAt: at === undefined ? undefined : Number(at) };
    });
  }

  async function usableKeys(ref: AccountRef): Promise<readonly UsableKey[]> {
    const { account } = ref;
    const stored = await keysOf(ref);
    const usable = new Map<string, UsableKey>();
    for (const { key, refusedAt } of stored) {
      if (key !== undefined && !usable.has(key))
        usable.set(key, { key, ...(refusedAt === undefined ? {} : { refusedAt }) });
    }
    if (usable.size > 0) unreadable.delete(account);
    else if (stored.length > 0 && !unreadable.has(account)) {
      unreadable.add(account);
      logger?.error(
        { ...ref, keys: stored.length },
        'no API key of this account can be decrypted: restore the encryption key or connect again',
      );
    }
    return [...usable.values()].sort((a, b) => (a.refusedAt ?? 0) - (b.refusedAt ?? 0));
  }

  /**
   * Stores a key of an account that the marketplace has accepted, replacing the owner's earlier one.
   * @param by who replaces it; absent: the environment
   */
  async function connect(
    { workspace, account }: AccountRef,
    owner: KeyOwner,
    key: string,
    by?: MemberId,
  ): Promise<void> {
    const fingerprint = fingerprintOf(workspace, key);
    await redis.hset(assignedKey(workspace), fingerprint, account);
    const before = await storedKeys.get(workspace, owner);
    // The environment's key is connected at every start.
    const isSame = before?.account === account && storedKeys.decrypted(workspace, owner, before) === key;
    const at = isSame ? before.at : Date.now();
    const entry = storedKeys.sealed(workspace, owner, { account, key, at });
    const what = before?.account === account ? 'replace key' : 'connect';
    const was = before === undefined || before.account === account ? {} : { before: before.account };
    const other = owner === by || owner === sharedKeyOwner ? {} : { member: MemberId.parse(owner) };
    const actor = by === undefined ? { how: 'setting' as const } : { by, how: 'form' as const, ...other };
    const step = isSame ? undefined : ({ what, ...actor, account, ...was } as const);
    await storeKey(workspace, owner, storedKeyCodec.encode(entry), step);
    await redis.hdel(refusedKey(workspace), fingerprint);
    storedKeys.replaced(workspace, owner);
  }

  return {
    /** Returns the account of a key, even after the key was deleted; undefined when it was never connected. */
    async ofKey(workspace: WorkspaceId, key: string): Promise<AccountRef | undefined> {
      const account = await redis.hget(assignedKey(workspace), fingerprintOf(workspace, key));
      return account === null ? undefined : { workspace, account: AccountId.parse(account) };
    },

    /** Returns an account's name. */
    nameOf,

    /** Returns the account with a name, whatever its case. */
    async named(workspace: WorkspaceId, name: string): Promise<AccountRef | undefined> {
      const ref = { workspace, account: accountIdOf(workspace, name) };
      return (await nameOf(ref)) === undefined ? undefined : ref;
    },

    /** Returns the names of all accounts by their ids. */
    async names(workspace: WorkspaceId): Promise<Map<AccountId, string>> {
      const names = Object.entries(await redis.hgetall(namesKey(workspace)));
      return new Map(names.map(([account, name]) => [AccountId.parse(account), name]));
    },

    /**
     * Creates an account for a key, and returns it; a key that has an account keeps it. Returns undefined when another account
     * has that name.
     */
    async create(workspace: WorkspaceId, key: string, name: string): Promise<AccountRef | undefined> {
      const assigned = [assignedKey(workspace), fingerprintOf(workspace, key)] as const;
      const account = accountIdOf(workspace, name);
      const named = [namesKey(workspace), account] as const;
      const isNew = await changeIf(
        redis,
        [
          ['', 'HGET', ...assigned],
          ['', 'HGET', ...named],
        ],
        [
          ['HSET', ...assigned, account],
          ['HSET', ...named, name],
        ],
      );
      return isNew ? { workspace, account } : this.ofKey(workspace, key);
    },

    /** Returns every account that has or had a key. */
    async all(workspace: WorkspaceId): Promise<AccountRef[]> {
      const ids = await redis.hkeys(namesKey(workspace));
      return ids.map((id) => ({ workspace, account: AccountId.parse(id) }));
    },

    /** Returns who has a key of the account. */
    owners: ownersOf,

    connect,

    /** Replaces the keys of an account that are refused or cannot be decrypted; all of them if none is. */
    async replace(ref: AccountRef, key: string, by: MemberId): Promise<void> {
      const stored = await keysOf(ref);
      const unusable = stored.filter((one) => one.key === undefined || one.refusedAt !== undefined);
      const replaced = unusable.length > 0 ? unusable : stored;
      // Nobody has a key any more: it becomes their own.
      const owners = replaced.length > 0 ? replaced.map(({ owner }) => owner) : [by];
      for (const owner of owners) await connect(ref, owner, key, by);
    },

    /** Deletes an owner's key. Returns the account it was for, or undefined when there was none. */
    async disconnect(
      workspace: WorkspaceId,
      owner: KeyOwner,
      how: ActedBy = 'command',
    ): Promise<AccountRef | undefined> {
      const previous = await storedKeys.get(workspace, owner);
      const entry =
        previous && ({ what: 'disconnect', ...actorOf(owner, how), account: previous.account } as const);
      await storeKey(workspace, owner, '', entry);
      return previous && { workspace, account: previous.account };
    },

    /** Returns the workspace's shared account; undefined when there is none. */
    async shared(workspace: WorkspaceId): Promise<AccountRef | undefined> {
      const entry = await storedKeys.get(workspace, sharedKeyOwner);
      return entry && { workspace, account: entry.account };
    },

    /** Returns the account a member acts for: that of their own key, else the shared one; undefined without either. */
    async of(workspace: WorkspaceId, member: MemberId): Promise<AccountRef | undefined> {
      const [own, shared] = await storedKeys.load(workspace, [member, sharedKeyOwner]);
      const found = own ?? shared;
      return found && { workspace, account: found.account };
    },

    /** Returns whether a member has a key of their own. */
    async hasOwnKey(workspace: WorkspaceId, member: MemberId): Promise<boolean> {
      return (await storedKeys.get(workspace, member)) !== undefined;
    },

    /** Returns by which key a member reaches an account: their own, or that of the workspace's shared account. */
    async keySourceOf(ref: AccountRef, member: MemberId): Promise<'own' | 'shared' | undefined> {
      const [own, shared] = await storedKeys.load(ref.workspace, [member, sharedKeyOwner]);
      if (own?.account === ref.account) return 'own';
      return shared?.account === ref.account ? 'shared' : undefined;
    },

    /** Seals every key of a workspace with the first encryption key where it is not already. Returns the result for each. */
    async reseal(workspace: WorkspaceId): Promise<Resealed[]> {
      const entries = Object.entries(await redis.hgetall(storedKeys.key(workspace)));
      const results: Resealed[] = [];
      for (const [owner, text] of entries) results.push(await storedKeys.reseal(workspace, owner, text));
      return results;
    },

    /** Counts the keys of a workspace that cannot be decrypted. */
    async unreadable(workspace: WorkspaceId): Promise<number> {
      const entries = await redis.hgetall(storedKeys.key(workspace));
      return Object.entries(entries).filter(
        ([owner, text]) => storedKeys.decrypted(workspace, owner, storedKeys.parsed(text)) === undefined,
      ).length;
    },

    /**
     * Returns the key to use for an account, no matter who owns it: one that works, as far as known. Undefined when nobody
     * has one any more, or when none can be decrypted (the encryption key is missing, the entry is damaged): connecting
     * again repairs both.
     */
    async keyOf(ref: AccountRef): Promise<string | undefined> {
      return (await usableKeys(ref))[0]?.key;
    },

    /**
     * Returns the distinct keys of an account: first those that work, the newest first; then those that were refused, the one
     * refused longest ago first, so that each is retried in turn.
     */
    usableKeys,

    /** Records that the marketplace has refused a key. */
    async recordRefusedKey(workspace: WorkspaceId, key: string, at: number): Promise<void> {
      await redis.hset(refusedKey(workspace), fingerprintOf(workspace, key), at);
    },

    /** Records that the marketplace has accepted a key. */
    async recordAcceptedKey(workspace: WorkspaceId, key: string): Promise<void> {
      await redis.hdel(refusedKey(workspace), fingerprintOf(workspace, key));
    },
  };
}

/** Returns the fingerprint of a key, which reveals nothing about it. */
export function fingerprintOf(workspace: WorkspaceId, key: string): string {
  return hashOf(`proofdesk account\0${workspace}\0${key}`);
}

/**
 * Returns the id of a new account: a hash of its name, so that no two have the same one, and that after a loss of Redis an
 * account of that name finds its cards again.
 */
function accountIdOf(workspace: WorkspaceId, name: string): AccountId {
  return AccountId.parse(hashOf(`proofdesk name\0${workspace}\0${name.toLowerCase()}`));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

const StoredKey = z
  .object({
    account: AccountId,
    sealed: z.string(),
    /** When it was stored (ms). */
    at: z.number(),
  })
  .readonly();
export type StoredKey = z.infer<typeof StoredKey>;

/** An unreadable key is not set aside like other values: no copy of a key, even encrypted, may outlive a disconnect. */
export const storedKeyCodec = createCodec('api-key', StoredKey);

const placeOf = (workspace: WorkspaceId, owner: string, account: AccountId): KeyPlace => ({
  workspace,
  owner,
  account,
});

/**
 * Creates the reader of stored keys: one hash per workspace, with an encrypted key per owner.
 * @param logger logs once when an entry is damaged
 */
export function createStoredKeys(
  redis: Redis,
  seals: Pick<ReturnType<typeof createKeySeals>, 'open' | 'seal'>,
  logger?: ErrorLogger,
) {
  /** Damaged entries that were already logged. */
  const damaged = new Set<string>();
  const hashKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'api-keys');

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

  async function load(workspace: WorkspaceId, owners: readonly string[]): Promise<(StoredKey | undefined)[]> {
    const texts = await redis.hmget(hashKey(workspace), ...owners);
    return texts.map((text, index) => {
      const entry = text == null ? undefined : parsed(text);
      if (text != null && entry === undefined) reportDamaged(workspace, owners[index] ?? '');
      return entry;
    });
  }

  return {
    /** The hash of a workspace: entries by owner. */
    key: hashKey,

    /** Returns the entries of several owners, in the order asked for: undefined where an entry is missing or damaged. */
    load,

    /** Returns the entry of an owner; undefined when it is missing or damaged. */
    get: async (workspace: WorkspaceId, owner: string): Promise<StoredKey | undefined> =>
      (await load(workspace, [owner]))[0],

    /** Returns the entries of an account, with their owners. */
    async entries({ workspace, account }: AccountRef) {
      const all = Object.entries(await redis.hgetall(hashKey(workspace)));
      return all.flatMap(([owner, text]) => {
        const entry = parsed(text);
        return entry?.account === account ? [{ owner, entry }] : [];
      });
    },

    /** Parses an entry; undefined when it is damaged. */
    parsed,

    /** Returns the entry of a key, encrypted for its place. */
    sealed(
      workspace: WorkspaceId,
      owner: string,
      { account, key, at }: Pick<StoredKey, 'account' | 'at'> & { readonly key: string },
    ): StoredKey {
      return { account, sealed: seals.seal(key, placeOf(workspace, owner, account)), at };
    },

    /** Returns the key in an entry, or undefined when it cannot be decrypted. */
    decrypted(workspace: WorkspaceId, owner: string, entry: StoredKey | undefined): string | undefined {
      return entry && seals.open(entry.sealed, placeOf(workspace, owner, entry.account))?.key;
    },

    /** Lets an entry be logged again if it is damaged later: it has just been replaced. */
    replaced(workspace: WorkspaceId, owner: string): void {
      damaged.delete(`${workspace} ${owner}`);
    },

    /** Reseals an entry if that is due. Returns whether its key could be read, and whether it was resealed. */
    async reseal(workspace: WorkspaceId, owner: string, text: string): Promise<Resealed> {
      const entry = parsed(text);
      const opened = entry && seals.open(entry.sealed, placeOf(workspace, owner, entry.account));
      if (entry === undefined || opened === undefined) return 'unreadable';
      if (opened.resealed === undefined) return 'current';
      const after = storedKeyCodec.encode({ ...entry, sealed: opened.resealed });
      // If somebody changed the entry meanwhile, they have sealed it too.
      await swapField(redis, hashKey(workspace), owner, text, after);
      return 'resealed';
    },
  };
}
