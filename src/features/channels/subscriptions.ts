import type { Campaign } from '../../domain/campaign.ts';
import { noChannelSettings } from '../../domain/channel-settings.ts';
import {
  type AccountRef,
  type CampaignId,
  ChannelId,
  type MemberId,
  type WorkspaceId,
} from '../../domain/terms.ts';
import { messageOf, UserError } from '../../errors.ts';
import { answerDeadlineMs } from '../../kit/budgets.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCommand, onForm, onList } from '../../kit/on.ts';
import { notice, pageOf } from '../../slack/blocks.ts';
import type { Actor, Asker, Command, Feature, Origin } from '../../slack/feature.ts';
import { picked } from '../../slack/form-values.ts';
import { ignoreSlackError, SlackError } from '../../slack/slack-error.ts';
import { createList } from '../../ui/list.ts';
import type { createChannels } from './index.ts';
import {
  type ChannelRow,
  channelSettingsIn,
  channelSettingsModal,
  channelSettingsState,
  endedText,
  inboxChannelModal,
  inboxChannelState,
  inboxChosen,
  inboxInput,
  type SubscriptionList,
  settingsStored,
  subscriptionListCodec,
  subscriptionsMessage,
} from './list.view.ts';
import {
  alreadySubscribed,
  botNotInChannel,
  channelArchived,
  digestSubscribed,
  digestWord,
  hasCards,
  movedAway,
  movedHere,
  noCardChannel,
  notSubscribed,
  severalCampaigns,
  subscribed,
  unsubscribed,
  unsubscribedAnswer,
  whatInbox,
  whatMoves,
} from './subscriptions.view.ts';

type Deps = Modules & {
  /** Starts polling an account, and polls it at once. */
  readonly startPolling: (ref: AccountRef) => Promise<void>;
  readonly watch: Pick<ReturnType<typeof createChannels>, 'problemOf' | 'suspect'>;
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
  const { clock, channels, watch } = deps;
  const acts = createActs(deps);
  const { problemWith, tellMoved, end } = acts;
  const list = createSubscriptionList(deps, acts);

  async function subscribeCommand(command: Command & { readonly ref: AccountRef }): Promise<void> {
    const { ref, workspace, channel, text } = command;
    const { isDigest, rest } = digestAsked(text);
    const campaign = rest === '' ? undefined : await findCampaign(ref, rest);
    const problem = await problemWith(workspace, channel);
    if (problem !== undefined) throw new UserError(problem);
    const wanted = { ref, channel, campaign };
    if (isDigest) return command.answer(notice(await subscribeDigest(command, wanted)));
    return command.answer(notice(await subscribe(command, wanted)));
  }

  /** Returns the channel that loses the subscription; undefined for one that is gone, which Slack is asked. */
  async function unlessGone(
    { channel, ref: { workspace } }: Wanted,
    previous: ChannelId | undefined,
  ): Promise<ChannelId | undefined> {
    if (previous === undefined || previous === channel) return undefined;
    if ((await watch.problemOf(workspace, previous).catch(ignoreSlackError)) === undefined) return previous;
    await watch.suspect({ workspace, channel: previous });
    return undefined;
  }

  /** Subscribes a channel. The one that loses it is told. Returns the answer, in mrkdwn. */
  async function subscribe(
    { workspace, member }: Pick<Command, 'workspace' | 'member'>,
    wanted: Wanted,
  ): Promise<string> {
    const { ref, channel, campaign } = wanted;
    const all = await channels.subscriptions.ofAccount(ref);
    if (all.find((other) => other.campaign === campaign?.id)?.channel === channel) {
      await deps.startPolling(ref);
      return alreadySubscribed;
    }
    const scope = { account: ref.account, ...(campaign ? { campaign: campaign.id } : {}) };
    const subscription = { ...scope, channel, by: member, at: clock.now(), started: false };
    const movedFrom = await unlessGone(wanted, await channels.subscriptions.put(workspace, subscription));
    if (movedFrom) await tellMoved(ref, member, whatMoves(campaign), movedFrom, channel);
    await deps.startPolling(ref);
    return subscribed(campaign, movedFrom, await channels.shared.mustWait(ref, channel));
  }

  /** Subscribes a channel to counts of waiting tasks, without cards. Returns the answer, in mrkdwn. */
  async function subscribeDigest(
    { workspace, member }: Pick<Command, 'workspace' | 'member'>,
    { ref, channel, campaign }: Wanted,
  ): Promise<string> {
    const { subscriptions } = channels;
    const own = await (campaign ? subscriptions.forCampaign(ref, campaign.id) : subscriptions.ofAccount(ref));
    const cards = [own ?? []].flat();
    if (cards.length === 0) throw new UserError(noCardChannel);
    if (cards.every((one) => one.channel === channel)) return hasCards;
    const scope = campaign ? { campaign: campaign.id } : {};
    const digest = { account: ref.account, ...scope, channel, by: member, at: clock.now() };
    await channels.digests.put(workspace, digest);
    return digestSubscribed(campaign, await channels.shared.mustWait(ref, channel));
  }

  async function unsubscribe(command: Command): Promise<void> {
    const isTold = await end(command, command.channel);
    if (isTold === undefined) {
      await command.authorize();
      return command.answer(notice(notSubscribed));
    }
    if (!isTold) await command.answer(notice(unsubscribedAnswer));
  }

  async function findCampaign(ref: AccountRef, wanted: string): Promise<Campaign> {
    const match = await deps.campaigns.listings.find(ref, wanted, answerDeadlineMs);
    if ('several' in match) throw new UserError(severalCampaigns(wanted, match.several));
    return match.campaign;
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
    clicks: list.clicks,
    submissions: list.submissions,
  };
}

/** Returns whether a digest is requested, and for which campaign ('' for all). */
function digestAsked(text: string): { readonly isDigest: boolean; readonly rest: string } {
  const [first = '', ...others] = text.trim().split(/\s+/);
  const isDigest = first.toLowerCase() === digestWord;
  return { isDigest, rest: isDigest ? others.join(' ') : text };
}

/** A channel of which Slack says nothing to the bot, such as one without the scope, may be used. */
function ignoreRefused(error: unknown): undefined {
  if (!(error instanceof SlackError) || error.kind !== 'refused') throw error;
}

/** Creates what the commands do, and the list too. */
function createActs({ slack, clock, channels, log, watch }: Deps) {
  /** Returns why a channel cannot be posted to, and what to do; undefined if it can. */
  async function problemWith(workspace: WorkspaceId, channel: ChannelId): Promise<string | undefined> {
    const problem = await watch.problemOf(workspace, channel).catch(ignoreRefused);
    if (problem === undefined) return undefined;
    return problem === 'is_archived' ? channelArchived : botNotInChannel;
  }

  /** Notifies a channel of its changes; a failure blocks nothing. */
  async function tell({ workspace }: AccountRef, channel: ChannelId, text: string): Promise<boolean> {
    try {
      await slack.messengerOf(workspace).post(channel, notice(text));
      return true;
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      log.warn({ channel, reason: messageOf(error) }, 'channel not told of a change of subscriptions');
      return false;
    }
  }

  /** Tells both channels, but not one that is shared with another company and unconfirmed, that it gets something now. */
  async function tellMoved(
    ref: AccountRef,
    by: MemberId,
    what: string,
    from: ChannelId | undefined,
    to: ChannelId | undefined,
  ): Promise<void> {
    if (from !== undefined) await tell(ref, from, movedAway(by, what, to));
    if (to !== undefined && !(await channels.shared.mustWait(ref, to)))
      await tell(ref, to, movedHere(by, what, from));
  }

  /** Authorizes a member for every account with messages in a channel, each of which has its own owners. Returns these. */
  async function authorizeAll(
    { workspace, authorize }: Pick<Command, 'workspace' | 'authorize'>,
    channel: ChannelId,
  ) {
    const ofInbox = await channels.inbox.accountsIn(workspace, channel);
    const ofTasks = await channels.subscriptions.ofChannel(workspace, channel);
    const ofDigests = await channels.digests.ofChannel(workspace, channel);
    const accounts = new Set([...[...ofTasks, ...ofDigests].map(({ account }) => account), ...ofInbox]);
    for (const account of accounts) await authorize({ account });
    return { accounts, ofInbox };
  }

  /** Ends a channel's subscriptions, and tells it. Returns whether it was told; undefined if it had none. */
  async function end(
    actor: Pick<Command, 'workspace' | 'member' | 'how' | 'authorize'>,
    channel: ChannelId,
  ): Promise<boolean | undefined> {
    const { workspace } = actor;
    const { accounts, ofInbox } = await authorizeAll(actor, channel);
    const by = doneBy(actor);
    await channels.subscriptions.removeChannel(workspace, channel, by);
    await channels.digests.removeChannel(workspace, channel, by);
    for (const account of ofInbox)
      await channels.inbox.choose({ workspace, account }, { by: actor.member, at: clock.now() }, actor);
    const [account] = accounts;
    return account && tell({ workspace, account }, channel, unsubscribed(actor.member));
  }

  return { problemWith, tellMoved, authorizeAll, end };
}

/**
 * Creates `/proofdesk subscriptions`: what an account's channels get, with the forms for a channel's settings and for the
 * inbox channel above it.
 */
function createSubscriptionList(
  deps: Deps,
  { problemWith, tellMoved, authorizeAll, end }: ReturnType<typeof createActs>,
) {
  const { people, channels } = deps;

  /** Returns each channel's subscriptions, the account's own channel first. */
  async function rowsOf(ref: AccountRef, wanted: number, inbox: ChannelId | undefined) {
    const [subscribed, digests] = await Promise.all([
      channels.subscriptions.ofAccount(ref),
      channels.digests.ofAccount(ref),
    ]);
    const all = new Set([
      ...subscribed.filter(({ campaign }) => campaign === undefined).map(({ channel }) => channel),
      ...subscribed.map(({ channel }) => channel),
      ...(inbox === undefined ? [] : [inbox]),
      ...digests.map(({ channel }) => channel),
    ]);
    const page = pageOf([...all], wanted);
    const ids = [...subscribed, ...digests].flatMap(({ campaign }) => campaign ?? []);
    const [listed, settings] = await Promise.all([
      deps.campaigns.getMany(ref, ids),
      channels.settings.getMany(ref.workspace, page.here),
    ]);
    const here = page.here.map((channel): ChannelRow => {
      const campaignsIn = (those: readonly { channel: ChannelId; campaign?: CampaignId }[]) =>
        those
          .filter((one) => one.channel === channel)
          .map(({ campaign: id }) => id && (listed.get(id) ?? { id, title: '' }));
      return {
        channel,
        cards: campaignsIn(subscribed),
        digests: campaignsIn(digests),
        settings: settings.get(channel) ?? noChannelSettings,
      };
    });
    return { ...page, here, count: all.size };
  }

  const list = createList<SubscriptionList>({
    codec: subscriptionListCodec,
    async render(ref, shown, actor, outcome) {
      const mayChange = await people.access.has(actor, ref, 'subscribe');
      const inbox = await channels.routing.forInbox(ref);
      const rows = await rowsOf(ref, shown.page, inbox);
      return subscriptionsMessage({ account: ref.account, rows, inbox, mayChange, outcome });
    },
  });
  const open = list.open((account) => ({ account, page: 0 }));

  /** Updates the list in place, or reports the outcome where the form was opened. */
  async function showList(
    submission: Actor & Asker,
    ref: AccountRef,
    { page, origin }: { readonly page: number; readonly origin: Origin },
    outcome: string,
  ): Promise<void> {
    const shown = await list.render(ref, { account: ref.account, page }, submission, outcome);
    await submission.show(shown, outcome, origin);
  }

  const openSettings = onList(subscriptionListCodec, 'subscribe', async (click) => {
    const { list, workspace, origin } = click;
    const channel = ChannelId.parse(click.value);
    await authorizeAll(click, channel);
    const settings = await channels.settings.get(workspace, channel);
    const state = channelSettingsState.encode({ ...list, origin, channel });
    await click.open(channelSettingsModal(channel, settings, state));
  });

  const saveSettings = onForm(channelSettingsState, 'subscribe', async (submission) => {
    const { ref, workspace, state } = submission;
    const { channel } = state;
    await authorizeAll(submission, channel);
    const after = channelSettingsIn(submission.values);
    const actor = { ...doneBy(submission), account: ref.account };
    await channels.settings.set(workspace, channel, after, actor);
    return { afterwards: () => showList(submission, ref, state, settingsStored(channel)) };
  });

  const openInbox = onList(subscriptionListCodec, 'subscribe', async ({ ref, list, origin, open }) =>
    open(
      inboxChannelModal(await channels.routing.forInbox(ref), inboxChannelState.encode({ ...list, origin })),
    ),
  );

  const saveInbox = onForm(inboxChannelState, 'subscribe', async (submission) => {
    const { ref, workspace, member, values, state } = submission;
    const channel = ChannelId.optional().parse(picked(values, inboxInput));
    const problem = channel && (await problemWith(workspace, channel));
    if (problem !== undefined) return { errors: { [inboxInput]: problem } };
    const before = await channels.routing.forInbox(ref);
    const choice = { ...(channel === undefined ? {} : { channel }), by: member, at: deps.clock.now() };
    const changed = await channels.inbox.choose(ref, choice, submission);
    return {
      async afterwards() {
        if (changed) await deps.startPolling(ref);
        if (changed && channel !== before) await tellMoved(ref, member, whatInbox, before, channel);
        await showList(submission, ref, state, inboxChosen(channel));
      },
    };
  });

  return {
    commands: [
      {
        command: '/proofdesk',
        word: 'subscriptions',
        usage: '',
        help: 'Lists what each channel gets, with its settings.',
        needs: 'see',
        run: open,
      },
    ],
    clicks: {
      'subscriptions.open': { needs: 'see', isSlow: true, once: true, run: open },
      ...list.pages('subscriptions.page'),
      'subscriptions.settings': openSettings,
      'subscriptions.inbox': openInbox,
      'subscriptions.end': list.act('subscribe', async (click) => {
        const channel = ChannelId.parse(click.value);
        await end(click, channel);
        return endedText(channel);
      }),
    },
    submissions: { 'subscriptions.settings': saveSettings, 'subscriptions.inbox': saveInbox },
  } as const satisfies Feature;
}
