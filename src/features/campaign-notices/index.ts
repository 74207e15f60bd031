import { type Campaign, observed, withoutUntold } from '../../domain/campaign.ts';
import type { CampaignChange, CampaignNotice } from '../../domain/campaign-notice.ts';
import { chunksOf } from '../../domain/collections.ts';
import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import type { LiveMessageKind } from '../../kit/live-message.ts';
import type { Modules } from '../../kit/modules.ts';
import { messageTag } from '../../slack/message-tags.ts';
import { campaignNotice } from './notice.view.ts';

/** How many statuses are recorded at once: an account's first list changes all of them. */
const statesAtOnce = 100;

/** Creates the notices to channels about campaigns that finish, pause or are blocked: once each, many in one message. */
export function createCampaignNoticesFeature(context: Modules) {
  const { slack, campaigns, channels, clock } = context;

  /** Records the statuses listed by a poll. @param at the time of the list, as recorded with the poll (ms) */
  async function takeIn(ref: AccountRef, listed: readonly Campaign[], at: number): Promise<void> {
    const states = await campaigns.states.all(ref);
    const changed = listed.flatMap(({ id, status }) => {
      const before = states.get(id);
      const after = observed(before, status, at);
      return after === before ? [] : [{ id, before, after }];
    });
    // If another process has recorded another poll meanwhile, that one counts.
    for (const some of chunksOf(changed, statesAtOnce))
      await Promise.all(
        some.map(({ id, before, after }) => campaigns.states.replace(ref, id, before, after)),
      );
  }

  /** Notifies the channels of new statuses. A repeat after a crash notifies nobody twice. */
  async function tell(ref: AccountRef): Promise<void> {
    const untold = [...(await campaigns.states.untold(ref))];
    if (untold.length === 0) return;
    const byChannel = new Map<ChannelId, CampaignChange[]>();
    const routes = await channels.routing.forCampaigns(
      ref,
      untold.map(([campaign]) => campaign),
    );
    for (const [campaign, { status, since }] of untold) {
      const channel = routes.get(campaign);
      if (channel === undefined) continue;
      byChannel.set(channel, [...(byChannel.get(channel) ?? []), { campaign, status, at: since }]);
    }
    for (const [channel, changes] of byChannel) {
      const { muted } = await channels.settings.get(ref.workspace, channel);
      if (muted.includes('campaigns')) continue;
      const changed = { type: 'changed', channel, changes, at: clock.now() } as const;
      await slack.messages.campaignNotice.apply(ref, channel, changed);
    }
    for (const [campaign, state] of untold)
      await campaigns.states.replace(ref, campaign, state, withoutUntold(state));
  }

  return {
    message: noticeKind(context),
    takeIn,
    afterPoll: tell,
  };
}

/** Returns the message kind that mirrors a channel's campaign notice. */
function noticeKind({ slack, campaigns }: Modules): LiveMessageKind<CampaignNotice, ChannelId> {
  return {
    records: slack.messages.campaignNotice,
    isForChannel: true,
    channelFor: async (_, { channel }) => channel,
    tagFor: ({ account }, _, { at }) => messageTag('campaigns', account, { begun: at }),
    async render(ref, notice) {
      const { changes, faults = [] } = notice;
      const ids = [...changes, ...faults].map(({ campaign }) => campaign);
      const names = faults.length === 0 ? [] : await campaigns.reasons.all(ref);
      const reasons = new Map(names.map(({ id, name }) => [id, name]));
      return campaignNotice(ref.account, notice, await campaigns.getMany(ref, ids), reasons);
    },
  };
}
