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
  lostChannels,
  messengerOf,
  now,
  subscriptions,
}: Pick<FeatureContext, 'lostChannels' | 'messengerOf' | 'now' | 'subscriptions'>) {
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

  return {
    /** Returns where a campaign's cards go: its own channel, else the account's. A lost one is returned if nothing stands in. */
    async forCampaign(ref: AccountRef, campaign: CampaignId): Promise<ChannelId | undefined> {
      return route(ref.workspace, await subscriptions.channelsFor(ref, campaign));
    },

    /** Returns where an account's inbox is announced: in the account's channel only, never in that of a campaign. */
    async forInbox(ref: AccountRef): Promise<ChannelId | undefined> {
      const found = await subscriptions.ofAccount(ref);
      return found.find(({ campaign }) => campaign === undefined)?.channel;
    },
  };
}
