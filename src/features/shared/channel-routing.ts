import type { AccountRef, CampaignId, ChannelId, WorkspaceId } from '../../domain/terms.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { FeatureContext } from './context.ts';

/** How long the answer is believed that a channel may stand in for a lost one (ms): it could be shared any time. */
const believedMs = 5_000;

export type ChannelRouting = ReturnType<typeof createChannelRouting>;

/**
 * Creates the choice of the channel that a message goes to: the one subscribed, or, while that is lost, another one of
 * the same scope. Never one that is shared with another company: its people would read what only the team may.
 */
export function createChannelRouting({
  channelSettings,
  inboxChannels,
  lostChannels,
  messengerOf,
  now,
  subscriptions,
}: Pick<
  FeatureContext,
  'channelSettings' | 'inboxChannels' | 'lostChannels' | 'messengerOf' | 'now' | 'subscriptions'
>) {
  const known = new Map<string, { readonly at: number; readonly fits: boolean }>();

  /** Returns whether the bot may post in a channel that nobody of another company can read. */
  async function fits(workspace: WorkspaceId, channel: ChannelId): Promise<boolean> {
    const name = `${workspace} ${channel}`;
    const before = known.get(name);
    if (before && Math.abs(now() - before.at) < believedMs) return before.fits;
    const is = await messengerOf(workspace)
      .channel(channel)
      .then(
        ({ isMember, isArchived, isShared }) => isMember && !isArchived && !isShared,
        (error: unknown) => {
          // What cannot be known for now counts as unfit: the message waits.
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

  /** @param channels the channels of a scope, the one that comes first first */
  async function route(
    workspace: WorkspaceId,
    channels: readonly ChannelId[],
  ): Promise<ChannelId | undefined> {
    const [own, ...others] = channels;
    if (own === undefined || (await lostChannels.get(workspace, own)) === undefined) return own;
    return (await substitute(workspace, others)) ?? own;
  }

  /** Returns the channel chosen for an account's inbox; before there was a choice, it went where the account's cards go. */
  async function chosenForInbox(ref: AccountRef): Promise<ChannelId | undefined> {
    const chosen = await inboxChannels.get(ref);
    if (chosen !== undefined) return chosen.channel;
    return (await subscriptions.ofAccount(ref)).find(({ hasInbox }) => hasInbox)?.channel;
  }

  return {
    /** Returns where a campaign's cards go: its own channel, else the account's. A lost one is returned if nothing stands in. */
    async forCampaign(ref: AccountRef, campaign: CampaignId): Promise<ChannelId | undefined> {
      return route(ref.workspace, await subscriptions.channelsFor(ref, campaign));
    },

    chosenForInbox,

    /** Returns where an account's inbox is announced; undefined where no channel is chosen, or it is muted there. */
    async forInbox(ref: AccountRef): Promise<ChannelId | undefined> {
      const channel = await chosenForInbox(ref);
      if (channel === undefined) return undefined;
      const { muted } = await channelSettings.get(ref.workspace, channel);
      return muted.includes('inbox') ? undefined : channel;
    },
  };
}
