import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ActedBy, NewAuditEntry } from '../domain/audit.ts';
import { AccountId, type AccountRef, MemberId, type WorkspaceId } from '../domain/terms.ts';
import { type AuditWriter, createAuditWriter } from './audit.ts';
import type { Vault } from './encryption.ts';
import { createCodec, workspaceKey } from './format.ts';
import { change, changeIf } from './scripts.ts';
import { type ErrorLogger, swapField } from './stored-hash.ts';

/** Owner of the key that the whole workspace shares (MARKETPLACE_API_KEY). */
export const sharedKeyOwner = 'shared';
type KeyOwner = MemberId | typeof sharedKeyOwner;

const StoredKey = z
  .object({
    account: AccountId,
    sealed: z.string(),
    /** When it was stored (ms). */
    at: z.number(),
  })
  .readonly();
type StoredKey = z.infer<typeof StoredKey>;

/** An unreadable key is not set aside like other values: no copy of a key, even encrypted, may outlive a disconnect. */
export const storedKeyCodec = createCodec('api-key', StoredKey);

/** A key of an account that can be decrypted. */
export interface UsableKey {
  readonly key: string;
  /** When the marketplace refused it (ms); absent when it did not, or has accepted the key since. */
  readonly refusedAt?: number;
}

export type Accounts = ReturnType<typeof createAccounts>;

/**
 * Creates the store of marketplace keys: which member has which key, and so which account they act for. Keys are stored
 * encrypted, each for its place: those that were swapped in Redis, or moved to another account, cannot be decrypted.
 * @param logger logs once when no key of an account can be decrypted
 */
export function createAccounts(
  redis: Redis,
  vault: Vault,
  logger?: ErrorLogger,
  audit: AuditWriter = createAuditWriter(),
) {
  /** Accounts with no key that can be decrypted: logged once, until one can. */
  const unreadable = new Set<AccountId>();
  /** One entry per owner. */
  const keysKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'api-keys');
  /** Maps the fingerprint of each key to its account, even after the key itself was deleted. */
  const assignedKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'accounts-by-key');
  /** Maps the fingerprint of each key that the marketplace has refused to the time it did (ms). */
  const refusedKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'refused-keys');
  /** The name of each account. */
  const namesKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'account-names');

  const purposeOf = (workspace: WorkspaceId, owner: string, account: AccountId) =>
    `api-key ${workspace} ${owner} of ${account}`;

  /** Returns an entry; undefined when it is damaged. */
  function parsed(text: string): StoredKey | undefined {
    const decoded = storedKeyCodec.decode(text);
    return decoded.ok ? decoded.value : undefined;
  }

  /** Returns the key in an entry; undefined when it was changed, is in the wrong place, or its encryption key is missing. */
  function decrypted(
    workspace: WorkspaceId,
    owner: string,
    entry: StoredKey | undefined,
  ): string | undefined {
    try {
      return entry && vault.open(entry.sealed, purposeOf(workspace, owner, entry.account));
    } catch {
      return undefined;
    }
  }

  /** Returns the entries of several owners, in the order asked for: undefined where an entry is missing or damaged. */
  async function load(workspace: WorkspaceId, ...owners: string[]): Promise<(StoredKey | undefined)[]> {
    const texts = await redis.hmget(keysKey(workspace), ...owners);
    return texts.map((text) => parsed(text ?? ''));
  }

  /** Returns the entries of an account, with their owners. */
  async function entriesOf({ workspace, account }: AccountRef) {
    const all = Object.entries(await redis.hgetall(keysKey(workspace)));
    return all.flatMap(([owner, text]) => {
      const entry = parsed(text);
      return entry?.account === account ? [{ owner: owner as KeyOwner, entry }] : [];
    });
  }

  /** Stores an owner's key, or deletes it (''), together with its audit entry. */
  async function storeKey(
    workspace: WorkspaceId,
    owner: KeyOwner,
    text: string,
    entry: NewAuditEntry | undefined,
  ): Promise<void> {
    const key = keysKey(workspace);
    await change(
      redis,
      entry && audit({ workspace }, entry),
      text === '' ? ['HDEL', key, owner] : ['HSET', key, owner, text],
    );
  }

  /** Returns who deletes an owner's key: the owner, the bot, or the environment. */
  function actorOf(owner: KeyOwner, how: ActedBy): Pick<NewAuditEntry, 'by' | 'how' | 'member'> {
    if (owner === sharedKeyOwner) return { how: 'setting' };
    const member = MemberId.parse(owner);
    return how === 'job' ? { how, member } : { by: member, how };
  }

  async function nameOf({ workspace, account }: AccountRef): Promise<string | undefined> {
    return (await redis.hget(namesKey(workspace), account)) ?? undefined;
  }

  /** Returns the keys of an account, the newest first. */
  async function keysOf(ref: AccountRef) {
    const { workspace } = ref;
    const [entries, refused] = await Promise.all([entriesOf(ref), redis.hgetall(refusedKey(workspace))]);
    const byAge = entries.sort((a, b) => b.entry.at - a.entry.at);
    return byAge.map(({ owner, entry }) => {
      const key = decrypted(workspace, owner, entry);
      const at = key && refused[fingerprintOf(workspace, key)];
      return { owner, key, refusedAt: at === undefined ? undefined : Number(at) };
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
    const [before] = await load(workspace, owner);
    // The environment's key is connected at every start.
    const isSame = before?.account === account && decrypted(workspace, owner, before) === key;
    const at = isSame ? before.at : Date.now();
    const sealed = vault.seal(key, purposeOf(workspace, owner, account));
    const what = before?.account === account ? 'replace key' : 'connect';
    const was = before === undefined || before.account === account ? {} : { before: before.account };
    const other = owner === by || owner === sharedKeyOwner ? {} : { member: MemberId.parse(owner) };
    const actor = by === undefined ? { how: 'setting' as const } : { by, how: 'form' as const, ...other };
    const step = isSame ? undefined : ({ what, ...actor, account, ...was } as const);
    await storeKey(workspace, owner, storedKeyCodec.encode({ account, sealed, at }), step);
    await redis.hdel(refusedKey(workspace), fingerprint);
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

    /** Returns who has a key of the account, and whether it is the one that the whole workspace shares. */
    async owners(ref: AccountRef): Promise<{ readonly isShared: boolean; readonly members: MemberId[] }> {
      const owners = (await entriesOf(ref)).map(({ owner }) => owner);
      return {
        isShared: owners.includes(sharedKeyOwner),
        members: owners.filter((owner) => owner !== sharedKeyOwner).map((owner) => MemberId.parse(owner)),
      };
    },

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
      const [previous] = await load(workspace, owner);
      const entry =
        previous && ({ what: 'disconnect', ...actorOf(owner, how), account: previous.account } as const);
      await storeKey(workspace, owner, '', entry);
      return previous && { workspace, account: previous.account };
    },

    /** Returns the workspace's shared account; undefined when there is none. */
    async shared(workspace: WorkspaceId): Promise<AccountRef | undefined> {
      const [entry] = await load(workspace, sharedKeyOwner);
      return entry && { workspace, account: entry.account };
    },

    /** Returns the account a member acts for: that of their own key, else the shared one; undefined without either. */
    async of(workspace: WorkspaceId, member: MemberId): Promise<AccountRef | undefined> {
      const [own, shared] = await load(workspace, member, sharedKeyOwner);
      const found = own ?? shared;
      return found && { workspace, account: found.account };
    },

    /** Returns by which key a member reaches an account: their own, or that of the workspace's shared account. */
    async keySourceOf(ref: AccountRef, member: MemberId): Promise<'own' | 'shared' | undefined> {
      const [own, shared] = await load(ref.workspace, member, sharedKeyOwner);
      if (own?.account === ref.account) return 'own';
      return shared?.account === ref.account ? 'shared' : undefined;
    },

    /** Seals every key of a workspace with the first encryption key where it is not already. Returns the result for each. */
    async reseal(workspace: WorkspaceId): Promise<('resealed' | 'current' | 'unreadable')[]> {
      const entries = Object.entries(await redis.hgetall(keysKey(workspace)));
      return Promise.all(
        entries.map(async ([owner, text]) => {
          const entry = parsed(text);
          const key = decrypted(workspace, owner, entry);
          if (entry === undefined || key === undefined) return 'unreadable';
          if (vault.isCurrent(entry.sealed)) return 'current';
          const sealed = vault.seal(key, purposeOf(workspace, owner, entry.account));
          // If somebody changed the entry meanwhile, they have sealed it too.
          await swapField(
            redis,
            keysKey(workspace),
            owner,
            text,
            storedKeyCodec.encode({ ...entry, sealed }),
          );
          return 'resealed';
        }),
      );
    },

    /** Counts the keys of a workspace that cannot be decrypted. */
    async unreadable(workspace: WorkspaceId): Promise<number> {
      const entries = Object.entries(await redis.hgetall(keysKey(workspace)));
      return entries.filter(([owner, text]) => decrypted(workspace, owner, parsed(text)) === undefined)
        .length;
    },

    /**
     * Returns the key to use for an account, no matter who owns it: one that works, as far as known. Undefined when nobody
     * has one any more, or when none can be decrypted (the encryption key is missing, the entry is damaged): connecting
     * again repairs both.
     */
    keyOf: async (ref: AccountRef): Promise<string | undefined> => (await usableKeys(ref))[0]?.key,

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
