import { type Campaign, campaignOf } from '../../domain/campaign.ts';
import type { AccountRef, ChannelId, WorkspaceId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { Command, Feature } from '../../slack/feature.ts';
import { notice } from '../../slack/notice.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { doneBy } from '../shared/audited-act.ts';
import type { FeatureContext } from '../shared/context.ts';
import {
  alreadySubscribed,
  botNotInChannel,
  channelArchived,
  noSuchCampaign,
  severalCampaigns,
  subscribed,
  unsubscribed,
} from './subscriptions.view.ts';

type Deps = Pick<
  FeatureContext,
  'accounts' | 'campaigns' | 'subscriptions' | 'jobs' | 'marketplaceOf' | 'messengerOf' | 'now'
> & {
  /** Polls an account now and from now on. */
  readonly startPolling: (ref: AccountRef) => Promise<void>;
  /** What happens to lost channels: one works again, or another one is subscribed in its place. */
  readonly channels: {
    worksAgain(workspace: WorkspaceId, channel: ChannelId): Promise<void>;
    replaced(ref: AccountRef, channel: ChannelId): Promise<void>;
  };
};

/** Creates the feature of subscriptions: which channel gets the tasks and messages of which account or campaign. */
export function createSubscriptionsFeature(deps: Deps): Feature {
  const { subscriptions, now } = deps;

  async function subscribe({ workspace, channel, member, text }: Command): Promise<string> {
    const ref = await deps.accounts.require(workspace, member);
    const campaign = text === '' ? undefined : await findCampaign(ref, text);
    await checkChannel(workspace, channel);
    const scope = campaign ? { campaign: campaign.id } : {};
    const previous = (await subscriptions.ofAccount(ref)).find((other) => other.campaign === campaign?.id);
    if (previous?.channel === channel) {
      await deps.channels.worksAgain(workspace, channel);
      await deps.startPolling(ref);
      return alreadySubscribed;
    }
    const subscription = { account: ref.account, ...scope, channel, by: member, at: now(), started: false };
    const movedFrom = await subscriptions.put(workspace, subscription);
    await deps.channels.worksAgain(workspace, channel);
    if (movedFrom) await deps.channels.replaced(ref, movedFrom);
    await deps.startPolling(ref);
    return subscribed(campaign, movedFrom);
  }

  async function unsubscribe({ workspace, channel, ...actor }: Command): Promise<string> {
    const ended = await subscriptions.removeChannel(workspace, channel, doneBy(actor));
    for (const account of new Set(ended.map((subscription) => subscription.account))) {
      const ref = { workspace, account };
      // Tasks without a card in campaigns that were subscribed here count for the account's channel from now on.
      const remaining = await subscriptions.ofAccount(ref);
      const ofAccount = remaining.find(({ campaign }) => campaign === undefined);
      if (ofAccount) await deps.jobs.add('summarize', { ...ref, channel: ofAccount.channel });
    }
    return unsubscribed(ended);
  }

  /** Finds a campaign by its id or a part of its title. */
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
      if (!isMember) throw new UserError(botNotInChannel);
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      // A private channel that the bot is not in cannot even be seen.
      if (error.code === 'channel_not_found') throw new UserError(botNotInChannel);
      if (error.kind !== 'refused') throw error;
    }
  }

  return {
    commands: [
      {
        command: '/proofdesk',
        word: 'subscribe',
        usage: '[campaign]',
        help: 'Posts new tasks and inbox messages of your account, or the tasks of one campaign, in this channel.',
        async run(command) {
          await command.answer(notice(await subscribe(command)));
        },
      },
      {
        command: '/proofdesk',
        word: 'unsubscribe',
        usage: '',
        help: 'Stops posting new tasks and messages in this channel.',
        async run(command) {
          await command.answer(notice(await unsubscribe(command)));
        },
      },
    ],
  };
}
