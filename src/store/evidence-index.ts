import type { Redis } from 'ioredis';
import { z } from 'zod';
import { hashText } from '../domain/evidence/hash.ts';
import type { Posting } from '../domain/evidence/print.ts';
import { chunksOf } from '../domain/group.ts';
import { type AccountRef, TaskId } from '../domain/terms.ts';
import {
  convertScript,
  findScript,
  forgetScript,
  leaveScript,
  namesPerHash,
  numbersScript,
  putScript,
} from './evidence-index-script.ts';
import { accountKey } from './keys.ts';

/** How many were known before, the tasks at each place, the task's own number. */
const Answer = z.tuple([z.number().nullable(), z.array(z.array(TaskId)), z.number().nullable()]);

/** So many places are looked at in one call of a script: Redis does nothing else meanwhile. */
const probesAtOnce = 300;
/** Of all tasks at the places that are only looked at, so many are returned: those that stand at most of them. */
const mostProbed = 24;

const Numbers = z.instanceof(Buffer);

/** Places where a task is not put, some at a time. */
type Probes = Iterable<readonly Posting['place'][]>;

/** What was found where a task was put. */
export interface IndexedTask extends FoundTasks {
  /** How many tasks were ever put there before. */
  readonly known: number;
}

/** What is at the places of a task. */
export interface FoundTasks {
  /** The other tasks at the place of each posting, latest first. */
  readonly found: readonly { readonly kind: Posting['kind']; readonly tasks: readonly TaskId[] }[];
  /** Those of the other tasks that stand at most of the places that were only looked at: once for each place. */
  readonly probed: readonly TaskId[];
}

/** Creates the index by which tasks are found that are alike in something. */
export function createEvidenceIndex(redis: Redis) {
  const prefixOf = (ref: AccountRef) => accountKey(ref, 'evidence', '');
  const sizeKey = (ref: AccountRef) => `${prefixOf(ref)}size`;

  /** Runs a script on the places of a task, once what an earlier version has stored is where they are. */
  async function run(
    script: string,
    ref: AccountRef,
    task: TaskId,
    postings: readonly Posting[],
  ): Promise<unknown> {
    const prefix = prefixOf(ref);
    const own = packedPlaces([placeOfTask(task)]);
    const places = packedPlaces(postings.map(({ place }) => place));
    for (;;) {
      const answer = await redis.eval(script, 1, sizeKey(ref), prefix, task, own, places);
      if (answer !== 'old') return answer;
      // A few of its keys at a time, since Redis does nothing else meanwhile.
      await redis.eval(convertScript, 1, sizeKey(ref), prefix);
    }
  }

  /**
   * Returns the tasks that stand at most of some places, once for each place, without one. Places are asked for while Redis
   * looks at those before.
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
    // Of those that stand at as many places, the latest.
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
     * Looks where a task belongs, and puts it there, in one step; then looks at some other places: of two that arrive at once, at
     * least one finds the other. A task may be put there again.
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

    /** Looks where a task would belong that is none of this account, and puts it nowhere. */
    async find(
      ref: AccountRef,
      task: TaskId,
      postings: readonly Posting[],
      probes: Probes,
    ): Promise<FoundTasks> {
      const [, found, own] = Answer.parse(await run(findScript, ref, task, postings));
      return { found: withKinds(postings, found), probed: await probe(ref, probes, own) };
    },

    /** Takes a task out of some places: those of an earlier round. */
    async leave(ref: AccountRef, task: TaskId, postings: readonly Posting[]): Promise<void> {
      if (postings.length > 0) await run(leaveScript, ref, task, postings);
    },

    /** Takes a task out of all of its places. */
    async forget(ref: AccountRef, task: TaskId, postings: readonly Posting[]): Promise<void> {
      await run(forgetScript, ref, task, postings);
    },

    /** Returns whether any task was ever put there. */
    async isBegun(ref: AccountRef): Promise<boolean> {
      return (await redis.exists(sizeKey(ref), `${prefixOf(ref)}tasks`)) > 0;
    },
  };
}

function withKinds(postings: readonly Posting[], found: readonly (readonly TaskId[])[]): FoundTasks['found'] {
  return postings.map(({ kind }, index) => ({ kind, tasks: found[index] ?? [] }));
}

/** Returns the place where a task finds its own number. */
export function placeOfTask(task: TaskId): Posting['place'] {
  return [hashText(task, 1), hashText(task, 2)];
}

/** Returns places as the scripts take them: one byte of one hash, and three of the other. */
export function packedPlaces(places: readonly Posting['place'][]): Buffer {
  const packed = Buffer.alloc(4 * places.length);
  for (const [index, [first, mark]] of places.entries()) {
    packed.writeUInt8(first & 0xff, 4 * index);
    packed.writeUIntBE(mark & 0xffffff, 4 * index + 1, 3);
  }
  return packed;
}
