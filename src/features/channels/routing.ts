import type { MessageRef } from '../../domain/live-message.ts';
import type { AccountRef, CampaignId, ChannelId, WorkspaceId } from '../../domain/terms.ts';
import { type Jobs, Paused } from '../../jobs/queue.ts';
import type { Modules, Stores } from '../../kit/modules.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { plain } from '../../slack/mrkdwn.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { Subscription } from '../../store/channels.ts';
import { channelPause, type Incidents } from '../../store/pauses.ts';
import { channelFailureText } from '../../ui/words.ts';

/** How long it is cached what a channel is (ms); short, because it can be shared any time. */
const believedMs = 5_000;

type ChannelInfo = Awaited<ReturnType<Messenger['channel']>>;
const notThere: ChannelInfo = { isMember: false, isArchived: false, isShared: false };

type SharedChannels = ReturnType<typeof createSharedChannels>;

/**
 * Creates the routing of messages to channels: the subscribed one or, while that is lost, another of the same scope.
 * Never one shared with another company, whose people would read what only the team may.
 */
export function createChannelRouting(
  { inboxChannels, lostChannels, subscriptions }: Stores,
  shared: SharedChannels,
) {
  /** Returns whether the bot may post in a channel that nobody from another company can read. */
  async function fits(workspace: WorkspaceId, channel: ChannelId): Promise<boolean> {
    if ((await lostChannels.get(workspace, channel)) !== undefined) return false;
    const { isMember, isArchived, isShared } = (await shared.infoOf(workspace, channel)) ?? notThere;
    return isMember && !isArchived && !isShared;
  }

  /** @param channels the channels of a scope, in order of preference */
  async function route(
    workspace: WorkspaceId,
    channels: readonly ChannelId[],
  ): Promise<ChannelId | undefined> {
    const [own, ...others] = channels;
    if (own === undefined || (await lostChannels.get(workspace, own)) === undefined) return own;
    for (const channel of others) if (await fits(workspace, channel)) return channel;
    return own;
  }

  /** Returns the channel chosen for an account's inbox messages. */
  async function forInbox(ref: AccountRef): Promise<ChannelId | undefined> {
    return (await inboxChannels.get(ref))?.channel;
  }

  /**
   * Returns the channel for a campaign's cards: its own, else the account's. Returns a lost one if nothing can stand in.
   */
  async function forCampaign(ref: AccountRef, campaign: CampaignId): Promise<ChannelId | undefined> {
    return route(ref.workspace, await subscriptions.channelsFor(ref, campaign));
  }

  return {
    forCampaign,

    /** Returns the same for several campaigns, without those that have none. All that lack their own share one lookup. */
    async forCampaigns(
      ref: AccountRef,
      campaigns: Iterable<CampaignId>,
    ): Promise<Map<CampaignId, ChannelId>> {
      const own = new Set((await subscriptions.ofAccount(ref)).map(({ campaign }) => campaign));
      const found = new Map<CampaignId, ChannelId>();
      let shared: Promise<ChannelId | undefined> | undefined;
      for (const campaign of campaigns) {
        if (!own.has(campaign)) shared ??= forCampaign(ref, campaign);
        const channel = await (own.has(campaign) ? forCampaign(ref, campaign) : shared);
        if (channel !== undefined) found.set(campaign, channel);
      }
      return found;
    },

    forInbox,

    /** Returns the channels in which the tasks of a lost one continue, and whether some of them wait for it instead. */
    async instead(workspace: WorkspaceId, channel: ChannelId) {
      const to = new Set<ChannelId>();
      for (const { account, campaign } of await subscriptions.ofChannel(workspace, channel))
        to.add((campaign && (await forCampaign({ workspace, account }, campaign))) ?? channel);
      const others = [...to].filter((one) => one !== channel);
      return { to: others, isWaiting: others.length === 0 || to.has(channel) };
    },

    /** Returns whether some channel receives an account's tasks or inbox. Otherwise it is not polled. */
    async isFollowed(ref: AccountRef, subscribed: readonly Subscription[]): Promise<boolean> {
      return subscribed.length > 0 || (await forInbox(ref)) !== undefined;
    },
  };
}

/** Runs a call to Slack: at once for people; a job's waits while calls to Slack pause. */
type RunCall = <T>(call: () => Promise<T>) => Promise<T>;
const atOnce: RunCall = (call) => call();

/**
 * Creates the check of shared channels: one shared with another company gets nothing until an owner of the account has
 * confirmed exactly that channel.
 */
export function createSharedChannels({ grants, jobs, messengerOf, now }: Stores, incidents: Incidents) {
  const known = new Map<string, ChannelInfo & { readonly at: number }>();
  const nameOf = (workspace: WorkspaceId, channel: ChannelId) => `${workspace} ${channel}`;

  /** Asks Slack what a channel is, and caches the answer. Throws SlackError. */
  async function look(workspace: WorkspaceId, channel: ChannelId, run = atOnce): Promise<ChannelInfo> {
    const found = await run(() => messengerOf(workspace).channel(channel));
    known.set(nameOf(workspace, channel), { ...found, at: now() });
    return found;
  }

  /** Returns what Slack says of a channel; undefined while it cannot be asked. */
  async function infoOf(
    workspace: WorkspaceId,
    channel: ChannelId,
    run = atOnce,
  ): Promise<ChannelInfo | undefined> {
    const before = known.get(nameOf(workspace, channel));
    if (before && Math.abs(now() - before.at) < believedMs) return before;
    try {
      return await look(workspace, channel, run);
    } catch (error) {
      // Slack limits these calls too: what was known has to do.
      if (error instanceof Paused && before !== undefined) return before;
      if (!(error instanceof SlackError)) throw error;
      // A channel Slack refuses to describe accepts no post either; the post finds out why.
      return before ?? (error.kind === 'refused' ? notThere : undefined);
    }
  }

  /** Returns whether a channel is shared with another company; undefined while Slack cannot be asked. */
  const isShared = async (...which: Parameters<typeof infoOf>) => (await infoOf(...which))?.isShared;

  /** Returns whether an account's messages must wait: the channel is, or may be, shared, and no owner has confirmed it. */
  async function mustWait(ref: AccountRef, channel: ChannelId, run = atOnce): Promise<boolean> {
    if ((await isShared(ref.workspace, channel, run)) === false) return false;
    const { confirmedChannels } = await grants.of(ref);
    return !confirmedChannels.includes(channel);
  }

  return {
    look,
    infoOf,
    isShared,
    mustWait,

    /** Returns whether an account's messages may be posted in a channel. If it is known to be shared, owners are told once. */
    async mayPost(ref: AccountRef, channel: ChannelId, run = atOnce): Promise<boolean> {
      if (!(await mustWait(ref, channel, run))) return true;
      if (await isShared(ref.workspace, channel, run)) {
        const told = await incidents.get(ref.workspace, sharedIncident(ref, channel));
        if (told === undefined)
          await jobs.add('tell-shared', { ...ref, channel }, { uniqueKey: `${ref.account} ${channel}` });
      }
      return false;
    },

    forget(workspace: WorkspaceId, channel: ChannelId): void {
      known.delete(nameOf(workspace, channel));
    },
  };
}

/** Returns the name of the incident for messages that wait because a channel is shared. */
export const sharedIncident = ({ account }: AccountRef, channel: ChannelId) => `shared ${account} ${channel}`;

/** Creates the record of channels that cannot be posted to. */
export function createChannelHealth({ intervals, jobs, logger, pauses, now }: Stores, incidents: Incidents) {
  const nameOf = (channel: ChannelId) => `channel ${channel}`;

  return {
    /**
     * Records a failed post. The first failure queues a check of the channel.
     * @param error Slack's error
     * @param began when the call started (ms): failures from before the last success are ignored
     */
    async reportFailure(
      workspace: WorkspaceId,
      channel: ChannelId,
      error: string,
      began = now(),
    ): Promise<void> {
      // Slack reports a private channel without the bot as nonexistent.
      const code = error === 'channel_not_found' ? 'not_in_channel' : error;
      await pauses.fail(workspace, channelPause(channel), { code, began, pausesAfter: 1 });
      if (!(await incidents.record(workspace, nameOf(channel), code, began))) return;
      logger.warn({ channel, code }, plain(channelFailureText(channel, code)));
      await queueChannelCheck(jobs, intervals.lostAfterMs, workspace, channel);
    },

    /** Records a successful post. @param since when it started (ms): later failures stay recorded */
    async reportSuccess(workspace: WorkspaceId, channel: ChannelId, since = now()): Promise<void> {
      await pauses.succeed(workspace, channelPause(channel), since);
      await incidents.clear(workspace, nameOf(channel), since);
    },
  };
}

/** Queues the check of a channel that seems lost; it counts as lost if unchanged after `lostAfterMs`. */
export async function queueChannelCheck(
  jobs: Jobs,
  lostAfterMs: number,
  workspace: WorkspaceId,
  channel: ChannelId,
): Promise<void> {
  const options = { delayMs: lostAfterMs, uniqueKey: `${workspace} ${channel}` };
  await jobs.add('check-channel', { workspace, channel }, options);
}

/**
 * Returns the maximum number of an account's open cards in a channel; 0 means no limit. Accounts that share a channel
 * split its limit equally.
 */
export async function openCardsLimit(
  { channels }: Modules,
  { workspace }: AccountRef,
  channel: ChannelId,
): Promise<number> {
  const limit = (await channels.settings.get(workspace, channel)).openCards ?? channels.openCards;
  if (limit === 0) return 0;
  const here = await channels.subscriptions.ofChannel(workspace, channel);
  const accounts = new Set(here.map(({ account }) => account)).size;
  return Math.max(1, Math.floor(limit / Math.max(1, accounts)));
}

/** Queues jobs that make leftover cards in former channels link to their new place. */
export async function retireFormer(
  { jobs }: Modules,
  ref: AccountRef,
  places: readonly MessageRef[],
): Promise<void> {
  const channels = new Set(places.map(({ channel }) => channel));
  const payloads = [...channels].map((channel) => ({ ...ref, channel }));
  await jobs.addAll('retire-cards', payloads, ({ channel }) => `${ref.account} ${channel}`);
}
