import type { LikenessKind } from '../../domain/evidence/likeness.ts';
import type { AccountRef, TaskId } from '../../domain/terms.ts';
import type { Modules } from '../modules.ts';

/** Maximum number of connected tasks. */
const mostConnected = 100;
/** Strangers may share these, so they do not connect tasks. */
const loose = new Set<LikenessKind>(['same-network', 'same-browser']);

/** Returns whether a task with this in common with another looks like it, so that it is not rated without a look. */
export function looksAlike(kinds: readonly LikenessKind[]): boolean {
  return kinds.some((kind) => !loose.has(kind) && kind !== 'pace');
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
      if (!connected.includes(other) && kinds.some((kind) => !loose.has(kind))) connected.push(other);
    }
  }
  return connected;
}
