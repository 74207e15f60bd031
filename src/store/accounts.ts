import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { ActedBy, NewAuditEntry } from '../domain/audit.ts';
import { AccountId, type AccountRef, MemberId, type WorkspaceId } from '../domain/terms.ts';
import {
  type AuditStep,
  type AuditWriter,
  appendEntry,
  auditKey,
  createAuditWriter,
} from './audit/writer.ts';
import { campaignIds } from './campaigns.ts';
import type { Vault } from './encryption.ts';
import { createKeySeals, type Resealed } from './key-seals.ts';
import { workspaceKey } from './keys.ts';
import { createPendingKeys } from './pending-keys.ts';
import { createStoredKeys, storedKeyCodec } from './stored-keys.ts';
import type { ErrorLogger } from './unreadable.ts';

/** Owner of the key that the whole workspace shares (MARKETPLACE_API_KEY). */
export const sharedKeyOwner = 'shared';
type KeyOwner = MemberId | typeof sharedKeyOwner;

/**
 * KEYS: accounts by key. ARGV: fingerprint of the key, account. Returns the account of the key: the one it already had, or
 * else the given one, which it keeps.
 */
const assignScript = `
redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
return redis.call('HGET', KEYS[1], ARGV[1])`;

/** KEYS: stored keys, an audit trail. ARGV: owner, their key ('' to delete it), entry ('' for none). */
const storeKeyScript = `
if ARGV[2] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end
if ARGV[3] ~= '' then ${appendEntry('KEYS[2]', 'ARGV[3]')} end`;

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
  const pendingKeys = createPendingKeys(redis, seals);

  /** Stores an owner's key, or deletes it (''), together with its audit entry. */
  async function storeKey(
    workspace: WorkspaceId,
    owner: KeyOwner,
    text: string,
    entry: NewAuditEntry | undefined,
  ): Promise<void> {
    const step: AuditStep | undefined = entry && audit.step({ workspace }, entry);
    const keys = [storedKeys.key(workspace), auditKey({ workspace })];
    await redis.eval(storeKeyScript, keys.length, ...keys, owner, text, step?.text ?? '');
    step?.stored();
  }

  /** Returns who changes an owner's key: the owner, the bot, or the environment. */
  function actorOf(owner: KeyOwner, how: ActedBy): Pick<NewAuditEntry, 'by' | 'how' | 'member'> {
    if (owner === sharedKeyOwner) return { how: 'setting' };
    const member = MemberId.parse(owner);
    return how === 'job' ? { how, member } : { by: member, how };
  }

  async function ownersOf(ref: AccountRef): Promise<Owners> {
    const owners = (await storedKeys.entries(ref)).map(([owner]) => owner);
    return {
      isShared: owners.includes(sharedKeyOwner),
      members: owners.filter((owner) => owner !== sharedKeyOwner).map((owner) => MemberId.parse(owner)),
    };
  }

  async function ofKey(workspace: WorkspaceId, key: string): Promise<AccountRef | undefined> {
    const fingerprint = accountIdOf(workspace, key);
    const assigned = await redis.hget(assignedKey(workspace), fingerprint);
    if (assigned !== null) return { workspace, account: AccountId.parse(assigned) };
    const ref = { workspace, account: fingerprint };
    const { isShared, members } = await ownersOf(ref);
    const isKnown = isShared || members.length > 0 || (await campaignIds(redis, ref)).length > 0;
    return isKnown ? ref : undefined;
  }

  async function usableKeys(ref: AccountRef): Promise<readonly UsableKey[]> {
    const { workspace, account } = ref;
    const [entries, refused] = await Promise.all([
      storedKeys.entries(ref),
      redis.hgetall(refusedKey(workspace)),
    ]);
    const texts = new Map(entries);
    const own = entries
      .map(([owner, text]) => [owner, storedKeys.parsed(text)] as const)
      .filter(([, entry]) => entry?.account === account);
    const keys = new Set(
      own.flatMap(([owner, entry]) => storedKeys.decrypted(workspace, owner, entry) ?? []),
    );
    // The key can be used even while Redis takes no writes.
    for (const [owner] of own)
      await storedKeys.reseal(workspace, owner, texts.get(owner) ?? '').catch(() => undefined);
    if (keys.size > 0) unreadable.delete(account);
    else if (own.length > 0 && !unreadable.has(account)) {
      unreadable.add(account);
      logger?.error(
        { ...ref, keys: own.length },
        'no API key of this account can be decrypted: restore the encryption key or connect again',
      );
    }
    return [...keys]
      .map((key): UsableKey => {
        const at = refused[accountIdOf(workspace, key)];
        return at === undefined ? { key } : { key, refusedAt: Number(at) };
      })
      .sort((a, b) => (a.refusedAt ?? 0) - (b.refusedAt ?? 0));
  }

  return {
    /** Keys whose members were asked whether the key continues an account. */
    pendingKeys,

    /**
     * Returns the account of a key; undefined when the key was never connected. Versions that stored nothing about keys
     * named each account after its key, so a key whose account has data here counts as connected too.
     */
    ofKey,

    /** Returns every account that has or had a key. */
    async all(workspace: WorkspaceId): Promise<AccountRef[]> {
      const [entries, assigned] = await Promise.all([
        redis.hvals(storedKeys.key(workspace)),
        redis.hvals(assignedKey(workspace)),
      ]);
      const accounts = [...entries.map((text) => storedKeys.parsed(text)?.account), ...assigned];
      return [...new Set(accounts.filter((id) => id !== undefined))].map((id) => ({
        workspace,
        account: AccountId.parse(id),
      }));
    },

    /** Returns who has a key of the account. */
    owners: ownersOf,

    /**
     * Stores a key that the marketplace has accepted, replacing the owner's earlier one. A key that was connected before
     * keeps its account.
     * @param continues the account whose new key this is; absent: it gets an account of its own
     */
    async connect(
      workspace: WorkspaceId,
      owner: KeyOwner,
      key: string,
      continues?: AccountId,
    ): Promise<AccountRef> {
      const fingerprint = accountIdOf(workspace, key);
      const wanted = (await ofKey(workspace, key))?.account ?? continues ?? fingerprint;
      const account = AccountId.parse(
        await redis.eval(assignScript, 1, assignedKey(workspace), fingerprint, wanted),
      );
      const entry = storedKeys.sealed(workspace, owner, { account, key });
      const before = await storedKeys.get(workspace, owner);
      // The environment's key is connected at every start.
      const isSame = before?.account === account && storedKeys.decrypted(workspace, owner, before) === key;
      const what = before?.account === account ? 'replace key' : 'connect';
      const was = before === undefined || before.account === account ? {} : { before: before.account };
      const step = isSame ? undefined : ({ what, ...actorOf(owner, 'form'), account, ...was } as const);
      await storeKey(workspace, owner, storedKeyCodec.encode(entry), step);
      await redis.hdel(refusedKey(workspace), fingerprint);
      storedKeys.replaced(workspace, owner);
      return { workspace, account };
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
      if (owner !== sharedKeyOwner) await pendingKeys.remove(workspace, owner);
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
      return [...results, ...(await pendingKeys.reseal(workspace))];
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
     * Returns the distinct keys of an account: first those that work, then those that were refused, the one refused longest
     * ago first, so that each is retried in turn.
     */
    usableKeys,

    /** Records that the marketplace has refused a key. */
    async recordRefusedKey(workspace: WorkspaceId, key: string, at: number): Promise<void> {
      await redis.hset(refusedKey(workspace), accountIdOf(workspace, key), at);
    },

    /** Records that the marketplace has accepted a key. */
    async recordAcceptedKey(workspace: WorkspaceId, key: string): Promise<void> {
      await redis.hdel(refusedKey(workspace), accountIdOf(workspace, key));
    },
  };
}

/**
 * Returns the fingerprint of a key, which reveals nothing about it. An account's id is the fingerprint of its first key:
 * after a loss of Redis, the same key leads to the cards of its account again.
 */
export function accountIdOf(workspace: WorkspaceId, key: string): AccountId {
  return AccountId.parse(
    createHash('sha256').update(`proofdesk account\0${workspace}\0${key}`).digest('hex').slice(0, 16),
  );
}
