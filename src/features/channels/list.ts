import { type AccountRef, type CampaignId, ChannelId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { channelZone } from '../../kit/channels.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onForm, onList } from '../../kit/on.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Actor, Asker, Click, Feature, Origin } from '../../slack/feature.ts';
import { chosenChannel } from '../../slack/form-values.ts';
import { pageOf } from '../../slack/paging.ts';
import { createList } from '../../ui/list.ts';
import {
  type ChannelRow,
  campaignsOf,
  endAction,
  endedText,
  type InboxRow,
  inboxChannelForm,
  inboxChannelModal,
  inboxChannelState,
  inboxChosen,
  inboxComesHere,
  inboxGoesElsewhere,
  inboxInput,
  muteNotice,
  openInboxChannel,
  openList,
  pageAction,
  type SubscriptionList,
  subscriptionListCodec,
  subscriptionsMessage,
} from './list.view.ts';
import {
  channelSettingsForm,
  channelSettingsIn,
  channelSettingsModal,
  channelSettingsState,
  openChannelSettings,
  settingsStored,
} from './settings.view.ts';

type Deps = Omit<ChannelFormDeps, 'render'> &
  Modules & {
    /** Ends a channel's subscriptions, and notifies it. */
    readonly end: (actor: Click, channel: ChannelId) => Promise<void>;
  };

/** Creates `/proofdesk subscriptions`: the subscriptions and settings of an account's channels. */
export function createSubscriptionList(deps: Deps) {
  const { people, channels } = deps;

  /** Returns each channel's subscriptions, the account's own channel first. Zones are looked up only for one page. */
  async function rowsOf(ref: AccountRef, page: number, inbox: ChannelId | undefined): Promise<ChannelRow[]> {
    const subscribed = await channels.subscriptions.ofAccount(ref);
    const byChannel = new Map<ChannelId, { hasAccount: boolean; ids: CampaignId[] }>();
    for (const { channel, campaign } of subscribed) {
      const found = byChannel.get(channel) ?? { hasAccount: false, ids: [] };
      if (campaign === undefined) found.hasAccount = true;
      else found.ids.push(campaign);
      byChannel.set(channel, found);
    }
    if (inbox !== undefined && !byChannel.has(inbox)) byChannel.set(inbox, { hasAccount: false, ids: [] });
    const digests = await deps.channels.digests.ofAccount(ref);
    for (const { channel } of digests)
      if (!byChannel.has(channel)) byChannel.set(channel, { hasAccount: false, ids: [] });
    const ordered = [...byChannel].sort(([, a], [, b]) => Number(b.hasAccount) - Number(a.hasAccount));
    const { here } = pageOf(ordered, page);
    const shown = new Set(here.map(([channel]) => channel));
    const listed = await deps.campaigns.getMany(ref, [
      ...here.flatMap(([, { ids }]) => ids),
      ...digests.flatMap(({ campaign }) => campaign ?? []),
    ]);
    const settings = await channels.settings.getMany(
      ref.workspace,
      ordered.map(([channel]) => channel),
    );
    return Promise.all(
      ordered.map(async ([channel, { hasAccount, ids }]) => ({
        channel,
        hasAccount,
        campaigns: campaignsOf(ids, listed),
        hasInbox: channel === inbox,
        digests: digests.flatMap(({ channel: of, campaign }) =>
          of === channel ? [campaign === undefined ? undefined : campaignsOf([campaign], listed)[0]] : [],
        ),
        settings: settings.get(channel) ?? { muted: [] },
        zone: shown.has(channel) ? await channelZone(deps, ref, channel, subscribed) : deps.marketplace.zone,
      })),
    );
  }

  async function inboxOf(ref: AccountRef): Promise<InboxRow> {
    const channel = await deps.channels.routing.chosenForInbox(ref);
    if (channel === undefined) return {};
    const { muted } = await channels.settings.get(ref.workspace, channel);
    return { channel, isMuted: muted.includes('inbox') };
  }

  const list = createList<SubscriptionList>({
    codec: subscriptionListCodec,
    command: '/proofdesk subscriptions',
    async render(ref, shown, actor, outcome) {
      const mayChange = await people.access.has(actor, ref, 'subscribe');
      const inbox = await inboxOf(ref);
      const rows = await rowsOf(ref, shown.page, inbox.channel);
      return subscriptionsMessage({ list: shown, rows, inbox, mayChange, outcome });
    },
  });
  const open = list.open((account) => ({ account, page: 0 }));
  const forms = createChannelForms({ ...deps, render: list.render });

  return {
    commands: [
      {
        command: '/proofdesk',
        word: 'subscriptions',
        usage: '',
        help: 'Lists what each channel gets, with its settings: limits, times, what is muted.',
        needs: 'see',
        run: open,
      },
    ],
    clicks: {
      [openList]: { needs: 'see', isSlow: true, once: true, run: open },
      ...list.pages(pageAction),
      ...forms.clicks,
      [endAction]: list.act('subscribe', async (click) => {
        const channel = ChannelId.parse(click.value);
        await deps.end(click, channel);
        return endedText(channel);
      }),
    },
    submissions: forms.submissions,
  } as const satisfies Feature;
}

export type ChannelFormDeps = Modules & {
  /** Throws a UserError if the bot cannot post in a channel. */
  readonly checkChannel: (ref: AccountRef, channel: ChannelId) => Promise<void>;
  /** Moves needed messages of a lost channel to its replacement. */
  readonly replaced: (ref: AccountRef, channel: ChannelId) => Promise<void>;
  readonly startPolling: (ref: AccountRef) => Promise<void>;
  /** Notifies a channel; a failure blocks nothing. */
  readonly tell: (ref: AccountRef, channel: ChannelId, text: string) => Promise<boolean>;
  /** Renders the list of subscriptions. @param outcome of the last action, in mrkdwn */
  readonly render: (
    ref: AccountRef,
    list: SubscriptionList,
    actor: Actor,
    outcome: string,
  ) => Promise<Message>;
};

/** The list from which a form was opened. */
interface OpenedFrom {
  readonly page: number;
  readonly origin: Origin;
}

/** Creates the forms above the list of subscriptions: a channel's settings, and the inbox channel. */
export function createChannelForms(deps: ChannelFormDeps) {
  const { channels } = deps;

  /** Authorizes a member for every account with messages in a channel, because its settings apply to all of them. */
  async function authorizeFor(
    actor: Pick<Click, 'workspace' | 'authorize'>,
    ref: AccountRef,
    channel: ChannelId,
  ): Promise<void> {
    const here = await channels.subscriptions.ofChannel(actor.workspace, channel);
    for (const account of new Set(here.map((one) => one.account)))
      if (account !== ref.account) await actor.authorize({ account });
  }

  const openSettings = onList(subscriptionListCodec, 'subscribe', async (click) => {
    const { ref, list, workspace, origin } = click;
    const channel = ChannelId.parse(click.value);
    await authorizeFor(click, ref, channel);
    const [settings, subscribed] = await Promise.all([
      channels.settings.get(workspace, channel),
      channels.subscriptions.ofAccount(ref),
    ]);
    const zone = await channelZone(deps, ref, channel, subscribed);
    const state = channelSettingsState.encode({ ...list, origin, channel });
    await click.open(channelSettingsModal(channel, settings, zone, state));
  });

  const saveSettings = onForm(channelSettingsState, 'subscribe', async (submission) => {
    const { ref, workspace, member, state } = submission;
    const { channel } = state;
    await authorizeFor(submission, ref, channel);
    const parsed = channelSettingsIn(submission.values);
    if ('errors' in parsed) return parsed;
    const actor = { ...doneBy(submission), account: ref.account };
    const { before, after } = await channels.settings.change(
      workspace,
      channel,
      () => parsed.settings,
      actor,
    );
    return {
      async afterwards() {
        const said = muteNotice(member, before, after);
        if (said !== undefined) await deps.tell(ref, channel, said);
        const zone = await channelZone(deps, ref, channel, await channels.subscriptions.ofAccount(ref));
        await showList(submission, ref, state, settingsStored(channel, after, zone));
      },
    };
  });

  const openInbox = onList(subscriptionListCodec, 'subscribe', async ({ ref, list, origin, open }) =>
    open(
      inboxChannelModal(
        await channels.routing.chosenForInbox(ref),
        inboxChannelState.encode({ ...list, origin }),
      ),
    ),
  );

  const saveInbox = onForm(inboxChannelState, 'subscribe', async (submission) => {
    const { ref, member, values, state } = submission;
    const picked = chosenChannel(values, inboxInput);
    const channel = picked === undefined ? undefined : ChannelId.parse(picked);
    const problem = channel === undefined ? undefined : await problemOf(ref, channel);
    if (problem !== undefined) return { errors: { [inboxInput]: problem } };
    const before = await deps.channels.routing.chosenForInbox(ref);
    const choice = { ...(channel === undefined ? {} : { channel }), by: member, at: deps.clock.now() };
    const changed = await deps.channels.inbox.choose(ref, choice, submission);
    return {
      async afterwards() {
        if (changed) await deps.startPolling(ref);
        if (changed && channel !== before) {
          if (before !== undefined) await deps.replaced(ref, before);
          if (before !== undefined) await deps.tell(ref, before, inboxGoesElsewhere(member, channel));
          if (channel !== undefined) await deps.tell(ref, channel, inboxComesHere(member));
        }
        await showList(submission, ref, state, inboxChosen(channel));
      },
    };
  });

  /** Returns why the inbox cannot go to a channel, in plain text; undefined if it can. */
  async function problemOf(ref: AccountRef, channel: ChannelId): Promise<string | undefined> {
    try {
      await deps.checkChannel(ref, channel);
      return undefined;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return error.message;
    }
  }

  /** Updates the list in place, or reports the outcome where the form was opened. */
  async function showList(
    submission: Actor & Asker,
    ref: AccountRef,
    { page, origin }: OpenedFrom,
    outcome: string,
  ): Promise<void> {
    const list = await deps.render(ref, { account: ref.account, page }, submission, outcome);
    await submission.show(list, outcome, origin);
  }

  return {
    clicks: { [openChannelSettings]: openSettings, [openInboxChannel]: openInbox },
    submissions: { [channelSettingsForm]: saveSettings, [inboxChannelForm]: saveInbox },
  } as const satisfies Feature;
}
