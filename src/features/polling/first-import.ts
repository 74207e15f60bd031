import { chunksOf } from '../../domain/group.ts';
import type { AccountRef, CampaignId, ChannelId, TaskId } from '../../domain/terms.ts';
import { cardJobKey } from '../../jobs/catalogue.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import type { PollingContext } from './context.ts';

/** How many of the newest tasks that wait when a channel subscribes get cards; a summary counts the others. */
const firstCards = 20;
/** How often each campaign is tried when none can be read: the marketplace is then probably unreachable. */
const attemptsEach = 3;
/** How often a campaign is tried before the others go on without it. */
const attemptsBeforeOthers = 2;
/** How many records are loaded at once. */
const recordsAtOnce = 200;

/**
 * The first import of a new subscription. Tasks that wait already are imported as backlog, campaign by campaign; once all
 * campaigns were read or tried, the newest tasks get cards. Each step is stored, so that another process can resume it.
 */
export function createFirstImport({
  backlogSummaries,
  campaigns,
  jobs,
  subscriptions,
  tasks,
}: Pick<PollingContext, 'backlogSummaries' | 'campaigns' | 'jobs' | 'subscriptions' | 'tasks'>) {
  /** Decides which campaigns the first import of a new subscription reads. @param wanted those to be read now */
  async function begin(
    ref: AccountRef,
    subscribed: readonly Subscription[],
    wanted: readonly CampaignId[],
  ): Promise<void> {
    for (const subscription of subscribed) {
      if (subscription.started || subscription.reads !== undefined) continue;
      const own = wanted.filter((id) => receives(subscription, subscribed, id));
      await campaigns.requestFirstImport(ref, own);
      await subscriptions.replace(ref.workspace, subscription, { ...subscription, reads: own.length });
    }
  }

  /** Gives cards to the newest waiting tasks, once every campaign was read or tried. */
  async function finish(ref: AccountRef): Promise<void> {
    const subscribed = await subscriptions.ofAccount(ref);
    const starting = subscribed.filter(({ started, reads }) => !started && reads !== undefined);
    if (starting.length === 0) return;
    const failures = [...(await campaigns.firstImports(ref)).values()];
    for (const subscription of starting) {
      const { reads = 0 } = subscription;
      const isAway = reads > 0 && failures.length >= reads;
      const least = isAway ? attemptsEach : attemptsBeforeOthers;
      if (failures.some((attempts) => attempts < least)) continue;
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
      firstCards: subscription.firstCards ?? (await newestWaiting(ref, subscribed, subscription)),
    };
    // Another process has decided it meanwhile and carries on; if it dies there, the next poll does.
    if (!(await subscriptions.replace(ref.workspace, subscription, decided))) return;
    for (const id of decided.firstCards) await tasks.apply(ref, id, { type: 'card-wanted' });
    const payloads = decided.firstCards.map((task) => ({ ...ref, task }));
    await jobs.addAll('post', payloads, cardJobKey);
    await summarizeIfAny(ref, decided.channel);
    const { firstCards: _, reads: __, ...rest } = decided;
    await subscriptions.replace(ref.workspace, decided, { ...rest, started: true });
  }

  /** Returns the newest of the subscription's tasks without a card, the oldest of them first. */
  async function newestWaiting(
    ref: AccountRef,
    subscribed: readonly Subscription[],
    subscription: Subscription,
  ): Promise<TaskId[]> {
    const found: TaskId[] = [];
    const waiting = await tasks.find(ref, 'backlog', { limit: 1_000_000, newest: true });
    for (const ids of chunksOf(waiting, recordsAtOnce)) {
      const own = (await tasks.getMany(ref, ids)).filter(({ campaign }) =>
        receives(subscription, subscribed, campaign),
      );
      found.push(...own.map(({ id }) => id));
      if (found.length >= firstCards) break;
    }
    return found.slice(0, firstCards).reverse();
  }

  async function summarizeIfAny(ref: AccountRef, channel: ChannelId): Promise<void> {
    if ((await tasks.count(ref, 'backlog')) > 0) await queueSummary(ref, channel);
  }

  async function queueSummary(ref: AccountRef, channel: ChannelId): Promise<void> {
    await jobs.add('summarize', { ...ref, channel }, { uniqueKey: `${ref.account} ${channel}` });
  }

  return {
    begin,
    finish,

    /** Counts the tasks of a campaign that was read only after the first import went on without it. */
    async summarizeLateImport(ref: AccountRef, campaign: CampaignId): Promise<void> {
      const subscription = await subscriptions.forCampaign(ref, campaign);
      if (subscription?.started) await summarizeIfAny(ref, subscription.channel);
    },

    /** Updates summaries when the number of tasks without a card has changed. */
    async refreshSummaries(ref: AccountRef, channels: readonly ChannelId[]): Promise<void> {
      const total = await tasks.count(ref, 'backlog');
      for (const channel of channels) {
        const summary = await backlogSummaries.get(ref, channel);
        if ((summary?.total ?? 0) !== total) await queueSummary(ref, channel);
      }
    },
  };
}

/** Whether a campaign's cards go to this subscription's channel: a campaign's own one comes before the account's. */
function receives(one: Subscription, subscribed: readonly Subscription[], campaign: CampaignId): boolean {
  if (one.campaign !== undefined) return one.campaign === campaign;
  return !subscribed.some((other) => other.campaign === campaign);
}
