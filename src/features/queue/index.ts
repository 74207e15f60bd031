import {
  type QueueContent,
  type QueueMessage,
  type QueueMessageId,
  type QueuePlace,
  queueMessageId,
} from '../../domain/queue-message.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, CampaignId, ChannelId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { LiveMessageKind } from '../../kit/live-message.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Feature } from '../../slack/feature.ts';
import { messageTag } from '../../slack/message-tags.ts';
import { openCardsLimit } from '../channels/public.ts';
import { queueMessage, queueOfBlocks } from './queue.view.ts';
import { isShared, type QueueAt, shareQueues } from './share.ts';

/**
 * Creates the queue of open tasks per channel: a limited number have cards, and the rest is counted in one live message
 * per campaign.
 */
export function createQueue(context: Modules & { readonly queuePaceMs: number }) {
  const { jobs, slack, queuePaceMs } = context;
  const window = createWindow(context);
  const messages = createQueueMessages({ ...context, window });

  /** Merges all changes in the meantime into one count. */
  const countLater = (ref: AccountRef) =>
    jobs.add('count-queues', ref, { delayMs: queuePaceMs, uniqueKey: ref.account });

  const feature: Feature = {
    /** Posts a deleted message again while tasks wait that only it counts. */
    async messageDeleted({ workspace, channel, ts, blocks }) {
      const shown = queueOfBlocks(blocks);
      if (shown === undefined) return;
      const ref = { workspace, account: shown.account };
      const place = { channel, campaign: shown.campaign };
      const gone = { type: 'card-gone', messageRef: { channel, ts } } as const;
      await slack.queueMessages.apply(ref, queueMessageId(place), gone);
    },
  };

  return {
    feature,
    message: messages.kind,
    jobs: {
      async 'fill-windows'(ref: Payload<'fill-windows'>): Promise<void> {
        await window.fill(ref);
        await countLater(ref);
      },
      'count-queues': (ref: Payload<'count-queues'>) => messages.refresh(ref),
    },

    async afterPoll(ref: AccountRef): Promise<void> {
      // Not as a job: if a suspended process holds that job, nobody else would fill the windows.
      await window.fill(ref);
      await messages.refresh(ref);
    },
  };
}

/** A message is final after it has said for this long (ms) that nothing waits. */
const endedAfterMs = 3_600_000;

/** Maximum number of campaigns in a digest: those with the earliest deadlines. */
const maxCampaigns = 1_000;

/**
 * Creates the live messages about waiting tasks: one per campaign, in the channel of its cards and in those with its
 * digest; with many campaigns in one channel, some have their own and the rest share one.
 */
export function createQueueMessages(
  context: Modules & { readonly window: Window; readonly queuePaceMs: number },
) {
  const { channels, clock, slack, tasks, window } = context;

  /** Returns the content for each place. @param cardsOf in a digest: how many of the tasks have cards, and where */
  async function countAt(
    ref: AccountRef,
    places: readonly QueuePlace[],
    waitingIn: typeof tasks.open.waitingIn,
    cardsOf: (campaign: CampaignId, waiting: number) => Pick<QueueContent, 'cards'>,
  ): Promise<QueueAt[]> {
    const ids = [...new Set(places.map(({ campaign }) => campaign))];
    const found = new Map((await waitingIn(ref, ids)).map((one) => [one.campaign, one]));
    return places.map((place) => {
      const { campaign } = place;
      const { campaign: _, ...counts } = found.get(campaign) ?? { campaign, waiting: 0 };
      return { place, content: { ...counts, ...cardsOf(campaign, counts.waiting) } };
    });
  }

  /** Returns the places of digests: for each campaign with open tasks, and those with an existing digest. */
  async function digestPlaces(ref: AccountRef, shown: readonly QueuePlace[]): Promise<QueuePlace[]> {
    const all = await channels.digests.ofAccount(ref);
    if (all.length === 0) return [];
    const open = await tasks.open.campaigns(ref, { limit: maxCampaigns });
    const places = all.flatMap(({ channel, campaign }) => {
      const told = shown.flatMap((one) => (one.channel === channel ? [one.campaign] : []));
      const wanted = [...open, ...told].filter((one) => campaign === undefined || one === campaign);
      return wanted.map((one) => ({ channel, campaign: one }));
    });
    return [...new Map(places.map((place) => [queueMessageId(place), place])).values()];
  }

  /** Returns the content of each message: those about waiting tasks, and those already posted. */
  async function contents(ref: AccountRef): Promise<Map<QueueMessageId, QueueAt>> {
    const displayed = await slack.queueMessages.shown(ref);
    const shown = displayed.filter(({ campaign }) => !isShared(campaign));
    const queued = await channels.windows.queues(ref);
    const asked = await digestPlaces(ref, shown);
    const all = [...queued.keys(), ...[...shown, ...asked].map(({ campaign }) => campaign)];
    if (all.length === 0 && displayed.length === 0) return new Map();
    const routes = await window.routesOf(ref, new Set(all));
    // Where cards are posted, tasks beyond the limit are always counted. Campaigns that are not followed cannot be
    // counted.
    const told = asked.filter(
      ({ channel, campaign }) => ![undefined, channel].includes(routes.get(campaign)),
    );
    const isCounted = ({ channel, campaign }: QueuePlace) =>
      queued.has(campaign) || shown.some((one) => one.channel === channel && one.campaign === campaign);
    const places = [...routes].map(([campaign, channel]) => ({ channel, campaign })).filter(isCounted);
    const beyond = await countAt(ref, places, channels.windows.waitingIn, () => ({}));
    const whole = await countAt(ref, told, tasks.open.waitingIn, (campaign, waiting) => {
      const channel = routes.get(campaign);
      const count = Math.max(0, waiting - (queued.get(campaign) ?? 0));
      return { cards: { count, ...(channel === undefined ? {} : { channel }) } };
    });
    const ids = new Set(shown.map(queueMessageId));
    const found = [...shareQueues(beyond, ids, false), ...shareQueues(whole, ids, true)];
    // Where a message stands and nothing is counted any more, it says so.
    const none = displayed.map(({ channel, campaign }) => ({
      place: { channel, campaign },
      content: { waiting: 0 },
    }));
    return new Map([...none, ...found].map((one) => [queueMessageId(one.place), one]));
  }

  function count(ref: AccountRef, { place, content }: { place: QueuePlace; content: QueueContent }) {
    const counted = {
      type: 'counted',
      place,
      content,
      at: clock.now(),
      paceMs: context.queuePaceMs,
    } as const;
    return slack.queueMessages.apply(ref, queueMessageId(place), counted);
  }

  return {
    /** Recounts waiting tasks. */
    async refresh(ref: AccountRef): Promise<void> {
      for (const one of (await contents(ref)).values()) {
        const { record } = await count(ref, one);
        const isEnded = record?.waiting === 0 && clock.now() - record.changedAt > endedAfterMs;
        // One in a channel that is lost, or while Slack is away, does not say so yet.
        const isSaid = async () => !(await slack.queueMessages.needsRender(ref, queueMessageId(one.place)));
        if (isEnded && record.card.state === 'posted' && (await isSaid()))
          await slack.queueMessages.apply(ref, queueMessageId(record), {
            type: 'card-gone',
            messageRef: record.card,
          });
      }
    },

    kind: {
      ...queueMessageKind(context),
      async count(ref, id) {
        const found = (await contents(ref)).get(id);
        if (found !== undefined) await count(ref, found);
      },
    } satisfies LiveMessageKind<QueueMessage, QueueMessageId>,
  };
}

/** Returns the message kind that mirrors a campaign's queue. */
function queueMessageKind({
  campaigns,
  people,
  slack,
}: Modules): LiveMessageKind<QueueMessage, QueueMessageId> {
  return {
    records: slack.queueMessages,
    isForChannel: true,
    isBackground: true,
    channelFor: async (_, { channel }) => channel,
    tagFor: ({ account }, { campaign }, { at }) => messageTag('queue', account, { campaign, begun: at }),
    async render(ref, message) {
      const title = (await campaigns.get(ref, message.campaign))?.title;
      return queueMessage(ref.account, message, title, people.desk.url !== undefined);
    },
  };
}

export type Window = ReturnType<typeof createWindow>;

/** Creates the filling of card windows: waiting tasks get cards up to their channels' limits. */
export function createWindow(deps: Modules) {
  const { slack, channels, tasks } = deps;

  /** Returns where campaigns' cards go, except campaigns whose first import is still in progress. */
  async function routesOf(
    ref: AccountRef,
    campaigns: Iterable<CampaignId>,
  ): Promise<Map<CampaignId, ChannelId>> {
    const own = await channels.subscriptions.ofAccount(ref);
    const isStarted = (id: CampaignId) =>
      (own.find(({ campaign }) => campaign === id) ?? own.find(({ campaign }) => campaign === undefined))
        ?.started === true;
    return channels.routing.forCampaigns(ref, [...campaigns].filter(isStarted));
  }

  /** Gives tasks cards while the channel's window has room. Other processes may do the same concurrently. */
  async function fillOne(
    ref: AccountRef,
    channel: ChannelId,
    campaigns: readonly CampaignId[],
  ): Promise<void> {
    const limit = await openCardsLimit(deps, ref, channel);
    for (;;) {
      const next = await channels.windows.next(ref, channel, campaigns, limit);
      const given: Task[] = [];
      for (const id of next) {
        const { kind, task } = await tasks.giveCard(ref, id, channel, limit);
        if (kind === 'done' && task?.card.state === 'wanted') given.push(task);
        // The window is full: another process was faster.
        if (kind === 'rejected') break;
      }
      await slack.cards.changed(ref, given);
      if (given.length === 0) return;
    }
  }

  return {
    routesOf,

    /** Fills the windows of all channels of an account. Cards are never taken back. */
    async fill(ref: AccountRef): Promise<void> {
      if (!(await channels.windows.isAnyQueued(ref))) return;
      const byChannel = new Map<ChannelId, CampaignId[]>();
      for (const [campaign, channel] of await routesOf(ref, (await channels.windows.queues(ref)).keys()))
        byChannel.set(channel, [...(byChannel.get(channel) ?? []), campaign]);
      for (const [channel, campaigns] of byChannel) {
        // Its tasks wait until it is back, or another one stands in for it.
        if ((await channels.lost.get(ref.workspace, channel)) === undefined)
          await fillOne(ref, channel, campaigns);
      }
    },
  };
}
