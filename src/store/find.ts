import type { Redis } from 'ioredis';
import { z } from 'zod';
import { chunksOf } from '../domain/collections.ts';
import { packedTerms, type Term, termsOf } from '../domain/find/terms.ts';
import { keyOf } from '../domain/index-changes.ts';
import type { Task } from '../domain/task.ts';
import { type AccountRef, TaskId } from '../domain/terms.ts';
import { accountKey } from './format.ts';
import type { Versioned } from './records.ts';
import { scriptIn } from './scripts.ts';

/*
 * The full-text index of tasks, made for millions of tasks and for searches from the newest one back:
 *
 * - Tasks are numbered as they arrive; a resubmitted task gets another number. `n…` hashes have the ids of 64 numbers each.
 * - Numbers are divided into blocks of 2,048. A block has 256 hashes, which Redis stores as one string each, with a field
 *   per term: the places of its tasks in the block, 2 bytes each. Fields that would take more than 60 bytes become a bitmap
 *   (`w…`) of at most 256 bytes, so that the hashes stay small and words that many tasks have cost no more than others.
 * - A task's terms and its number are part of its record, 3 bytes per term: so they are removed whatever its texts have
 *   become, and with the record.
 *
 * A search intersects the terms block by block, newest block first, and ends as soon as a page is full. All keys have the
 * hash tag of the account; index-for-find.lua builds the key names from the prefix it is given.
 */

const index = scriptIn('index-for-find');

const blockSize = 2_048;
const namesPerHash = 64;
/** Most bytes of a term's places in a hash. */
const mostInHash = 60;
/** Blocks searched by one search, and how many of them are read at once. */
const blocksPerSearch = 32;
const blocksAtOnce = 4;

const ids = z.array(TaskId);

/** A possible match: its texts decide. */
export interface Candidate {
  readonly task: TaskId;
  /** The newer, the higher. */
  readonly number: number;
}

/** The result of one search. */
export interface SearchResult {
  readonly found: readonly Candidate[];
  /** The number before which to continue; absent: there is nothing more. */
  readonly before?: number;
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

const pendingKey = (ref: AccountRef) => accountKey(ref, keyOf.findPending);

/** Creates the full-text index of an account's tasks. */
export function createFindIndex(redis: Redis) {
  const prefixOf = (ref: AccountRef) => accountKey(ref, 'find', '');
  const keysOf = (ref: AccountRef, task: TaskId) => [
    accountKey(ref, 'task', task),
    `${prefixOf(ref)}tasks`,
    pendingKey(ref),
  ];

  const argsOf = (ref: AccountRef, task: TaskId) => [
    prefixOf(ref),
    task,
    blockSize,
    namesPerHash,
    mostInHash,
  ];
  const nameOf = (prefix: string, number: number) =>
    [`${prefix}n${Math.floor(number / namesPerHash)}`, String(number % namesPerHash)] as const;

  /** Returns the numbers in a block that have all terms, the newest first. */
  async function commonIn(prefix: string, block: number, packed: Buffer): Promise<number[]> {
    const terms = range(packed.length / 3).map((at) => packed.subarray(3 * at, 3 * at + 3));
    const places = await Promise.all(terms.map((term) => placesOf(prefix, block, term)));
    const [fewest = [], ...others] = places.sort((a, b) => a.length - b.length);
    const sets = others.map((other) => new Set(other));
    const common = fewest.filter((place) => sets.every((set) => set.has(place)));
    return common.sort((a, b) => b - a).map((place) => block * blockSize + place);
  }

  /** Returns the places in a block of the tasks that have a term. */
  async function placesOf(prefix: string, block: number, term: Buffer): Promise<number[]> {
    const places = await redis.hgetBuffer(`${prefix}p${block}:${term[0]}`, term.subarray(1));
    if (places === null) return [];
    if (places.length > 0) return range(places.length / 2).map((at) => places.readUInt16BE(2 * at));
    const bytes = (await redis.getBuffer(`${prefix}w${block}:${term.readUIntBE(0, 3)}`)) ?? [];
    return [...bytes].flatMap((byte, at) => {
      const bits = range(8).filter((bit) => byte & (128 >> bit));
      return bits.map((bit) => at * 8 + bit);
    });
  }

  return {
    /** Indexes a task from its record as read, and its notes. Resolves to false when the record has changed since. */
    async put(
      ref: AccountRef,
      { version, value }: Versioned<Task>,
      notes: readonly string[],
    ): Promise<boolean> {
      if (value === undefined) return false;
      const terms = packedTerms(termsOf(value, notes));
      const args = [...argsOf(ref, value.id), version, value.round, terms];
      return (await index(redis, keysOf(ref, value.id), args)) === 1;
    },

    /** Removes a task from the index, by the terms it was indexed with. */
    async forget(ref: AccountRef, task: TaskId): Promise<void> {
      await index(redis, keysOf(ref, task), argsOf(ref, task));
    },

    /** Searches for tasks that may have all terms, newest first. @param before the number before which to search */
    async search(
      ref: AccountRef,
      terms: readonly Term[],
      { before, most }: { readonly before: number | undefined; readonly most: number },
    ): Promise<SearchResult> {
      const packed = packedTerms(terms);
      const given = Number((await redis.get(`${prefixOf(ref)}tasks`)) ?? 0);
      const end = Math.min(before ?? given, given);
      const last = Math.floor((end - 1) / blockSize);
      const first = Math.max(0, last - blocksPerSearch + 1);
      const found: Candidate[] = [];
      const blocks = range(last - first + 1).map((at) => last - at);
      for (const next of chunksOf(blocks, blocksAtOnce)) {
        const common = await Promise.all(next.map((block) => commonIn(prefixOf(ref), block, packed)));
        const numbers = common.flat().filter((number) => number < end);
        for (const some of chunksOf(numbers, most)) {
          const names = await Promise.all(some.map((number) => redis.hget(...nameOf(prefixOf(ref), number))));
          for (const [at, number] of some.entries()) {
            const name = names[at];
            if (name == null) continue;
            found.push({ task: TaskId.parse(name), number });
            if (found.length >= most) return { found, before: number };
          }
        }
      }
      return first > 0 ? { found, before: first * blockSize } : { found };
    },

    /** Returns some of the tasks to be indexed, oldest first. */
    async pending(ref: AccountRef, count: number): Promise<TaskId[]> {
      return ids.parse(await redis.zrange(pendingKey(ref), '0', String(count - 1)));
    },

    /** Returns how many tasks are to be indexed. */
    countPending: (ref: AccountRef): Promise<number> => redis.zcard(pendingKey(ref)),
  };
}
