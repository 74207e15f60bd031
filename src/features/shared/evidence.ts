import { setImmediate } from 'node:timers/promises';
import { codesNotGiven } from '../../domain/evidence/codes.ts';
import { quickestTwentieth, sharedBy, timeBetween } from '../../domain/evidence/likeness.ts';
import { arePrintsAlike } from '../../domain/evidence/picture-likeness.ts';
import { type ComparedTask, comparedTask, postingsOf, probesOf } from '../../domain/evidence/print.ts';
import { chunksOf } from '../../domain/group.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, TaskId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import type { FoundTasks } from '../../store/evidence-index.ts';
import { mostAtPlace } from '../../store/evidence-index-script.ts';
import { askedOfTask } from './brief.ts';
import type { FeatureContext } from './context.ts';

/** So many tasks are compared with a new one: those that it shares most places with. */
export const mostCompared = 60;
/** So many of them are compared by their pictures: those that have most places for pictures in common with it. */
const mostPictures = 12;
/** So many of them are read at once: meanwhile the process does nothing else. */
const readAtOnce = 4;
/** A browser is rare when at most this share of all tasks comes from it. */
const rareShare = 0.02;

type Deps = Pick<FeatureContext, 'briefs' | 'evidence' | 'faults' | 'jobs' | 'logger' | 'tasks'>;

/** Creates what compares a task with all others of its account, and tells the cards what was found. */
export function createEvidenceSearch({ briefs, evidence, faults, jobs, logger, tasks }: Deps) {
  /** Tells a task's card that there is something else to show. Returns the task as it is then. */
  async function tell(ref: AccountRef, id: TaskId): Promise<Task | undefined> {
    const { kind, task } = await tasks.apply(ref, id, { type: 'evidence-found' });
    const isShown = kind === 'done' && task?.card.state === 'posted';
    if (isShown && (await tasks.needsRender(ref, id))) await jobs.add('redraw', { ...ref, task: id });
    await evidence.told(ref, id);
    return task;
  }

  /** Takes what was submitted before out of the index, and what it had in common with others. */
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

  /**
   * Compares a task with all others, in one look at the index, and stores what they have in common. May run twice, and in
   * several processes at once. Returns the task as it is then.
   */
  async function search(ref: AccountRef, task: Task): Promise<Task> {
    await leaveEarlierRound(ref, task);
    const asked = await askedOfTask({ briefs }, ref, task);
    const printed = comparedTask(task);
    const postings = postingsOf(printed);
    const indexed = await evidence.index.put(ref, task.id, postings, probesOf(printed));
    const { known, found } = indexed;
    const instructions = asked === undefined ? '' : [asked.work, ...asked.proofs].join('\n');
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
    // The task itself may take one of the places. Of few tasks, many have one of the usual browsers.
    const mostOf = (kind: string) => (kind === 'browser' ? known * rareShare : mostAtPlace - 2);
    const isCommon = (kind: string) =>
      found.some(
        (place) => place.kind === kind && place.tasks.length > Math.min(mostOf(kind), mostAtPlace - 2),
      );
    const told = new Set<TaskId>();
    const others: Task[] = [];
    for (const some of chunksOf([...ids], readAtOnce)) {
      for (const other of await tasks.getMany(ref, some)) {
        // Whoever clicks meanwhile is answered between two comparisons.
        await setImmediate();
        others.push(other);
        if (other.detailsRemovedAt !== undefined) continue;
        const against = comparedTask(other);
        const hasSamePicture = candidates.has(other.id) && (await haveSamePicture(compared, against));
        const shared = sharedBy(compared, against, { isCommon, quickest, hasSamePicture });
        if (shared === undefined) continue;
        for (const id of await evidence.link(ref, task, other, shared)) told.add(id);
      }
    }
    await faults('evidence stored, cards not told');
    for (const id of await evidence.untold(ref)) told.add(id);
    let current = task;
    for (const id of told) {
      const after = await tell(ref, id);
      if (after && id === task.id) current = after;
    }
    await evidence.pending.compared(ref, task, timeAfterAnother(task, others));
    return current;
  }

  return {
    search,

    /** Does the same for a card that waits for it: one that cannot be compared now is shown as it is, and compared later. */
    async searchForCard(ref: AccountRef, task: Task): Promise<Task> {
      if (task.detailsRemovedAt !== undefined) return task;
      try {
        if (!(await evidence.pending.has(ref, task.id))) return task;
        return await search(ref, task);
      } catch (error) {
        logger.warn({ task: task.id, reason: messageOf(error) }, 'task not compared with others');
        return task;
      }
    },
  };
}

/** Returns how long after another task of its worker a task came (ms), or before it. */
function timeAfterAnother(task: Task, others: readonly Task[]): number | undefined {
  const times = others.flatMap((other) =>
    other.worker.id === task.worker.id ? (timeBetween(task, other) ?? []) : [],
  );
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Returns the tasks that are found most often, at most so many. */
export function mostFound(found: readonly TaskId[], most: number): TaskId[] {
  const times = new Map<TaskId, number>();
  for (const id of found) times.set(id, (times.get(id) ?? 0) + 1);
  return [...times]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([id]) => id);
}

/** Returns the tasks whose pictures may look the same. */
export function pictureCandidates({ found, probed }: FoundTasks): Set<TaskId> {
  const beside = found.flatMap(({ kind, tasks }) => (kind === 'picture' ? tasks : []));
  return new Set(mostFound([...beside, ...probed], mostPictures));
}

/** Returns whether two tasks have pictures that look the same. Other work goes on between two pictures. */
export async function haveSamePicture(one: ComparedTask, other: ComparedTask): Promise<boolean> {
  for (const print of one.prints) {
    for (const against of other.prints) {
      if (arePrintsAlike(print, against)) return true;
      await setImmediate();
    }
  }
  return false;
}
