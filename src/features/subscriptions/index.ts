import { type Campaign, campaignOf } from '../../domain/campaign.ts';
import type { AccountRef, ChannelId, MemberId, WorkspaceId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { Jobs } from '../../jobs/queue.ts';
import type { MarketplaceClient } from '../../marketplace/index.ts';
import type { Command, Feature } from '../../slack/feature.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { notice } from '../../slack/notice.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { Campaigns } from '../../store/campaigns.ts';
import type { Subscriptions } from '../../store/subscriptions.ts';
import type { ChannelHealth } from '../shared/channel-health.ts';
import {
  alreadySubscribed,
  botNotHere,
  channelArchived,
  noSuchCampaign,
  severalCampaigns,
  subscribed,
  unsubscribed,
} from './subscriptions.view.ts';

export interface SubscriptionsDeps {
  readonly accounts: Accounts;
  readonly campaigns: Campaigns;
  readonly subscriptions: Subscriptions;
  readonly channelHealth: ChannelHealth;
  readonly jobs: Jobs;
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  /** Begins to look at an account, now and every so often. */
  readonly startLooking: (ref: AccountRef) => Promise<void>;
  readonly botUserId: MemberId;
  readonly now: () => number;
}

/** Subscribing: which channel gets the tasks and messages of which account or campaign. */
export function createSubscriptionsFeature(deps: SubscriptionsDeps): Feature {
  const { subscriptions, now } = deps;

  async function subscribe({ workspace, channel, member, text }: Command): Promise<string> {
    const ref = await deps.accounts.require(workspace, member);
    const campaign = text === '' ? undefined : await findCampaign(ref, text);
    await checkChannel(workspace, channel);
    const scope = campaign ? { campaign: campaign.id } : {};
    const had = (await subscriptions.ofAccount(ref)).find((other) => other.campaign === campaign?.id);
    if (had?.channel === channel) {
      await deps.channelHealth.reportSuccess(workspace, channel);
      await deps.startLooking(ref);
      return alreadySubscribed;
    }
    const wanted = { account: ref.account, ...scope, channel, by: member, at: now(), started: false };
    const movedFrom = await subscriptions.put(workspace, wanted);
    await deps.channelHealth.reportSuccess(workspace, channel);
    await deps.startLooking(ref);
    return subscribed(campaign, movedFrom);
  }

  async function unsubscribe(workspace: WorkspaceId, channel: ChannelId): Promise<string> {
    const ended = await subscriptions.removeChannel(workspace, channel);
    for (const account of new Set(ended.map((subscription) => subscription.account))) {
      const ref = { workspace, account };
      // What waits without a card in a campaign of this channel's own belongs to the account's channel now.
      const left = await subscriptions.ofAccount(ref);
      const whole = left.find(({ campaign }) => campaign === undefined);
      if (whole) await deps.jobs.add('summarize', { ...ref, channel: whole.channel });
    }
    return unsubscribed(ended);
  }

  /** A campaign by its id or a part of its title. */
  async function findCampaign(ref: AccountRef, wanted: string): Promise<Campaign> {
    const marketplace = await deps.marketplaceOf(ref);
    const all = (await marketplace.listCampaignsExtended()).map(campaignOf);
    await deps.campaigns.store(ref, all);
    const exact = all.find(({ id }) => id === wanted);
    if (exact) return exact;
    const found = all.filter(({ title }) => title.toLowerCase().includes(wanted.toLowerCase()));
    const [only] = found;
    if (only === undefined) throw new UserError(noSuchCampaign(wanted));
    if (found.length > 1) throw new UserError(severalCampaigns(wanted, found));
    return only;
  }

  async function checkChannel(workspace: WorkspaceId, channel: ChannelId): Promise<void> {
    try {
      const { isMember, isArchived } = await deps.messengerOf(workspace).channel(channel);
      if (isArchived) throw new UserError(channelArchived);
      if (!isMember) throw new UserError(botNotHere);
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      // A private channel that the bot is not in cannot even be seen.
      if (error.code === 'channel_not_found') throw new UserError(botNotHere);
      if (error.kind !== 'refused') throw error;
    }
  }

  return {
    commands: [
      {
        command: '/proofdesk',
        word: 'subscribe',
        usage: '[campaign]',
        help: 'Brings new tasks and inbox messages of your account, or the tasks of one campaign, to this channel.',
        async run(command) {
          await command.answer(notice(await subscribe(command)));
        },
      },
      {
        command: '/proofdesk',
        word: 'unsubscribe',
        usage: '',
        help: 'Ends what this channel is subscribed to.',
        async run({ workspace, channel, answer }) {
          await answer(notice(await unsubscribe(workspace, channel)));
        },
      },
    ],
    channelEvents: {
      async member_joined_channel({ workspace, channel, member }) {
        if (member === deps.botUserId) await deps.channelHealth.reportSuccess(workspace, channel);
      },
      channel_unarchive: ({ workspace, channel }) => deps.channelHealth.reportSuccess(workspace, channel),
      channel_archive: (event) => left(event, 'is_archived'),
      channel_left: (event) => left(event, 'not_in_channel'),
    },
  };

  async function left(
    { workspace, channel }: { workspace: WorkspaceId; channel: ChannelId },
    code: string,
  ): Promise<void> {
    const all = await subscriptions.all(workspace);
    if (all.some((subscription) => subscription.channel === channel)) {
      await deps.channelHealth.reportFailure(workspace, channel, code);
    }
  }
}
