import type { Redis } from 'ioredis';
import { z } from 'zod';
import { hashText } from '../domain/evidence/hash.ts';
import type { Posting } from '../domain/evidence/print.ts';
import { type AccountRef, TaskId } from '../domain/terms.ts';
import { convertScript, findScript, forgetScript, leaveScript, putScript } from './evidence-index-script.ts';
import { accountKey } from './keys.ts';

const Answer = z.tuple([z.number(), z.array(z.array(TaskId)), z.array(TaskId)]);
const FoundAnswer = z.tuple([z.array(z.array(TaskId)), z.array(TaskId)]);

/** What was found where a task was put. */
export interface IndexedTask extends FoundTasks {
  /** How many tasks were ever put there before. */
  readonly known: number;
}

/** What is at the places of a task. */
export interface FoundTasks {
  /** The other tasks at the place of each posting, latest first. */
  readonly found: readonly { readonly kind: Posting['kind']; readonly tasks: readonly TaskId[] }[];
  /** The other tasks at the places that were only looked at: once for each place. */
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
    probes: readonly Posting['place'][] = [],
  ): Promise<unknown> {
    const prefix = prefixOf(ref);
    const own = packedPlaces([placeOfTask(task)]);
    const places = packedPlaces(postings.map(({ place }) => place));
    for (;;) {
      const args = [prefix, task, own, places, packedPlaces(probes)];
      const answer = await redis.eval(script, 1, sizeKey(ref), ...args);
      if (answer !== 'old') return answer;
      // A few of its keys at a time, since Redis does nothing else meanwhile.
      await redis.eval(convertScript, 1, sizeKey(ref), prefix);
    }
  }

  return {
    /** Looks where a task belongs, and puts it there, and at some other places, in one step. A task may be put there again. */
    async put(
      ref: AccountRef,
      task: TaskId,
      postings: readonly Posting[],
      probes: readonly Posting['place'][] = [],
    ): Promise<IndexedTask> {
      const answer = await run(putScript, ref, task, postings, probes);
      const [known, found, probed] = Answer.parse(answer);
      return {
        known,
        found: postings.map(({ kind }, index) => ({ kind, tasks: found[index] ?? [] })),
        probed,
      };
    },

    /** Looks where a task would belong that is none of this account, and puts it nowhere. */
    async find(
      ref: AccountRef,
      task: TaskId,
      postings: readonly Posting[],
      probes: readonly Posting['place'][],
    ): Promise<FoundTasks> {
      const [found, probed] = FoundAnswer.parse(await run(findScript, ref, task, postings, probes));
      return { found: postings.map(({ kind }, index) => ({ kind, tasks: found[index] ?? [] })), probed };
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
