import type { FocusFilter, FocusSession } from '../../domain/focus.ts';
import { chunksOf } from '../../domain/group.ts';
import { reviewOrder, urgentHours } from '../../domain/review-order.ts';
import type { AccountRef, MemberId, TaskId } from '../../domain/terms.ts';
import type { FeatureContext } from '../shared/context.ts';
import { looksAtTasks, matches } from './filter.ts';

/** How many tasks a queue has room for; it is filled again before it runs out. */
const maxQueued = 1_000;
/** How many waiting tasks are looked at for a filter, and how many at once. */
const maxLookedAt = 20_000;
const recordsAtOnce = 500;

type Deps = Pick<FeatureContext, 'assignments' | 'now' | 'openTasks' | 'taskLeases' | 'tasks'>;

const hourMs = 3_600_000;

/** Creates the queues of focus reviews: what runs out first, then what has waited longest; own tasks before those of others. */
export function createFocusQueue({ assignments, now, openTasks, taskLeases, tasks }: Deps) {
  /** Returns the waiting tasks of campaigns, in the order of all. */
  async function ofCampaigns(
    ref: AccountRef,
    all: readonly TaskId[],
    campaigns: NonNullable<FocusFilter['campaigns']>,
  ): Promise<TaskId[]> {
    const own = new Set<TaskId>();
    for (const id of await openTasks.ofCampaigns(ref, campaigns)) own.add(id);
    return all.filter((id) => own.has(id));
  }

  /** Returns the waiting tasks in the order in which a member reviews them. */
  async function ordered(ref: AccountRef, member: MemberId, { mine }: FocusFilter): Promise<TaskId[]> {
    const [all, sorted, [urgent = 0]] = await Promise.all([
      openTasks.queue(ref, { limit: maxLookedAt }),
      assignments.sorted(ref, member),
      openTasks.countsUntil(ref, [now() + urgentHours * hourMs]),
    ]);
    return mine ? all.filter((id) => sorted.mine.has(id)) : reviewOrder(all, { ...sorted, urgent });
  }

  async function inOrder(ref: AccountRef, member: MemberId, filter: FocusFilter): Promise<TaskId[]> {
    const all = await ordered(ref, member, filter);
    const ids = filter.campaigns ? await ofCampaigns(ref, all, filter.campaigns) : all;
    if (!looksAtTasks(filter)) return ids;
    const found: TaskId[] = [];
    for (const some of chunksOf(ids, recordsAtOnce))
      for (const task of await tasks.getMany(ref, some))
        if (matches(filter, task, now())) found.push(task.id);
    return found;
  }

  return {
    /** Fills the queue of a review. Returns how many more tasks wait than it has room for. */
    async fill(ref: AccountRef, { id, member, filter, skipped }: FocusSession): Promise<number> {
      const without = new Set(skipped);
      const waiting = (await inOrder(ref, member, filter)).filter((task) => !without.has(task));
      await taskLeases.fill(ref, id, waiting.slice(0, maxQueued));
      return Math.max(0, waiting.length - maxQueued);
    },
  };
}
