import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { FeatureContext } from '../shared/context.ts';
import type { MineSummary } from './mine.view.ts';

/** Number of the member's tasks named in Home. */
const named = 3;

/** Creates the summary of a member's own tasks: their count, and the first of them. */
export function createMine({
  assignments,
  campaigns,
  deadlines,
  tasks,
}: Pick<FeatureContext, 'assignments' | 'campaigns' | 'deadlines' | 'tasks'>) {
  return {
    async of(ref: AccountRef, member: MemberId): Promise<MineSummary> {
      const { count, tasks: ids } = await assignments.mine(ref, member, { limit: named });
      const found = count === 0 ? [] : await tasks.getMany(ref, ids);
      const [titles, dueTimes] = await Promise.all([
        campaigns.getMany(ref, [...new Set(found.map(({ campaign }) => campaign))]),
        deadlines.dueAt(ref, found),
      ]);
      const first = found.map(({ id, campaign, worker }) => {
        const at = dueTimes.get(id);
        return {
          campaignTitle: titles.get(campaign)?.title.trim() || `Campaign ${campaign}`,
          worker: worker.name ?? worker.id,
          ...(at === undefined ? {} : { dueAt: at }),
        };
      });
      return { account: ref.account, count, first };
    },
  };
}
