import { DateTime, IANAZone } from 'luxon';
import type { Campaign } from '../../domain/campaign.ts';
import { money } from '../../domain/money.ts';
import type { AccountRef, CampaignId, MemberId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Board, BoardRow } from './board.view.ts';

/** Campaigns per page of the board. */
export const campaignsPerPage = 5;

/**
 * Creates the board of waiting work in a polled account. It reads counts and one page of campaigns, without calling the
 * marketplace, so its cost does not grow with campaigns and tasks.
 */
export function createBoard(parts: Modules) {
  const { campaigns, clock, tasks } = parts;

  /** Returns the zone of a reader's days: their own from Slack, else UTC. */
  async function zoneOf({ workspace }: AccountRef, member: MemberId): Promise<Board['zone']> {
    const zone = (await parts.people.slack.person(workspace, member, { isFresh: false }))?.zone;
    return zone !== undefined && IANAZone.create(zone).isValid
      ? { name: zone, isKnown: true }
      : { name: 'UTC', isKnown: false };
  }

  async function rowsOf(ref: AccountRef, ids: readonly CampaignId[], until: number): Promise<BoardRow[]> {
    const [listed, waiting, days] = await Promise.all([
      campaigns.getMany(ref, ids),
      tasks.open.waitingIn(ref, ids),
      tasks.timesToRate.getMany(ref, ids),
    ]);
    const due = await tasks.open.countsIn(ref, days, [until]);
    return waiting.map(({ campaign, ...counts }) => {
      const one = listed.get(campaign);
      const dueToday = due.get(campaign)?.[0];
      return {
        campaign,
        title: one?.title ?? '',
        ...counts,
        ...(dueToday === undefined ? {} : { dueToday }),
        ...(one === undefined
          ? {}
          : { money: money(one.paymentPerTask).times(counts.waiting), progress: progressOf(one) }),
      };
    });
  }

  /** Returns a page of campaigns: earliest deadline first, then running ones without waiting tasks. */
  async function pageOf(ref: AccountRef, wanted: number, busy: number) {
    const { count } = await campaigns.idle(ref, { limit: 0 });
    const pages = Math.max(1, Math.ceil((busy + count) / campaignsPerPage));
    const page = Math.min(Math.max(0, wanted), pages - 1);
    const from = page * campaignsPerPage;
    const first = await tasks.open.campaigns(ref, { from, limit: campaignsPerPage });
    const limit = campaignsPerPage - first.length;
    const { ids } = await campaigns.idle(ref, { from: Math.max(0, from - busy), limit });
    return { page, pages, ids: [...new Set([...first, ...ids])] };
  }

  return {
    /**
     * Returns an account's board for one reader; undefined if the account is not polled, so that nothing is known.
     * @param wanted the page of campaigns, from 0
     */
    async of(ref: AccountRef, member: MemberId, wanted = 0): Promise<Board | undefined> {
      const subscribed = await parts.channels.subscriptions.ofAccount(ref);
      if (subscribed.length === 0) return undefined;
      const listedAt = await campaigns.storedAt(ref);
      if (listedAt === undefined) return undefined;
      const at = clock.now();
      const zone = await zoneOf(ref, member);
      const endOfToday = DateTime.fromMillis(at, { zone: zone.name }).endOf('day').toMillis();
      const [waiting, campaignCount, oldest, counts, payments, outage] = await Promise.all([
        tasks.open.count(ref),
        tasks.open.campaignCount(ref),
        parts.tasks.lowest(ref, 'open'),
        tasks.open.countsUntil(ref, [at, endOfToday, Number.POSITIVE_INFINITY]),
        tasks.open.byPayment(ref),
        parts.marketplace.outages.get(ref),
      ]);
      const [late = 0, dueToday = 0, dated = 0] = counts;
      const isAway = outage !== undefined && outage.recoveredAt === undefined;
      const { ids, page, pages } = await pageOf(ref, wanted, campaignCount);
      return {
        waiting,
        isPartial: subscribed.every(({ campaign }) => campaign !== undefined),
        campaigns: campaignCount,
        // 0 means that the marketplace gave no time.
        ...(oldest ? { oldest } : {}),
        late,
        dueToday,
        undated: waiting - dated,
        money: [...payments]
          .filter(([payment]) => payment !== '')
          .reduce((sum, [payment, count]) => sum.plus(money(payment).times(count)), money(0)),
        unpriced: payments.get('') ?? 0,
        rows: await rowsOf(ref, ids, endOfToday),
        page,
        pages,
        subscriptions: subscribed.length,
        zone,
        ...(isAway ? { lastSeen: listedAt } : {}),
      };
    },
  };
}

/** Returns a campaign's progress: accepted tasks, wanted tasks, and tasks in progress. */
function progressOf({
  availablePositions,
  tasksNotRated,
  tasksNotReviewed,
  tasksOk,
}: Campaign): NonNullable<BoardRow['progress']> {
  return { positions: availablePositions, accepted: tasksOk, submitted: tasksNotRated + tasksNotReviewed };
}
