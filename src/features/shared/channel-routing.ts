import type { AccountRef, CampaignId, ChannelId, WorkspaceId } from '../../domain/terms.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { ChannelSettingsStore, LostChannels } from '../../store/channels.ts';
import type { InboxChannels, Subscriptions } from '../../store/subscriptions.ts';

/** How long the check of a stand-in channel is cached (ms); short, because the channel could be shared any time. */
const believedMs = 5_000;

export type ChannelRouting = ReturnType<typeof createChannelRouting>;

/**
 * Creates the routing of messages to channels: the subscribed one or, while that is lost, another of the same scope.
 * Never one shared with another company, whose people would read what only the team may.
 */
export function createChannelRouting({
  channelSettings,
  inboxChannels,
  lostChannels,
  messengerOf,
  now,
  subscriptions,
}: {
  readonly channelSettings: ChannelSettingsStore;
  readonly inboxChannels: InboxChannels;
  readonly lostChannels: LostChannels;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  readonly now: () => number;
  readonly subscriptions: Subscriptions;
}) {
  const known = new Map<string, { readonly at: number; readonly fits: boolean }>();

  /** Returns whether the bot may post in a channel that nobody from another company can read. */
  async function fits(workspace: WorkspaceId, channel: ChannelId): Promise<boolean> {
    const name = `${workspace} ${channel}`;
    const before = known.get(name);
    if (before && Math.abs(now() - before.at) < believedMs) return before.fits;
    const is = await messengerOf(workspace)
      .channel(channel)
      .then(
        ({ isMember, isArchived, isShared }) => isMember && !isArchived && !isShared,
        (error: unknown) => {
          // An unknown channel counts as unfit: the message waits.
          if (!(error instanceof SlackError)) throw error;
          return false;
        },
      );
    known.set(name, { at: now(), fits: is });
    return is;
  }

  async function substitute(
    workspace: WorkspaceId,
    candidates: readonly ChannelId[],
  ): Promise<ChannelId | undefined> {
    for (const channel of candidates) {
      if ((await lostChannels.get(workspace, channel)) === undefined && (await fits(workspace, channel)))
        return channel;
    }
    return undefined;
  }

  /** @param channels the channels of a scope, in order of preference */
  async function route(
    workspace: WorkspaceId,
    channels: readonly ChannelId[],
  ): Promise<ChannelId | undefined> {
    const [own, ...others] = channels;
    if (own === undefined || (await lostChannels.get(workspace, own)) === undefined) return own;
    return (await substitute(workspace, others)) ?? own;
  }

  /** Returns the channel chosen for an account's inbox. */
  async function chosenForInbox(ref: AccountRef): Promise<ChannelId | undefined> {
    return (await inboxChannels.get(ref))?.channel;
  }

  return {
    /**
     * Returns the channel for a campaign's cards: its own, else the account's. Returns a lost one if nothing can stand
     * in.
     */
    async forCampaign(ref: AccountRef, campaign: CampaignId): Promise<ChannelId | undefined> {
      return route(ref.workspace, await subscriptions.channelsFor(ref, campaign));
    },

    chosenForInbox,

    /**
     * Returns the channel for an account's inbox announcements; undefined if none is chosen, or the inbox is muted
     * there.
     */
    async forInbox(ref: AccountRef): Promise<ChannelId | undefined> {
      const channel = await chosenForInbox(ref);
      if (channel === undefined) return undefined;
      const { muted } = await channelSettings.get(ref.workspace, channel);
      return muted.includes('inbox') ? undefined : channel;
    },
  };
}
