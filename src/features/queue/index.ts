import { DateTime } from 'luxon';
import { type CampaignCounts, type Reviewed, reviewersOf } from '../../domain/daily-summary.ts';
import {
  namedFirst,
  noContent,
  type QueueContent,
  type QueueMessage,
  type QueueMessageId,
  type QueuePlace,
  queueMessageId,
  soonMs,
} from '../../domain/queue-message.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, CampaignId, ChannelId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import { channelZone, openCardsLimit } from '../../kit/channels.ts';
import type { LiveMessageKind } from '../../kit/live-message.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Feature } from '../../slack/feature.ts';
import { messageTag } from '../../slack/message-tags.ts';
import { queueMessage, queueOfBlocks } from './queue.view.ts';
import { isShared, noneTogether, type QueueAt, shareQueues } from './share.ts';

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

const dayMs = 86_400_000;
/** A message is final after it has said for this long (ms) that nothing waits. */
const endedAfterMs = 3_600_000;

/** Maximum number of campaigns in a digest: those with the earliest deadlines. */
const maxCampaigns = 1_000;

type Places = Map<QueueMessageId, QueueAt>;

/**
 * Creates the live messages about waiting tasks: one per campaign, in the channel of its cards and in those with its
 * digest; with many campaigns in one channel, some have their own and the rest share one.
 */
export function createQueueMessages(
  context: Modules & { readonly window: Window; readonly queuePaceMs: number },
) {
  const { audit, channels, clock, slack, tasks, window } = context;

  /** Returns the messages' content for campaigns with tasks that wait without a card. */
  async function beyondWindows(
    ref: AccountRef,
    places: readonly QueuePlace[],
    reviewed: (place: QueuePlace) => readonly Reviewed[],
  ): Promise<Places> {
    const ids = places.map(({ campaign }) => campaign);
    const known = await tasks.timesToRate.getMany(ref, ids);
    const days = new Map(ids.map((campaign) => [campaign, known.get(campaign)]));
    const queues = await channels.windows.queuesOf(ref, days, clock.now() + soonMs);
    const open = new Map(
      (await tasks.open.waitingIn(ref, [...days.keys()])).map((one) => [one.campaign, one.waiting]),
    );
    const standsBy = (campaign: CampaignId) => ((open.get(campaign) ?? 0) > 0 ? 'posted' : 'none');
    return new Map(
      places.map((place) => {
        const { waiting, oldest, soon } = queues.get(place.campaign) ?? { waiting: 0, soon: 0 };
        const ttr = days.get(place.campaign);
        const content: QueueContent = {
          ...namedFirst(reviewed(place)),
          state: waiting > 0 ? 'waiting' : standsBy(place.campaign),
          waiting,
          soon,
          ...(oldest === undefined ? {} : { oldest }),
          ...(oldest === undefined || ttr === undefined ? {} : { dueAt: oldest + ttr * dayMs }),
        };
        return [queueMessageId(place), { place, content }];
      }),
    );
  }

  /** Returns who has reviewed today, by place, because each channel has its own zone. */
  async function reviewedAt(
    ref: AccountRef,
    places: readonly QueuePlace[],
  ): Promise<(place: QueuePlace) => readonly Reviewed[]> {
    const own = await channels.subscriptions.ofAccount(ref);
    const at = clock.now();
    const byChannel = new Map<ChannelId, Map<CampaignId, Reviewed[]>>();
    const bySince = new Map<number, CampaignCounts[]>();
    for (const channel of new Set(places.map((place) => place.channel))) {
      const zone = await channelZone(context, ref, channel, own);
      const since = DateTime.fromMillis(at, { zone }).startOf('day').toMillis();
      const counts = bySince.get(since) ?? (await audit.reviewCounts.since(ref, since, at));
      bySince.set(since, counts);
      byChannel.set(channel, new Map(counts.map((one) => [one.campaign, reviewersOf(one)])));
    }
    return ({ channel, campaign }) => byChannel.get(channel)?.get(campaign) ?? [];
  }

  /** Returns the digests' content: the whole queue of each campaign, and where its cards are. */
  async function wholeQueues(
    ref: AccountRef,
    places: readonly QueuePlace[],
    routes: ReadonlyMap<CampaignId, ChannelId>,
    queued: ReadonlyMap<CampaignId, number>,
    reviewed: (place: QueuePlace) => readonly Reviewed[],
  ): Promise<Places> {
    const campaigns = [...new Set(places.map(({ campaign }) => campaign))];
    const known = await tasks.timesToRate.getMany(ref, campaigns);
    const soon = await tasks.open.countsIn(ref, known, [clock.now() + soonMs]);
    const waiting = new Map((await tasks.open.waitingIn(ref, campaigns)).map((one) => [one.campaign, one]));
    return new Map(
      places.map((place) => {
        const { waiting: count = 0, oldest, dueAt } = waiting.get(place.campaign) ?? {};
        const channel = routes.get(place.campaign);
        const content: QueueContent = {
          ...namedFirst(reviewed(place)),
          state: count > 0 ? 'waiting' : 'none',
          waiting: count,
          cards: {
            count: Math.max(0, count - (queued.get(place.campaign) ?? 0)),
            ...(channel === undefined ? {} : { channel }),
          },
          soon: soon.get(place.campaign)?.[0] ?? 0,
          ...(oldest === undefined ? {} : { oldest }),
          ...(dueAt === undefined ? {} : { dueAt }),
        };
        return [queueMessageId(place), { place, content }];
      }),
    );
  }

  /** Returns the places of digests: for each campaign with open tasks, and those with an existing digest. */
  async function digestPlaces(ref: AccountRef, shown: readonly QueuePlace[]): Promise<QueuePlace[]> {
    const all = await channels.digests.ofAccount(ref);
    if (all.length === 0) return [];
    const settings = await channels.settings.getMany(ref.workspace, [
      ...new Set(all.map(({ channel }) => channel)),
    ]);
    const open = await tasks.open.campaigns(ref, { limit: maxCampaigns });
    const places = all.flatMap(({ channel, campaign }) => {
      if (settings.get(channel)?.muted.includes('waiting')) return [];
      const told = shown.flatMap((one) => (one.channel === channel ? [one.campaign] : []));
      const wanted = [...open, ...told].filter((one) => campaign === undefined || one === campaign);
      return wanted.map((one) => ({ channel, campaign: one }));
    });
    return [...new Map(places.map((place) => [queueMessageId(place), place])).values()];
  }

  /** Returns the channels that get queue messages. */
  async function channelsInUse(
    ref: AccountRef,
    routes: ReadonlyMap<CampaignId, ChannelId>,
  ): Promise<Set<ChannelId>> {
    const told = [
      ...(await channels.subscriptions.ofAccount(ref)),
      ...(await channels.digests.ofAccount(ref)),
    ];
    return new Set([...routes.values(), ...told.map(({ channel }) => channel)]);
  }

  /** Returns the content of each message: those about waiting tasks, and those already posted. */
  async function contents(ref: AccountRef): Promise<Places> {
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
    const reviewed = await reviewedAt(ref, [...places, ...told]);
    const beyond = await beyondWindows(ref, places, reviewed);
    const whole = await wholeQueues(ref, told, routes, queued, reviewed);
    const ids = new Set(shown.map(queueMessageId));
    const found: Places = new Map(
      [...shareQueues([...beyond.values()], ids, false), ...shareQueues([...whole.values()], ids, true)].map(
        (one) => [queueMessageId(one.place), one],
      ),
    );
    const shared = displayed.filter((one) => isShared(one.campaign) && !found.has(queueMessageId(one)));
    const inUse = shared.length === 0 ? new Set() : await channelsInUse(ref, routes);
    for (const { channel, campaign } of shared) {
      const place = { channel, campaign };
      found.set(queueMessageId(place), noneTogether(place, inUse.has(channel)));
    }
    for (const { channel, campaign } of shown) {
      const id = queueMessageId({ channel, campaign });
      if (!found.has(id))
        found.set(id, { place: { channel, campaign }, content: { ...noContent, state: 'elsewhere' } });
    }
    return found;
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
        const isEnded = record?.state === 'none' && clock.now() - record.changedAt > endedAfterMs;
        if (isEnded && record.card.state === 'posted')
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
    async afterRender(ref, message) {
      if (message.card.state === 'posted' && message.state === 'elsewhere')
        await slack.queueMessages.apply(ref, queueMessageId(message), {
          type: 'card-gone',
          messageRef: message.card,
        });
      return undefined;
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
