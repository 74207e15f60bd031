import { chunksOf } from '../../domain/group.ts';
import type { AccountRef, CampaignId, ChannelId, TaskId } from '../../domain/terms.ts';
import { cardJobKey } from '../../jobs/catalogue.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import type { DetectDeps } from './deps.ts';

/** Of what waits already at a subscription's first look, so many of the newest get cards; the rest is summed up. */
const firstCards = 20;
/** When not one campaign can be read, the marketplace is most likely away: so often each is tried before going on. */
const firstTries = 3;
/** So many records are looked at together. */
const portion = 200;

/**
 * The first look of new subscriptions. What waits already is taken in as backlog, campaign by campaign; when all of
 * them were tried, the newest get cards. Each step is kept: whoever finishes it goes on where another has stopped.
 */
export function createFirstLook(deps: DetectDeps) {
  const { tasks, campaigns, subscriptions, jobs } = deps;

  /** Decides which campaigns a new subscription's first look reads. @param unread those that are to be read now */
  async function begin(
    ref: AccountRef,
    subscribed: readonly Subscription[],
    unread: readonly CampaignId[],
  ): Promise<void> {
    for (const subscription of subscribed) {
      if (subscription.started || subscription.reads !== undefined) continue;
      const own = unread.filter((id) => isOf(subscription, subscribed, id));
      await campaigns.requestFirstImport(ref, own);
      await subscriptions.replace(ref.workspace, subscription, { ...subscription, reads: own.length });
    }
  }

  /** Gives cards to the newest of what waits, once every campaign was read or tried. */
  async function finish(ref: AccountRef): Promise<void> {
    const subscribed = await subscriptions.ofAccount(ref);
    const starting = subscribed.filter(({ started, reads }) => !started && reads !== undefined);
    if (starting.length === 0) return;
    const failures = [...(await campaigns.firstImports(ref)).values()];
    if (failures.includes(0)) return;
    for (const subscription of starting) {
      const { reads = 0 } = subscription;
      const isAway = reads > 0 && failures.length >= reads;
      if (isAway && failures.some((times) => times < firstTries)) continue;
      await start(ref, subscribed, subscription);
    }
  }

  async function start(
    ref: AccountRef,
    subscribed: readonly Subscription[],
    subscription: Subscription,
  ): Promise<void> {
    const decided = {
      ...subscription,
      firstCards: subscription.firstCards ?? (await newest(ref, subscribed, subscription)),
    };
    // Another process has decided it meanwhile and goes on with it; should it end there, the next look does.
    if (!(await subscriptions.replace(ref.workspace, subscription, decided))) return;
    for (const id of decided.firstCards) await tasks.apply(ref, id, { type: 'card-wanted' });
    const payloads = decided.firstCards.map((task) => ({ ...ref, task }));
    await jobs.addAll('post', payloads, cardJobKey);
    await summarize(ref, decided.channel);
    const { firstCards: _, reads: __, ...rest } = decided;
    await subscriptions.replace(ref.workspace, decided, { ...rest, started: true });
  }

  /** Those of the subscription's tasks that wait without a card, the newest ones, the oldest of them first. */
  async function newest(
    ref: AccountRef,
    subscribed: readonly Subscription[],
    subscription: Subscription,
  ): Promise<TaskId[]> {
    const found: TaskId[] = [];
    const waiting = await tasks.find(ref, 'backlog', { limit: 1_000_000, newest: true });
    for (const ids of chunksOf(waiting, portion)) {
      const own = (await tasks.getMany(ref, ids)).filter(({ campaign }) =>
        isOf(subscription, subscribed, campaign),
      );
      found.push(...own.map(({ id }) => id));
      if (found.length >= firstCards) break;
    }
    return found.slice(0, firstCards).reverse();
  }

  /** The channel is told how many tasks wait without a card, when there are any. */
  async function summarize(ref: AccountRef, channel: ChannelId): Promise<void> {
    if ((await tasks.count(ref, 'backlog')) > 0) await askForSummary(ref, channel);
  }

  async function askForSummary(ref: AccountRef, channel: ChannelId): Promise<void> {
    await jobs.add('summarize', { ...ref, channel }, { once: `${ref.account} ${channel}` });
  }

  return {
    begin,
    finish,

    /** What a campaign's first read has found is not told yet when the first look went on without it. */
    async lateRead(ref: AccountRef, campaign: CampaignId): Promise<void> {
      const subscription = await subscriptions.forCampaign(ref, campaign);
      if (subscription?.started) await summarize(ref, subscription.channel);
    },

    /** Summaries are drawn again when the number of tasks without a card has changed. */
    async refreshSummaries(ref: AccountRef, channels: readonly ChannelId[]): Promise<void> {
      const total = await tasks.count(ref, 'backlog');
      for (const channel of channels) {
        const summary = await deps.backlogSummaries.get(ref, channel);
        if ((summary?.total ?? 0) !== total) await askForSummary(ref, channel);
      }
    },
  };
}

/** Whether a campaign's cards go where this subscription says: its own one comes before the account's. */
function isOf(one: Subscription, subscribed: readonly Subscription[], campaign: CampaignId): boolean {
  if (one.campaign !== undefined) return one.campaign === campaign;
  return !subscribed.some((other) => other.campaign === campaign);
}
