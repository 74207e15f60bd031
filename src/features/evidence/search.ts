import { setImmediate } from 'node:timers/promises';
import { chunksOf } from '../../domain/collections.ts';
import { comparedTask, type LikenessKind, postingsOf, sharedBy } from '../../domain/evidence/likeness.ts';
import { codesNotGiven } from '../../domain/evidence/texts.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, TaskId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import { askedOfTask } from '../../kit/brief.ts';
import type { Modules } from '../../kit/modules.ts';
import { mostAtPlace } from '../../store/evidence.ts';

/** Maximum number of tasks compared with a new one: those with the most index entries in common. */
const mostCompared = 30;
const readAtOnce = 12;

/** Creates the evidence search: compares a task with all others of its account, and updates the affected cards. */
export function createEvidenceSearch(modules: Modules) {
  const { campaigns, slack, log, tasks } = modules;
  /** Marks a task's card for an update. Returns the current task. */
  async function tell(ref: AccountRef, id: TaskId): Promise<Task | undefined> {
    const { task } = await tasks.apply(ref, id, { type: 'evidence-found' });
    if (task?.card.state === 'posted') await slack.cards.changed(ref, [task]);
    await campaigns.evidence.told(ref, id);
    return task;
  }

  /** Removes the previous submission from the index, with what it had in common with others. */
  async function leaveEarlierRound(ref: AccountRef, task: Task): Promise<void> {
    const { before, proof } = task;
    if (before === undefined || task.hasEvidence) return;
    const earlier = comparedTask({ ...task, proof: { ...proof, slots: before.slots } });
    await campaigns.evidence.index.leave(ref, task.id, postingsOf(earlier));
    await campaigns.evidence.unlink(ref, task.id);
  }

  /**
   * Compares a task with all others, and stores what they have in common. Other work runs between two comparisons.
   * @param instructions of its campaign: a code in them identifies nobody
   */
  async function compare(ref: AccountRef, task: Task, instructions: string): Promise<void> {
    await leaveEarlierRound(ref, task);
    const printed = comparedTask(task);
    const found = await campaigns.evidence.index.put(ref, task.id, postingsOf(printed));
    const compared = { ...printed, codes: codesNotGiven(printed.codes, instructions) };
    const ids = mostFound(found.flatMap((place) => place.tasks));
    const isCommon = (kind: string) =>
      found.some((place) => place.kind === kind && place.tasks.length >= mostAtPlace);
    for (const some of chunksOf(ids, readAtOnce)) {
      for (const other of await tasks.getMany(ref, some)) {
        await setImmediate();
        const shared = sharedBy(compared, comparedTask(other), isCommon);
        if (shared !== undefined) await campaigns.evidence.link(ref, task, other, shared);
      }
    }
  }

  async function search(ref: AccountRef, task: Task): Promise<Task> {
    const asked = await askedOfTask(modules, ref, task);
    const instructions = asked === undefined ? '' : [asked.work, ...asked.proofs].join('\n');
    await compare(ref, task, instructions);
    let current = task;
    for (const id of await campaigns.evidence.untold(ref)) {
      const after = await tell(ref, id);
      if (after && id === task.id) current = after;
    }
    await campaigns.evidence.pending.compared(ref, task);
    return current;
  }

  return {
    search,

    /**
     * Does the same for a card that waits for it: if the comparison fails, the card is shown without it, and compared
     * later.
     */
    async searchForCard(ref: AccountRef, task: Task): Promise<Task> {
      try {
        if (!(await campaigns.evidence.pending.has(ref, task.id))) return task;
        return await search(ref, task);
      } catch (error) {
        log.warn({ task: task.id, reason: messageOf(error) }, 'task not compared with others');
        return task;
      }
    },
  };
}

/** Returns the tasks to compare, those found at the most places first. */
export function mostFound(found: readonly TaskId[]): TaskId[] {
  const times = new Map<TaskId, number>();
  for (const id of found) times.set(id, (times.get(id) ?? 0) + 1);
  return [...times]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, mostCompared)
    .map(([id]) => id);
}

const mostConnected = 100;
/** Returns whether a task with this in common with another looks like it: strangers may share a network. */
export function looksAlike(kinds: readonly LikenessKind[]): boolean {
  return kinds.some((kind) => kind !== 'same-network');
}

/** Returns a task and all tasks connected with it by evidence, also transitively, nearest first. */
export async function connectedTasks(
  { campaigns }: Modules,
  ref: AccountRef,
  task: TaskId,
): Promise<TaskId[]> {
  const connected = [task];
  for (let at = 0; at < connected.length; at += 1) {
    const id = connected[at];
    if (id === undefined) break;
    for (const { task: other, kinds } of await campaigns.evidence.on(ref, { id, hasEvidence: true })) {
      if (connected.length >= mostConnected) return connected;
      if (!connected.includes(other) && looksAlike(kinds)) connected.push(other);
    }
  }
  return connected;
}
