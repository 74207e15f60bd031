import { setImmediate } from 'node:timers/promises';
import { codesNotGiven } from '../../../domain/evidence/codes.ts';
import { quickestTwentieth, sharedBy, timeBetween } from '../../../domain/evidence/likeness.ts';
import { arePrintsAlike } from '../../../domain/evidence/picture-likeness.ts';
import { type ComparedTask, comparedTask, postingsOf, probesOf } from '../../../domain/evidence/print.ts';
import { chunksOf } from '../../../domain/group.ts';
import type { Task } from '../../../domain/task.ts';
import type { AccountRef, TaskId } from '../../../domain/terms.ts';
import type { Evidence } from '../../../store/evidence.ts';
import type { FoundTasks } from '../../../store/evidence-index.ts';
import { mostAtPlace } from '../../../store/evidence-index-script.ts';
import type { Tasks } from '../../../store/tasks.ts';

/** Maximum number of tasks compared with a new one: those with the most index entries in common. */
const mostCompared = 60;
/** Maximum number of those whose pictures are compared: those with the most picture entries in common. */
const mostPictures = 12;
/** Batch size for reading records. */
const readAtOnce = 12;
/** A browser is rare when at most this share of all tasks uses it. */
const rareShare = 0.02;

/** What a task was found to have in common with others. */
export interface Compared {
  /** Tasks whose cards have something new to show. */
  readonly found: readonly TaskId[];
  /** Time to the nearest other task of its worker, before or after (ms); undefined when none was compared. */
  readonly afterAnotherMs: number | undefined;
}

/** Compares tasks with all others of their account. */
export interface Comparison {
  /**
   * Compares a task with all others in one index lookup, and stores what they have in common. Safe to run twice and
   * concurrently in several processes.
   * @param instructions of its campaign: a code in them identifies nobody
   */
  compare(ref: AccountRef, task: Task, instructions: string): Promise<Compared>;
}

/** Creates the comparison, for the thread that runs it. */
export function createComparison({
  evidence,
  tasks,
}: {
  readonly evidence: Pick<Evidence, 'index' | 'link' | 'pending' | 'unlink'>;
  readonly tasks: Pick<Tasks, 'getMany'>;
}): Comparison {
  /** Removes the previous submission from the index, with what it had in common with others. */
  async function leaveEarlierRound(ref: AccountRef, task: Task): Promise<void> {
    const { before, proof } = task;
    if (before === undefined || task.round === 1 || task.hasEvidence) return;
    const kept = new Set(postingsOf(comparedTask(task)).map(({ place }) => place.join()));
    const earlier = postingsOf(comparedTask({ ...task, proof: { ...proof, slots: before.slots } }));
    await evidence.index.leave(
      ref,
      task.id,
      earlier.filter(({ place }) => !kept.has(place.join())),
    );
    await evidence.unlink(ref, task.id);
  }

  return {
    async compare(ref, task, instructions) {
      await leaveEarlierRound(ref, task);
      const printed = comparedTask(task);
      const postings = postingsOf(printed);
      const indexed = await evidence.index.put(ref, task.id, postings, probesOf(printed));
      const { known, found } = indexed;
      const compared = { ...printed, codes: codesNotGiven(printed.codes, instructions) };
      const candidates = pictureCandidates(indexed);
      const ids = new Set([
        ...candidates,
        ...mostFound(
          found.flatMap((place) => place.tasks),
          mostCompared,
        ),
      ]);
      const quickest = quickestTwentieth(await evidence.pending.times(ref, task.campaign));
      // The task itself may occupy one entry. Among few tasks, many share a common browser.
      const mostOf = (kind: string) => (kind === 'browser' ? known * rareShare : mostAtPlace - 2);
      const isCommon = (kind: string) =>
        found.some(
          (place) => place.kind === kind && place.tasks.length > Math.min(mostOf(kind), mostAtPlace - 2),
        );
      const linked = new Set<TaskId>();
      const others: Task[] = [];
      for (const some of chunksOf([...ids], readAtOnce)) {
        for (const other of await tasks.getMany(ref, some)) {
          others.push(other);
          if (other.detailsRemovedAt !== undefined) continue;
          const against = comparedTask(other);
          const hasSamePicture = candidates.has(other.id) && (await haveSamePicture(compared, against));
          const shared = sharedBy(compared, against, { isCommon, quickest, hasSamePicture });
          if (shared === undefined) continue;
          for (const id of await evidence.link(ref, task, other, shared)) linked.add(id);
        }
      }
      return { found: [...linked], afterAnotherMs: timeAfterAnother(task, others) };
    },
  };
}

/** Returns the time to the nearest other task of the same worker, before or after (ms). */
function timeAfterAnother(task: Task, others: readonly Task[]): number | undefined {
  const times = others.flatMap((other) =>
    other.worker.id === task.worker.id ? (timeBetween(task, other) ?? []) : [],
  );
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Returns the most frequently found tasks, at most `most`. */
function mostFound(found: readonly TaskId[], most: number): TaskId[] {
  const times = new Map<TaskId, number>();
  for (const id of found) times.set(id, (times.get(id) ?? 0) + 1);
  return [...times]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([id]) => id);
}

/** Returns the tasks whose pictures may look the same. */
function pictureCandidates({ found, probed }: FoundTasks): Set<TaskId> {
  const beside = found.flatMap(({ kind, tasks }) => (kind === 'picture' ? tasks : []));
  return new Set(mostFound([...beside, ...probed], mostPictures));
}

/** Returns whether two tasks have pictures that look the same. Yields to other work between pictures. */
async function haveSamePicture(one: ComparedTask, other: ComparedTask): Promise<boolean> {
  for (const print of one.prints) {
    for (const against of other.prints) {
      if (arePrintsAlike(print, against)) return true;
      await setImmediate();
    }
  }
  return false;
}
