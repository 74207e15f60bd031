import { deadlineOf } from '../../domain/deadline.ts';
import type { FocusFilter, FocusSession } from '../../domain/focus.ts';
import { chunksOf } from '../../domain/group.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, TaskId } from '../../domain/terms.ts';
import type { FeatureContext } from '../shared/context.ts';
import { looksAtTasks, matches } from './filter.ts';

/** How many tasks a queue has room for; it is filled again before it runs out. */
const maxQueued = 1_000;
/** How many waiting tasks are looked at for a filter, and how many at once. */
const maxLookedAt = 20_000;
const recordsAtOnce = 500;

type Deps = Pick<FeatureContext, 'now' | 'taskLeases' | 'tasks' | 'timesToRate'>;

/** Creates the queues of focus reviews: what runs out first, then what has waited longest. */
export function createFocusQueue({ now, taskLeases, tasks, timesToRate }: Deps) {
  /** Returns the tasks to be decided that a filter asks for, the oldest first, without looking at each of them. */
  async function byCampaign(ref: AccountRef, filter: FocusFilter): Promise<TaskId[]> {
    if (filter.campaigns === undefined) return tasks.find(ref, 'open', { limit: maxLookedAt });
    const known: TaskId[] = [];
    for (const campaign of filter.campaigns) {
      for (const [id, rating] of await tasks.knownRatings(ref, campaign))
        if (rating === 'NOTRATED') known.push(id);
    }
    const since = await tasks.submittedAt(ref, known);
    return known.filter((id) => since.has(id)).sort((a, b) => (since.get(a) ?? 0) - (since.get(b) ?? 0));
  }

  async function records(ref: AccountRef, ids: readonly TaskId[]): Promise<Task[]> {
    const found: Task[] = [];
    for (const some of chunksOf(ids, recordsAtOnce)) found.push(...(await tasks.getMany(ref, some)));
    return found;
  }

  async function inOrder(ref: AccountRef, filter: FocusFilter): Promise<TaskId[]> {
    const ids = await byCampaign(ref, filter);
    const days = await timesToRate.all(ref);
    if (days.size === 0 && !looksAtTasks(filter)) return ids;
    const found = (await records(ref, ids)).filter((task) => matches(filter, task, now()));
    const runsOut = ({ proof, campaign }: Task) =>
      deadlineOf(proof.finishedAt, days.get(campaign)) ?? Number.POSITIVE_INFINITY;
    // Stable: the oldest of those of which it is not known when they run out.
    const earlier = (a: number, b: number) => (a === b ? 0 : a - b);
    return found.sort((a, b) => earlier(runsOut(a), runsOut(b))).map(({ id }) => id);
  }

  return {
    /** Fills the queue of a review. Returns how many more tasks wait than it has room for. */
    async fill(ref: AccountRef, { id, filter, skipped }: FocusSession): Promise<number> {
      const without = new Set(skipped);
      const waiting = (await inOrder(ref, filter)).filter((task) => !without.has(task));
      await taskLeases.fill(ref, id, waiting.slice(0, maxQueued));
      return Math.max(0, waiting.length - maxQueued);
    },
  };
}
