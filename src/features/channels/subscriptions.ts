import type { Campaign } from '../../domain/campaign.ts';
import type { AccountRef, ChannelId, WorkspaceId } from '../../domain/terms.ts';
import { messageOf, UserError } from '../../errors.ts';
import { answerDeadlineMs } from '../../kit/budgets.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onCommand } from '../../kit/on.ts';
import { notice } from '../../slack/blocks.ts';
import type { Command, Feature } from '../../slack/feature.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { createSubscriptionList } from './list.ts';
import {
  alreadySubscribed,
  botNotInChannel,
  channelArchived,
  confirmMessage,
  confirmValue,
  digestSubscribed,
  digestWord,
  hasCards,
  hasDigest,
  movedAway,
  movedHere,
  noCardChannel,
  notSubscribed,
  severalCampaigns,
  subscribed,
  unsubscribed,
  unsubscribedAnswer,
} from './subscriptions.view.ts';

type Deps = Modules & {
  /** Starts polling an account, and polls it at once. */
  readonly startPolling: (ref: AccountRef) => Promise<void>;
  /** Handling of channels that are gone or work again, or were replaced. */
  readonly watch: {
    check(workspace: WorkspaceId, channel: ChannelId): Promise<void>;
    replaced(ref: AccountRef, channel: ChannelId): Promise<void>;
  };
};

/** A requested subscription of a channel. */
interface Wanted {
  readonly ref: AccountRef;
  readonly channel: ChannelId;
  /** Absent: the whole account. */
  readonly campaign: Campaign | undefined;
}

/** Creates the subscriptions: which channel gets the tasks and messages of which account or campaign. */
export function createSubscriptionsFeature(deps: Deps): Feature {
  const { people, slack, clock, channels, watch } = deps;

  async function subscribeCommand(command: Command & { readonly ref: AccountRef }): Promise<void> {
    const { ref, workspace, channel, text } = command;
    const { isDigest, rest } = digestAsked(text);
    const campaign = rest === '' ? undefined : await findCampaign(ref, rest);
    await checkChannel(workspace, channel);
    const wanted = { ref, channel, campaign };
    if (isDigest) return command.answer(notice(await subscribeDigest(command, wanted)));
    const from = await takenFrom(wanted);
    const mustWait = await channels.shared.mustWait(ref, channel);
    if (from === undefined && !mustWait) return command.answer(notice(await subscribe(command, wanted)));
    const mayConfirm = mustWait && (await people.access.has(command, ref, 'settings'));
    const shared = mustWait ? (mayConfirm ? 'confirmable' : 'waits') : undefined;
    const value = { account: ref.account, ...(campaign ? { campaign: campaign.id } : {}) };
    await command.answer(confirmMessage({ campaign, from, shared, value }));
  }

  /** Subscribes after the member has confirmed its consequences: another channel loses it, or another company reads it. */
  const confirmed = onButton(confirmValue, { needs: 'subscribe', once: true }, async (click) => {
    const {
      ref,
      workspace,
      channel,
      value: { campaign: id },
    } = click;
    if (channel === undefined) return;
    await checkChannel(workspace, channel);
    const campaign = id === undefined ? undefined : await deps.campaigns.listings.byId(ref, id);
    if ((await channels.shared.mustWait(ref, channel)) && (await people.access.has(click, ref, 'settings')))
      await deps.people.grants.change(ref, { type: 'channel-confirmed', channel }, doneBy(click));
    const text = await subscribe(click, { ref, channel, campaign });
    await click.show(notice(text), text);
  });

  async function previousOf(ref: AccountRef, campaign: Campaign | undefined) {
    return (await channels.subscriptions.ofAccount(ref)).find((other) => other.campaign === campaign?.id);
  }

  /** Returns the channel that would lose the subscription; undefined for one that is gone, which Slack is asked. */
  async function takenFrom({ ref, channel, campaign }: Wanted): Promise<ChannelId | undefined> {
    const previous = await previousOf(ref, campaign);
    if (previous === undefined || previous.channel === channel) return undefined;
    await watch.check(ref.workspace, previous.channel);
    const isLost = (await channels.lost.get(ref.workspace, previous.channel)) !== undefined;
    return isLost ? undefined : previous.channel;
  }

  async function subscribe(
    { workspace, member }: Pick<Command, 'workspace' | 'member'>,
    { ref, channel, campaign }: Wanted,
  ): Promise<string> {
    const scope = campaign ? { campaign: campaign.id } : {};
    const previous = await previousOf(ref, campaign);
    if (previous?.channel === channel) {
      await watch.check(workspace, channel);
      await deps.startPolling(ref);
      return alreadySubscribed;
    }
    const subscription = {
      account: ref.account,
      ...scope,
      channel,
      by: member,
      at: clock.now(),
      started: false,
    };
    const had = await channels.subscriptions.put(workspace, subscription);
    await watch.check(workspace, channel);
    if (had) await watch.replaced(ref, had);
    const isGone = had !== undefined && (await channels.lost.get(workspace, had)) !== undefined;
    const movedFrom = isGone ? undefined : had;
    if (movedFrom) {
      await tell(ref, movedFrom, movedAway(member, campaign, channel));
      await tell(ref, channel, movedHere(member, campaign, movedFrom));
    }
    await deps.startPolling(ref);
    return subscribed(campaign, movedFrom, await channels.shared.mustWait(ref, channel));
  }

  const countQueues = (ref: AccountRef) => deps.jobs.add('count-queues', ref, { uniqueKey: ref.account });

  /** Subscribes a channel to counts of waiting tasks, without cards. Returns the answer, in mrkdwn. */
  async function subscribeDigest(
    { workspace, member }: Pick<Command, 'workspace' | 'member'>,
    { ref, channel, campaign }: Wanted,
  ): Promise<string> {
    const own = await channels.subscriptions.ofAccount(ref);
    const whole = own.find((one) => one.campaign === undefined);
    const cards = campaign ? (own.find((one) => one.campaign === campaign.id) ?? whole) : (whole ?? own[0]);
    if (cards === undefined) throw new UserError(noCardChannel);
    const hasAll = campaign !== undefined || own.every((one) => one.channel === channel);
    if (cards.channel === channel && hasAll) return hasCards;
    const scope = campaign ? { campaign: campaign.id } : {};
    const digest = { account: ref.account, ...scope, channel, by: member, at: clock.now() };
    const isNew = await channels.digests.put(workspace, digest);
    await countQueues(ref);
    return isNew ? digestSubscribed(campaign, await channels.shared.mustWait(ref, channel)) : hasDigest;
  }

  /** Notifies a channel of its changes; a failure blocks nothing. */
  async function tell({ workspace }: AccountRef, channel: ChannelId, text: string): Promise<boolean> {
    try {
      await slack.messengerOf(workspace).post(channel, notice(text));
      return true;
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      deps.log.warn({ channel, reason: messageOf(error) }, 'channel not told of a change of subscriptions');
      return false;
    }
  }

  /** Ends a channel's subscriptions, and tells it. Returns whether it was told; undefined if it had none. */
  async function end(
    actor: Pick<Command, 'workspace' | 'member' | 'how' | 'authorize'>,
    channel: ChannelId,
  ): Promise<boolean | undefined> {
    const { workspace, authorize } = actor;
    const ofInbox = await channels.inbox.accountsIn(workspace, channel);
    const ofTasks = await channels.subscriptions.ofChannel(workspace, channel);
    const ofDigests = await channels.digests.ofChannel(workspace, channel);
    const accounts = new Set([...[...ofTasks, ...ofDigests].map(({ account }) => account), ...ofInbox]);
    // Each account has its own owners.
    for (const account of accounts) await authorize({ account });
    const by = doneBy(actor);
    // Tasks without a card in campaigns subscribed here now wait for the account's channel.
    for (const { account } of await channels.subscriptions.removeChannel(workspace, channel, by))
      await deps.jobs.add('fill-windows', { workspace, account }, { uniqueKey: account });
    for (const { account } of await channels.digests.removeChannel(workspace, channel, by))
      await countQueues({ workspace, account });
    for (const account of ofInbox) {
      const nowhere = { by: actor.member, at: clock.now() };
      await channels.inbox.choose({ workspace, account }, nowhere, actor);
    }
    const [account] = accounts;
    return account && tell({ workspace, account }, channel, unsubscribed(actor.member));
  }

  async function unsubscribe(command: Command): Promise<void> {
    const isTold = await end(command, command.channel);
    if (isTold === undefined) {
      await command.authorize();
      return command.answer(notice(notSubscribed));
    }
    if (!isTold) await command.answer(notice(unsubscribedAnswer));
  }

  const list = createSubscriptionList({ ...deps, tell, replaced: watch.replaced, checkChannel, end });

  async function findCampaign(ref: AccountRef, wanted: string): Promise<Campaign> {
    const match = await deps.campaigns.listings.find(ref, wanted, answerDeadlineMs);
    if ('several' in match) throw new UserError(severalCampaigns(wanted, match.several));
    return match.campaign;
  }

  async function checkChannel(workspace: WorkspaceId, channel: ChannelId): Promise<void> {
    try {
      const { isMember, isArchived } = await slack.messengerOf(workspace).channel(channel);
      if (isArchived) throw new UserError(channelArchived);
      if (!isMember) throw new UserError(botNotInChannel);
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      // A private channel without the bot is invisible to it.
      if (error.code === 'channel_not_found') throw new UserError(botNotInChannel);
      if (error.kind !== 'refused') throw error;
    }
  }

  return {
    commands: [
      onCommand(
        {
          command: '/proofdesk',
          word: 'subscribe',
          usage: '[digest] [campaign]',
          help: 'Posts the cards of your account, or of one campaign, in this channel. With `digest`: only a count of waiting tasks.',
          needs: 'subscribe',
        },
        subscribeCommand,
      ),
      {
        command: '/proofdesk',
        word: 'unsubscribe',
        usage: '',
        help: 'Stops posting new tasks and messages in this channel.',
        needs: 'subscribe',
        run: unsubscribe,
      },
      ...list.commands,
    ],
    clicks: { ...list.clicks, 'subscriptions.confirm': confirmed },
    submissions: list.submissions,
  };
}

/** Returns whether a digest is requested, and for which campaign ('' for all). */
function digestAsked(text: string): { readonly isDigest: boolean; readonly rest: string } {
  const [first = '', ...others] = text.trim().split(/\s+/);
  const isDigest = first.toLowerCase() === digestWord;
  return { isDigest, rest: isDigest ? others.join(' ') : text };
}
