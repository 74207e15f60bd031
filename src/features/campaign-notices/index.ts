import type { Campaign } from '../../domain/campaign.ts';
import type { CampaignChange, CampaignNotice } from '../../domain/campaign-notice.ts';
import {
  type CampaignState,
  observed,
  proved,
  toBeProved,
  withoutUntold,
} from '../../domain/campaign-state.ts';
import type { AccountRef, CampaignId, ChannelId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { JobContext } from '../../jobs/runner.ts';
import { isCallFailure } from '../../marketplace/index.ts';
import { campaignNoticeTag, saidText } from '../../slack/message-tags.ts';
import type { FeatureContext } from '../shared/context.ts';
import { createLiveMessages, type LiveMessageKind } from '../shared/live-message.ts';
import { campaignNotice } from './notice.view.ts';

/** Creates what channels are told of campaigns that finish, pause or are blocked: once, and many of them in one message. */
export function createCampaignNoticesFeature(context: FeatureContext) {
  const { campaignNotices, campaignStates, channelSettings, jobs, now, routing } = context;
  const messages = createLiveMessages(context, noticeKind(context));

  /**
   * Takes in the statuses that a poll has listed. A status that differs counts once it was listed at two polls in a row and
   * the plain list, asked for after that, agrees: either list may lag, or err.
   */
  async function takeIn(ref: AccountRef, listed: readonly Campaign[]): Promise<void> {
    const at = now();
    const states = await campaignStates.all(ref);
    const doubtful = new Map<CampaignId, CampaignState>();
    for (const { id, status } of listed) {
      const before = states.get(id);
      const after = observed(before, status, at);
      // Another process has taken in another poll: that one counts.
      if (after !== before && !(await campaignStates.replace(ref, id, before, after))) continue;
      if (toBeProved(after, at) !== undefined) doubtful.set(id, after);
    }
    if (doubtful.size > 0) await prove(ref, doubtful);
  }

  async function prove(ref: AccountRef, doubtful: ReadonlyMap<CampaignId, CampaignState>): Promise<void> {
    try {
      const marketplace = await context.marketplaceOf(ref);
      const others = new Map((await marketplace.listCampaigns()).map(({ id, status }) => [id, status]));
      const at = now();
      for (const [id, before] of doubtful)
        await campaignStates.replace(ref, id, before, proved(before, others.get(id), at));
    } catch (error) {
      // The next poll asks again.
      if (!isCallFailure(error)) throw error;
      context.logger.info({ err: error, ...ref }, 'statuses of campaigns not confirmed');
    }
  }

  /** Tells the channels of what was confirmed and not told yet. Done again after a crash, it tells nothing twice. */
  async function tell(ref: AccountRef): Promise<void> {
    const untold = [...(await campaignStates.all(ref))].filter(([, { untold: is }]) => is);
    if (untold.length === 0) return;
    const byChannel = new Map<ChannelId, CampaignChange[]>();
    for (const [campaign, { status, since }] of untold) {
      const channel = await routing.forCampaign(ref, campaign);
      if (channel === undefined) continue;
      byChannel.set(channel, [...(byChannel.get(channel) ?? []), { campaign, status, at: since }]);
    }
    for (const [channel, changes] of byChannel) {
      const { muted } = await channelSettings.get(ref.workspace, channel);
      if (muted.includes('campaigns')) continue;
      const { changed } = await campaignNotices.apply(ref, channel, {
        type: 'changed',
        channel,
        changes,
        at: now(),
      });
      if (changed)
        await jobs.add('campaign-notice', { ...ref, channel }, { uniqueKey: `${ref.account} ${channel}` });
    }
    for (const [campaign, state] of untold)
      await campaignStates.replace(ref, campaign, state, withoutUntold(state));
  }

  return {
    jobs: {
      'campaign-notice': ({ channel, ...ref }: Payload<'campaign-notice'>, job: JobContext): Promise<void> =>
        messages.render(ref, channel, job, true),
    },
    takeIn,
    afterPoll: tell,
  };
}

/** Returns how what a channel is told of campaigns is rendered as a message that mirrors its record. */
function noticeKind({
  campaignNotices,
  campaigns,
}: Pick<FeatureContext, 'campaignNotices' | 'campaigns'>): LiveMessageKind<CampaignNotice, ChannelId> {
  return {
    name: 'campaigns',
    records: campaignNotices,
    channelFor: async (_, { channel }) => channel,
    tagFor: ({ account }, _, { at }) => campaignNoticeTag(account, at),
    stateFor: ({ changes }) => ({ said: saidText(changes) }),
    async render(ref, notice) {
      const ids = notice.changes.map(({ campaign }) => campaign);
      return campaignNotice(notice, await campaigns.getMany(ref, ids));
    },
  };
}
