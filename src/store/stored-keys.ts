import type { Redis } from 'ioredis';
import { z } from 'zod';
import { AccountId, type AccountRef, type WorkspaceId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import type { createKeySeals, KeyPlace, Resealed } from './key-seals.ts';
import { workspaceKey } from './keys.ts';
import { swapField } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

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
        return entry?.account === account ? [{ owner, text, entry }] : [];
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
