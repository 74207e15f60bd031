import { type Campaign, campaignOf, countsOf, isActive, ratingPause } from '../../domain/campaign.ts';
import type { Faults } from '../../domain/fault-points.ts';
import type { AccountRef, CampaignId, TaskId } from '../../domain/terms.ts';
import { clockSkewMs, type SeenRow } from '../../domain/transition.ts';
import { NotConnected } from '../../errors.ts';
import { cardName, type Payload } from '../../jobs/catalogue.ts';
import type { Jobs } from '../../jobs/queue.ts';
import { type JobContext, Later } from '../../jobs/worker.ts';
import type { Logger } from '../../logger.ts';
import { type MarketplaceClient, MarketplaceError, TransportError } from '../../marketplace/index.ts';
import { sentenceFor } from '../../marketplace/sentences.ts';
import type { Messenger } from '../../slack/messenger.ts';
import type { Campaigns } from '../../store/campaigns.ts';
import type { Locks } from '../../store/locks.ts';
import type { Notices } from '../../store/notices.ts';
import type { Pace } from '../../store/pace.ts';
import type { Patience } from '../../store/patience.ts';
import type { Subscription, Subscriptions } from '../../store/subscriptions.ts';
import type { Tasks } from '../../store/tasks.ts';
import type { Troubles } from '../../store/trouble.ts';
import type { Workers } from '../../store/workers.ts';
import { cannotLook, looksAgain, noAnswer, noKey } from './detect.view.ts';
import type { Inbox } from './inbox-news.ts';
import { type News, readCampaign } from './read.ts';
import { recallCards, type ShownCard } from './recall.ts';

export interface DetectDeps {
  readonly tasks: Tasks;
  readonly campaigns: Campaigns;
  readonly subscriptions: Subscriptions;
  readonly troubles: Troubles;
  readonly locks: Locks;
  readonly pace: Pace;
  readonly inbox: Inbox;
  readonly notices: Notices;
  readonly workers: Workers;
  readonly jobs: Jobs;
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  readonly messengerOf: (workspace: string) => Messenger;
  readonly patience: Patience;
  readonly faults: Faults;
  readonly logger: Logger;
  readonly now: () => number;
  /** Every active campaign is read in full once in this time (ms), whatever its counts say. */
  readonly sweepMs: number;
}

/** Of what waits already at a subscription's first look, so many of the newest get cards; the rest is summed up. */
const firstCards = 20;
/** Results smaller than this do not count against the budget of bytes. */
const smallCsv = 256_000;
/** Looks that must fail in a row before people are told that the marketplace cannot be reached. */
const failedLooks = 3;

/** Finds what is new: one list of campaigns and one of messages per look, results only where something changed. */
export function createDetect(deps: DetectDeps) {
  const { tasks, campaigns, subscriptions, jobs, now } = deps;

  async function look(ref: AccountRef): Promise<void> {
    const subscribed = await subscriptions.ofAccount(ref);
    if (subscribed.length === 0) return stopLooking(ref);
    const marketplace = await deps.marketplaceOf(ref);
    const [listed, messages] = await Promise.all([
      marketplace.listCampaignsExtended(),
      marketplace.listMessages({ folder: 'INBOX' }),
    ]);
    const seen = listed.map(campaignOf);
    await campaigns.keep(ref, seen);
    await releaseKept(ref, seen);
    const channels = [...new Set(subscribed.map(({ channel }) => channel))];
    const messenger = deps.messengerOf(ref.workspace);
    const shown = await recallCards({ ...deps, messenger }, ref, channels, await campaigns.lookedAt(ref));
    await startNew(ref, marketplace, subscribed, seen, shown);
    await readChanged(ref, marketplace, subscribed, seen, shown);
    await deps.inbox.take(ref, messages);
    await refreshSummaries(ref, channels);
    await campaigns.noteLooked(ref, now());
  }

  /** Decisions kept for a campaign that takes ratings again are sent now. */
  async function releaseKept(ref: AccountRef, seen: readonly Campaign[]): Promise<void> {
    const pending = await tasks.getMany(ref, await tasks.find(ref, 'due'));
    const kept = new Set(
      pending.flatMap(({ campaign, decision }) =>
        decision?.problem?.waitsFor === 'campaign' ? [campaign] : [],
      ),
    );
    for (const { id, status } of seen) {
      if (kept.has(id) && ratingPause(status) === undefined)
        await jobs.add('release', { ...ref, campaign: id });
    }
  }

  /** A channel's summary of tasks without a card is drawn again when their number has changed. */
  async function refreshSummaries(ref: AccountRef, channels: readonly string[]): Promise<void> {
    const told = await Promise.all(channels.map((channel) => deps.notices.get(ref, channel)));
    const sum = told.reduce((total, notice) => total + (notice?.count ?? 0), 0);
    if (sum === 0 || sum === (await tasks.count(ref, 'backlog'))) return;
    for (const notice of told) if (notice) await jobs.add('summarize', { ...ref, channel: notice.channel });
  }

  /** Work that a lost job left undone is asked for again. */
  async function mend(ref: AccountRef): Promise<void> {
    const before = now() - deps.patience.mendMs;
    const stale = await tasks.getMany(ref, await tasks.find(ref, 'stale', { until: before }));
    const givenUp = new Set((await jobs.givenUp(ref)).map(({ payload }) => payload.task ?? payload.message));
    const payloads = (wanted: boolean) =>
      stale
        .filter(({ id, card }) => !givenUp.has(id) && (card.state === 'wanted') === wanted)
        .map(({ id }) => ({ workspace: ref.workspace, account: ref.account, task: id }));
    await jobs.addAll('post', payloads(true), cardName);
    await jobs.addAll('redraw', payloads(false), cardName);
    await deps.inbox.mend(ref, before, givenUp);
    const due = await tasks.lowest(ref, 'due');
    if (due !== undefined && due < now() - 2_000)
      await jobs.add('send', ref, { once: `${ref.account} mend` });
  }

  /** The first look of new subscriptions: the newest of what waits get cards, the rest waits to be asked for. */
  async function startNew(
    ref: AccountRef,
    marketplace: MarketplaceClient,
    subscribed: readonly Subscription[],
    seen: readonly Campaign[],
    shown: ReadonlyMap<TaskId, ShownCard>,
  ): Promise<void> {
    for (const subscription of subscribed.filter(({ started }) => !started)) {
      const campaign = subscription.campaign;
      const scope = seen.filter(({ id, tasksNotRated }) => (campaign ? id === campaign : tasksNotRated > 0));
      const news: News[] = [];
      for (const { id } of scope) news.push(await readCampaign(deps, marketplace, ref, id));
      const newest = news
        .flatMap(({ rows }) => rows)
        .filter(({ id, rating }) => rating === 'NOTRATED' && !shown.has(id))
        .sort((a, b) => (b.proof.finishedAt ?? 0) - (a.proof.finishedAt ?? 0))
        .slice(0, firstCards);
      const carded = new Set(newest.map(({ id }) => id));
      const want = (id: TaskId) => shown.get(id) ?? (carded.has(id) ? 'card' : 'backlog');
      for (const each of news) await takeIn(ref, each, want);
      await subscriptions.markStarted(ref.workspace, subscription);
      if ((await tasks.count(ref, 'backlog')) > 0) {
        await jobs.add('summarize', { ...ref, channel: subscription.channel });
      }
    }
  }

  /** Reads those campaigns in full whose counts are not those of the last read. */
  async function readChanged(
    ref: AccountRef,
    marketplace: MarketplaceClient,
    subscribed: readonly Subscription[],
    seen: readonly Campaign[],
    shown: ReadonlyMap<TaskId, ShownCard>,
  ): Promise<void> {
    const reads = await campaigns.lastReads(ref);
    const touched = await campaigns.touched(ref);
    for (const campaign of seen) {
      const last = reads.get(campaign.id);
      // What was never read and has nothing to be rated has nothing to show.
      const changed = last
        ? last.counts !== countsOf(campaign) || (touched.get(campaign.id) ?? 0) > last.at - clockSkewMs
        : campaign.tasksNotRated > 0;
      if (!changed || !isWanted(subscribed, campaign.id)) continue;
      if (shown.size === 0) await askToRead(ref, campaign.id);
      else {
        const news = await readCampaign(deps, marketplace, ref, campaign.id);
        await takeIn(ref, news, (id) => shown.get(id) ?? 'card');
      }
    }
  }

  async function askToRead(ref: AccountRef, campaign: CampaignId): Promise<void> {
    await jobs.add('read', { ...ref, campaign }, { once: `${ref.account} ${campaign}` });
  }

  /** Applies what a read found, and asks for the cards that come of it. */
  async function takeIn(ref: AccountRef, news: News, want: (id: TaskId) => SeenRow['want']): Promise<void> {
    let complete = true;
    for (const row of news.rows) {
      const outcome = await tasks.apply(ref, row.id, { type: 'seen', ...row, want: want(row.id) });
      if (outcome.kind === 'stale') complete = false;
      if (outcome.task === undefined)
        await tasks.noteRatings(ref, news.campaign, new Map([[row.id, row.rating]]), news.known);
      await deps.faults('task kept, card not asked for');
      if (outcome.kind !== 'done') continue;
      const payload = { ...ref, task: row.id };
      if (outcome.task.card.state === 'wanted') await jobs.add('post', payload, { once: cardName(payload) });
      if (outcome.task.card.state === 'posted') await jobs.add('redraw', payload);
    }
    await deps.faults('news kept, read not noted');
    await news.done(complete);
  }

  async function read(ref: AccountRef, campaign: CampaignId, { note }: JobContext): Promise<void> {
    const last = (await campaigns.lastReads(ref)).get(campaign);
    if (note === undefined && last && last.bytes > smallCsv) {
      const wait = await deps.pace.csv(ref, last.bytes);
      if (wait > 0) throw new Later(wait, now() + wait);
    }
    const news = await readCampaign(deps, await deps.marketplaceOf(ref), ref, campaign);
    await deps.faults('results read, nothing kept');
    await takeIn(ref, news, () => 'card');
  }

  /** Counts can cancel out: what was not read for a while is read in full. */
  async function sweep(ref: AccountRef): Promise<void> {
    const subscribed = await subscriptions.ofAccount(ref);
    const reads = await campaigns.lastReads(ref);
    for (const campaign of await campaigns.all(ref)) {
      const last = reads.get(campaign.id);
      const due = last !== undefined && last.at < now() - deps.sweepMs * 0.9;
      if (due && isActive(campaign) && isWanted(subscribed, campaign.id)) await askToRead(ref, campaign.id);
    }
  }

  async function stopLooking(ref: AccountRef): Promise<void> {
    await jobs.stopRepeating('look', repeatId(ref));
    await jobs.stopRepeating('sweep', repeatId(ref));
    await subscriptions.stopLooking(ref);
  }

  /** Looks fail for everyone alike: who subscribed is told once, and once more when it works again. */
  async function told(ref: AccountRef, run: () => Promise<void>): Promise<void> {
    const name = `look ${ref.account}`;
    try {
      await run();
    } catch (error) {
      const { code, why, tellAfter } = explained(error);
      deps.logger.warn({ err: error, account: ref.account }, 'a look failed');
      if (await deps.troubles.note(ref.workspace, name, code, tellAfter)) await say(ref, cannotLook(why));
      return;
    }
    const trouble = await deps.troubles.clear(ref.workspace, name);
    if (trouble?.told) await say(ref, looksAgain(trouble.since));
    if (trouble) await jobs.add('release', ref);
  }

  async function say(ref: AccountRef, message: ReturnType<typeof cannotLook>): Promise<void> {
    const subscription = await subscriptions.forInbox(ref);
    if (subscription === undefined) return;
    try {
      await deps.messengerOf(ref.workspace).post(subscription.channel, message);
    } catch (error) {
      deps.logger.warn({ err: error, channel: subscription.channel }, 'a notice could not be posted');
    }
  }

  return {
    jobs: {
      async look(ref: Payload<'look'>): Promise<void> {
        const lock = await deps.locks.take(ref, 'look', deps.patience.lockMs);
        if (lock === undefined) return;
        try {
          await mend(ref);
          await told(ref, () => look(ref));
        } finally {
          await lock.release();
        }
      },
      async read({ campaign, ...ref }: Payload<'read'>, context: JobContext): Promise<void> {
        await read(ref, campaign, context).catch((error: unknown) => {
          // The next look asks for it again.
          explained(error);
          deps.logger.warn({ err: error, campaign }, 'a campaign could not be read');
        });
      },
      sweep: (ref: Payload<'sweep'>): Promise<void> => sweep(ref),
    },

    /** Begins to look at an account every so often; asking again changes the pace only. */
    async startLooking(ref: AccountRef, pollSeconds: number): Promise<void> {
      await jobs.repeat('look', repeatId(ref), pollSeconds * 1_000, ref);
      await jobs.repeat('sweep', repeatId(ref), deps.sweepMs, ref);
    },
  };
}

/** What a failed look is told as, and after how many of them. Throws what is a fault of ours. */
function explained(error: unknown): { code: string; why: string; tellAfter: number } {
  if (error instanceof NotConnected) return { code: 'NO_KEY', why: noKey, tellAfter: 1 };
  if (error instanceof TransportError) return { code: 'UNREACHABLE', why: noAnswer, tellAfter: failedLooks };
  if (!(error instanceof MarketplaceError)) throw error;
  const tellAfter = error.isAuthentication ? 1 : failedLooks;
  return { code: error.code, why: sentenceFor(error), tellAfter };
}

function repeatId({ workspace, account }: AccountRef): string {
  return `${workspace} ${account}`;
}

function isWanted(subscribed: readonly Subscription[], campaign: CampaignId): boolean {
  return subscribed.some(
    (subscription) => subscription.campaign === undefined || subscription.campaign === campaign,
  );
}
