import { DateTime, IANAZone } from 'luxon';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Board, DecisionRow } from './board.view.ts';

/** Maximum number of campaigns on the board. */
const mostCampaigns = 5;

/**
 * Returns an account's board of waiting work for one reader; undefined if the account is not polled, so that nothing is
 * known. It reads counts and the first campaigns, without calling the marketplace, so its cost does not grow with campaigns
 * and tasks.
 */
export async function boardOf(
  { campaigns, channels, clock, marketplace, people, tasks }: Modules,
  ref: AccountRef,
  member: MemberId,
): Promise<Board | undefined> {
  const subscribed = await channels.subscriptions.ofAccount(ref);
  if (subscribed.length === 0) return undefined;
  const listedAt = await campaigns.storedAt(ref);
  if (listedAt === undefined) return undefined;
  const at = clock.now();
  const own = (await people.slack.person(ref.workspace, member, { isFresh: false }))?.zone;
  const zone = own !== undefined && IANAZone.create(own).isValid ? own : 'UTC';
  const endOfToday = DateTime.fromMillis(at, { zone }).endOf('day').toMillis();
  const ids = await tasks.open.campaigns(ref, { limit: mostCampaigns });
  const [waiting, campaignCount, oldest, counts, awaySince, rows, listed] = await Promise.all([
    tasks.open.count(ref),
    tasks.open.campaignCount(ref),
    tasks.lowest(ref, 'open'),
    tasks.open.countsUntil(ref, [at, endOfToday, Number.POSITIVE_INFINITY]),
    marketplace.outages.since(ref),
    tasks.open.waitingIn(ref, ids),
    campaigns.getMany(ref, ids),
  ]);
  const [late = 0, dueToday = 0, dated = 0] = counts;
  return {
    waiting,
    isPartial: subscribed.every(({ campaign }) => campaign !== undefined),
    campaigns: campaignCount,
    // 0 means that the marketplace gave no time.
    oldest: oldest || undefined,
    late,
    dueToday,
    undated: waiting - dated,
    rows: rows.map((row) => ({ ...row, title: listed.get(row.campaign)?.title ?? '' })),
    subscriptions: subscribed.length,
    lastSeen: awaySince === undefined ? undefined : listedAt,
  };
}

/** Returns a member's last decisions and their outcomes; reads only a few records, however many tasks there are. */
export async function lastDecisionsOf(
  { campaigns, people, tasks }: Modules,
  ref: AccountRef,
  member: MemberId,
): Promise<DecisionRow[]> {
  const listed = await people.decisions.latest(ref, member);
  const byId = await tasks.byId(
    ref,
    listed.map(({ task }) => task),
  );
  const titleOf = await campaigns.titlesOf(
    ref,
    [...byId.values()].map(({ campaign }) => campaign),
  );
  return listed.map(({ task: id, ...made }) => {
    const task = byId.get(id);
    return { id, ...made, task, campaignTitle: task ? titleOf(task.campaign) : `Task ${id}` };
  });
}
