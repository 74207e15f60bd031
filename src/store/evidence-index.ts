import type { Redis } from 'ioredis';
import { z } from 'zod';
import { hashText } from '../domain/evidence/hash.ts';
import type { Posting } from '../domain/evidence/print.ts';
import { chunksOf } from '../domain/group.ts';
import { type AccountRef, TaskId } from '../domain/terms.ts';
import {
  findScript,
  forgetScript,
  leaveScript,
  namesPerHash,
  numbersScript,
  putScript,
} from './evidence-index-script.ts';
import { accountKey } from './keys.ts';

/** How many tasks were known before, the tasks at each place, the task's own number. */
const Answer = z.tuple([z.number().nullable(), z.array(z.array(TaskId)), z.number().nullable()]);

/** Places looked up by one call of a script: Redis does nothing else meanwhile. */
const probesAtOnce = 300;
/** Number of tasks returned for the places that are only looked up: those that are at most of them. */
const mostProbed = 24;

const Numbers = z.instanceof(Buffer);

/** Batches of places where a task is looked up, but not added. */
type Probes = Iterable<readonly Posting['place'][]>;

/** Result of adding a task. */
export interface IndexedTask extends FoundTasks {
  /** How many tasks were ever added before. */
  readonly known: number;
}

/** Tasks found at the places of a task. */
export interface FoundTasks {
  /** The other tasks at the place of each posting, latest first. */
  readonly found: readonly { readonly kind: Posting['kind']; readonly tasks: readonly TaskId[] }[];
  /** Other tasks that are at most of the places that were only looked up: repeated for each place. */
  readonly probed: readonly TaskId[];
}

/** Creates the index of similar tasks. */
export function createEvidenceIndex(redis: Redis) {
  const prefixOf = (ref: AccountRef) => accountKey(ref, 'evidence', '');
  const sizeKey = (ref: AccountRef) => `${prefixOf(ref)}size`;

  /** Runs a script on the places of a task. */
  async function run(
    script: string,
    ref: AccountRef,
    task: TaskId,
    postings: readonly Posting[],
  ): Promise<unknown> {
    const prefix = prefixOf(ref);
    const own = packedPlaces([placeOfTask(task)]);
    const places = packedPlaces(postings.map(({ place }) => place));
    return redis.eval(script, 1, sizeKey(ref), prefix, task, own, places);
  }

  /**
   * Returns the tasks that are at most of some places, repeated for each place, except one task. The next places are
   * computed while Redis looks up the previous ones.
   */
  async function probe(ref: AccountRef, probes: Probes, without: number | null): Promise<TaskId[]> {
    const times = new Map<number, number>();
    const count = (numbers: Buffer) => {
      for (let at = 0; at < numbers.length; at += 4) {
        const number = numbers.readUInt32BE(at) - 1;
        if (number >= 0 && number !== without) times.set(number, (times.get(number) ?? 0) + 1);
      }
    };
    let last: Promise<unknown> | undefined;
    for (const some of probes) {
      for (const places of chunksOf(some, probesAtOnce)) {
        if (last !== undefined) count(Numbers.parse(await last));
        last = redis.callBuffer('EVAL', numbersScript, 1, sizeKey(ref), prefixOf(ref), packedPlaces(places));
      }
    }
    if (last !== undefined) count(Numbers.parse(await last));
    // Among tasks at the same number of places, the latest come first.
    const most = [...times].toSorted(([one, a], [other, b]) => b - a || other - one).slice(0, mostProbed);
    const ids = await Promise.all(
      most.map(([number]) =>
        redis.hget(`${prefixOf(ref)}n${Math.floor(number / namesPerHash)}`, String(number % namesPerHash)),
      ),
    );
    return most.flatMap(([, count], index) => {
      const id = ids[index];
      return id === null ? [] : Array.from({ length: count }, () => TaskId.parse(id));
    });
  }

  return {
    /**
     * Looks up a task's places and adds it, in one step; then looks up some other places. Of two tasks that arrive at once,
     * at least one finds the other. A task may be added again.
     */
    async put(
      ref: AccountRef,
      task: TaskId,
      postings: readonly Posting[],
      probes: Probes = [],
    ): Promise<IndexedTask> {
      const [known, found, own] = Answer.parse(await run(putScript, ref, task, postings));
      return { known: known ?? 0, found: withKinds(postings, found), probed: await probe(ref, probes, own) };
    },

    /** Looks up the places of a task that does not belong to this account, without adding it. */
    async find(
      ref: AccountRef,
      task: TaskId,
      postings: readonly Posting[],
      probes: Probes,
    ): Promise<FoundTasks> {
      const [, found, own] = Answer.parse(await run(findScript, ref, task, postings));
      return { found: withKinds(postings, found), probed: await probe(ref, probes, own) };
    },

    /** Removes a task from some places: those of an earlier round. */
    async leave(ref: AccountRef, task: TaskId, postings: readonly Posting[]): Promise<void> {
      if (postings.length > 0) await run(leaveScript, ref, task, postings);
    },

    /** Removes a task from all its places. */
    async forget(ref: AccountRef, task: TaskId, postings: readonly Posting[]): Promise<void> {
      await run(forgetScript, ref, task, postings);
    },

    /** Returns whether any task was ever added. */
    async isBegun(ref: AccountRef): Promise<boolean> {
      const keys = [sizeKey(ref), `${prefixOf(ref)}tasks`];
      return (await Promise.all(keys.map((key) => redis.exists(key)))).includes(1);
    },
  };
}

function withKinds(postings: readonly Posting[], found: readonly (readonly TaskId[])[]): FoundTasks['found'] {
  return postings.map(({ kind }, index) => ({ kind, tasks: found[index] ?? [] }));
}

/** Returns the place under which a task's own number is stored. */
export function placeOfTask(task: TaskId): Posting['place'] {
  return [hashText(task, 1), hashText(task, 2)];
}

/** Encodes places for the scripts: one byte of one hash, and three of the other. */
export function packedPlaces(places: readonly Posting['place'][]): Buffer {
  const packed = Buffer.alloc(4 * places.length);
  for (const [index, [first, mark]] of places.entries()) {
    packed.writeUInt8(first & 0xff, 4 * index);
    packed.writeUIntBE(mark & 0xffffff, 4 * index + 1, 3);
  }
  return packed;
}
