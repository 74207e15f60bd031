import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { chunksOf } from '../domain/group.ts';
import { sharedReads } from './batches.ts';

type Entry = readonly [field: string, text: string];

/** A hash as this process has last read it. */
interface Snapshot {
  readonly version: string;
  /** The number of entries. */
  readonly size: number;
  /** The entries by what they are about. */
  readonly entries: ReadonlyMap<string, readonly Entry[]>;
}

/**
 * KEYS: hash, its version. ARGV: version and number of entries of the snapshot. Returns the version, and all entries unless
 * both are the same.
 */
const readScript = `
local version = redis.call('GET', KEYS[2])
if version and version == ARGV[1] and redis.call('HLEN', KEYS[1]) == tonumber(ARGV[2]) then return { version } end
return { version or '', redis.call('HGETALL', KEYS[1]) }`;

/**
 * Lua that ends a write of a hash: gives it another version, or none when it is empty.
 * @param hash Lua for its key
 * @param version Lua for the key of its version
 * @param value Lua for the new version
 */
export function changeVersion(hash: string, version: string, value: string): string {
  return `if redis.call('EXISTS', ${hash}) == 1 then redis.call('SET', ${version}, ${value}) else redis.call('DEL', ${version}) end`;
}

/** Returns the key of a hash's version: random, and another one after each write, so that a restored copy has its own again. */
export function versionKeyOf(hash: string): string {
  return `${hash}:version`;
}

/** Returns the accounts and channels in the text of a value, without parsing those of a thousand others. */
export function accountsAndChannelsIn(text: string): string[] {
  return [...text.matchAll(/"(?:account|channel)":"([^"]+)"/gu)].map(([, name = '']) => name);
}

export const newVersion = (): string => randomUUID();

/**
 * Creates the reader of hashes in which an account's entries are found among those of a thousand others. Each process keeps
 * the hash in memory and asks Redis only whether its version is still the same: a script that looks through the hash took
 * half a processor with 1,000 polled accounts. Every write of such a hash has to change its version.
 * @param namesOf returns what an entry is about, such as an account's id: what the caller looks for
 */
export function createHashSnapshots(redis: Redis, namesOf: (entry: Entry) => readonly string[]) {
  const known = new Map<string, Snapshot>();

  function byName(entries: readonly Entry[]): Map<string, Entry[]> {
    const found = new Map<string, Entry[]>();
    for (const entry of entries) {
      for (const name of namesOf(entry)) {
        const those = found.get(name);
        if (those === undefined) found.set(name, [entry]);
        else those.push(entry);
      }
    }
    return found;
  }

  const snapshotOf = sharedReads(
    async (hash: string): Promise<Snapshot> => {
      const before = known.get(hash);
      const asked = before === undefined ? ['', 0] : [before.version, before.size];
      const answer = await redis.eval(readScript, 2, hash, versionKeyOf(hash), ...asked);
      const [version = '', flat] = answer as [string?, string[]?];
      if (before !== undefined && flat === undefined) return before;
      const entries = chunksOf(flat ?? [], 2).map(([field = '', text = '']): Entry => [field, text]);
      const snapshot = { version, size: entries.length, entries: byName(entries) };
      if (version !== '') known.set(hash, snapshot);
      else known.delete(hash);
      return snapshot;
    },
    (hash) => hash,
  );

  /** Returns the entries about something. */
  return async (hash: string, name: string): Promise<readonly Entry[]> =>
    (await snapshotOf(hash)).entries.get(name) ?? [];
}
