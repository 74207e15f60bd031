import type { FocusFilter } from '../../domain/focus.ts';
import { chunksOf } from '../../domain/group.ts';
import { reviewOrder, urgentHours } from '../../domain/review-order.ts';
import type { AccountRef, CampaignId, ChannelId, MemberId, TaskId } from '../../domain/terms.ts';
import type { Modules } from '../modules.ts';
import { looksAtTasks, matches, noFilter } from './task-filter.ts';

/** Maximum number of waiting tasks examined for a filter, and the batch size. */
const maxLookedAt = 20_000;
const recordsAtOnce = 500;
const hourMs = 3_600_000;

/** Creates the search for waiting tasks by filter. */
export function createWaitingTasks({ tasks, clock }: Modules) {
  /** Returns the waiting tasks of campaigns, in the overall order. */
  async function ofCampaigns(
    ref: AccountRef,
    all: readonly TaskId[],
    campaigns: NonNullable<FocusFilter['campaigns']>,
  ): Promise<TaskId[]> {
    const own = new Set<TaskId>();
    for (const id of await tasks.open.ofCampaigns(ref, campaigns)) own.add(id);
    return all.filter((id) => own.has(id));
  }

  /** Returns the waiting tasks in a member's review order. */
  async function ordered(ref: AccountRef, member: MemberId, { mine }: FocusFilter): Promise<TaskId[]> {
    const [waiting, sorted, [urgent = 0]] = await Promise.all([
      tasks.open.queue(ref, maxLookedAt),
      tasks.assignments.sorted(ref, member),
      tasks.open.countsUntil(ref, [clock.now() + urgentHours * hourMs]),
    ]);
    return mine ? waiting.filter((id) => sorted.mine.has(id)) : reviewOrder(waiting, { ...sorted, urgent });
  }

  return {
    /**
     * Returns the waiting tasks that match a filter: earliest deadline first, then longest waiting; the member's own
     * before those of others.
     */
    async inOrder(ref: AccountRef, member: MemberId, filter: FocusFilter): Promise<TaskId[]> {
      const all = await ordered(ref, member, filter);
      const wanted = filter.tasks && new Set(filter.tasks);
      const named = wanted ? all.filter((id) => wanted.has(id)) : all;
      const ids = filter.campaigns ? await ofCampaigns(ref, named, filter.campaigns) : named;
      if (!looksAtTasks(filter)) return ids;
      const found: TaskId[] = [];
      for (const some of chunksOf(ids, recordsAtOnce))
        for (const task of await tasks.getMany(ref, some))
          if (matches(filter, task, clock.now())) found.push(task.id);
      return found;
    },
  };
}

/** Returns the filter of a channel: tasks whose cards go there, and those counted in its digests. */
export async function filterOfChannel(
  { campaigns, channels }: Modules,
  ref: AccountRef,
  channel: ChannelId,
): Promise<FocusFilter> {
  const [listed, ofAccount] = await Promise.all([campaigns.all(ref), channels.digests.ofAccount(ref)]);
  const told = ofAccount.filter((digest) => digest.channel === channel);
  const isTold = (id: CampaignId) => told.some(({ campaign = id }) => campaign === id);
  const own = [];
  for (const { id, tasksNotRated } of listed)
    if (tasksNotRated > 0 && (isTold(id) || (await channels.routing.forCampaign(ref, id)) === channel))
      own.push(id);
  const isAll = own.length === listed.filter(({ tasksNotRated }) => tasksNotRated > 0).length;
  return isAll ? noFilter : { ...noFilter, campaigns: own };
}
