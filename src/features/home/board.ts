import { DateTime, IANAZone } from 'luxon';
import { money } from '../../domain/money.ts';
import type { AccountRef, CampaignId, MemberId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { pageAt } from '../../slack/blocks.ts';
import type { Board, BoardRow, DecisionRow } from './board.view.ts';

/** Campaigns per page of the board. */
const perPage = 5;

async function rowsOf(
  { campaigns, tasks }: Modules,
  ref: AccountRef,
  ids: readonly CampaignId[],
  until: number,
): Promise<BoardRow[]> {
  const [listed, waiting, days] = await Promise.all([
    campaigns.getMany(ref, ids),
    tasks.open.waitingIn(ref, ids),
    tasks.timesToRate.getMany(ref, ids),
  ]);
  const due = await tasks.open.countsIn(ref, days, [until]);
  return waiting.map((row) => ({
    ...row,
    listed: listed.get(row.campaign),
    dueToday: due.get(row.campaign)?.[0],
  }));
}

/** Returns a page of campaigns: earliest deadline first, then running ones without waiting tasks. */
async function campaignsOn({ campaigns, tasks }: Modules, ref: AccountRef, wanted: number, busy: number) {
  const { count } = await campaigns.idle(ref, { limit: 0 });
  const { page, pages, from } = pageAt(busy + count, wanted, perPage);
  const first = await tasks.open.campaigns(ref, { from, limit: perPage });
  const limit = perPage - first.length;
  const { ids } = await campaigns.idle(ref, { from: Math.max(0, from - busy), limit });
  return { page, pages, ids: [...new Set([...first, ...ids])] };
}

/**
 * Returns an account's board of waiting work for one reader; undefined if the account is not polled, so that nothing is
 * known. It reads counts and one page of campaigns, without calling the marketplace, so its cost does not grow with
 * campaigns and tasks.
 * @param wanted the page of campaigns, from 0
 */
export async function boardOf(
  modules: Modules,
  ref: AccountRef,
  member: MemberId,
  wanted: number,
): Promise<Board | undefined> {
  const { campaigns, channels, clock, marketplace, people, tasks } = modules;
  const subscribed = await channels.subscriptions.ofAccount(ref);
  if (subscribed.length === 0) return undefined;
  const listedAt = await campaigns.storedAt(ref);
  if (listedAt === undefined) return undefined;
  const at = clock.now();
  const own = (await people.slack.person(ref.workspace, member, { isFresh: false }))?.zone;
  const zone = own !== undefined && IANAZone.create(own).isValid ? own : 'UTC';
  const endOfToday = DateTime.fromMillis(at, { zone }).endOf('day').toMillis();
  const [waiting, campaignCount, oldest, counts, payments, awaySince] = await Promise.all([
    tasks.open.count(ref),
    tasks.open.campaignCount(ref),
    tasks.lowest(ref, 'open'),
    tasks.open.countsUntil(ref, [at, endOfToday, Number.POSITIVE_INFINITY]),
    tasks.open.byPayment(ref),
    marketplace.outages.since(ref),
  ]);
  const [late = 0, dueToday = 0, dated = 0] = counts;
  const { ids, page, pages } = await campaignsOn(modules, ref, wanted, campaignCount);
  return {
    waiting,
    isPartial: subscribed.every(({ campaign }) => campaign !== undefined),
    campaigns: campaignCount,
    // 0 means that the marketplace gave no time.
    oldest: oldest || undefined,
    late,
    dueToday,
    undated: waiting - dated,
    money: [...payments]
      .filter(([payment]) => payment !== '')
      .reduce((sum, [payment, count]) => sum.plus(money(payment).times(count)), money(0)),
    unpriced: payments.get('') ?? 0,
    rows: await rowsOf(modules, ref, ids, endOfToday),
    page,
    pages,
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
