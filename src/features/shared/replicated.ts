import { isOpen, isPending, type Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { Reschedule } from '../../jobs/runner.ts';
import type { FeatureContext } from './context.ts';

type Parts = Pick<FeatureContext, 'now' | 'replication' | 'tasks'>;

/** Minimum and maximum wait between checks whether the replicas have a decision (ms). */
const shortestWaitMs = 500;
const longestWaitMs = 10_000;

/** Returns whether the decisions that these records hold would survive the loss of Redis's primary. */
export async function areReplicated(
  { replication, tasks }: Pick<Parts, 'replication' | 'tasks'>,
  ref: AccountRef,
  known: readonly Task[],
): Promise<boolean> {
  if (!replication.isRequired || known.length === 0) return true;
  return replication.confirm(async () => {
    const ids = known.map(({ id }) => id);
    const stored = new Map((await tasks.getMany(ref, ids)).map((task) => [task.id, task]));
    return known.every((task) => isSame(task, stored.get(task.id)));
  });
}

/** After a failover, data read from the lost primary may no longer be stored. */
function isSame(known: Task, stored: Task | undefined): boolean {
  return (
    stored !== undefined &&
    stored.revision >= known.revision &&
    stored.decision?.id === known.decision?.id &&
    (stored.decision?.attempts ?? 0) >= (known.decision?.attempts ?? 0) &&
    stored.undone?.at(-1) === known.undone?.at(-1)
  );
}

/**
 * Returns a task that its card may show. Throws {@link Reschedule} while a decision or its undo is stored on one server
 * only: what a card shows as accepted must not be lost with that server.
 */
export async function getIfReplicated(
  parts: Parts,
  ref: AccountRef,
  id: Task['id'],
): Promise<Task | undefined> {
  const task = await parts.tasks.get(ref, id);
  if (task === undefined || !parts.replication.isRequired) return task;
  const isRisky = isPending(task) || (isOpen(task) && task.undone !== undefined);
  if (!isRisky || (await areReplicated(parts, ref, [task]))) return task;
  const age = parts.now() - (task.decision?.at ?? 0);
  throw new Reschedule(Math.min(Math.max(shortestWaitMs, age / 4), longestWaitMs));
}
