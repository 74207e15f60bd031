import { noChannelSettings } from '../../domain/channel-settings.ts';
import { type AccountRef, type CampaignId, ChannelId, type WorkspaceId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { channelZone } from '../../kit/channels.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onForm, onList } from '../../kit/on.ts';
import { pageOf } from '../../slack/blocks.ts';
import type { Actor, Asker, Click, Feature, Origin } from '../../slack/feature.ts';
import { chosenChannel } from '../../slack/form-values.ts';
import { createList } from '../../ui/list.ts';
import {
  type ChannelRow,
  channelSettingsIn,
  channelSettingsModal,
  channelSettingsState,
  endedText,
  type InboxRow,
  inboxChannelModal,
  inboxChannelState,
  inboxChosen,
  inboxComesHere,
  inboxGoesElsewhere,
  inboxInput,
  muteNotice,
  type SubscriptionList,
  settingsStored,
  subscriptionListCodec,
  subscriptionsMessage,
} from './list.view.ts';

type Deps = Modules & {
  readonly startPolling: (ref: AccountRef) => Promise<void>;
  /** Throws a UserError if the bot cannot post in a channel. */
  readonly checkChannel: (workspace: WorkspaceId, channel: ChannelId) => Promise<void>;
  /** Moves needed messages of a lost channel to its replacement. */
  readonly replaced: (ref: AccountRef, channel: ChannelId) => Promise<void>;
  /** Notifies a channel; a failure blocks nothing. */
  readonly tell: (ref: AccountRef, channel: ChannelId, text: string) => Promise<boolean>;
  /** Ends a channel's subscriptions, and notifies it. */
  readonly end: (actor: Click, channel: ChannelId) => Promise<unknown>;
};

/**
 * Creates `/proofdesk subscriptions`: what an account's channels get, with the forms for a channel's settings and for the
 * inbox channel above it.
 */
export function createSubscriptionList(deps: Deps) {
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
    const rows = page.here.map(async (channel): Promise<ChannelRow> => {
      const campaignsIn = (those: readonly { channel: ChannelId; campaign?: CampaignId }[]) =>
        those
          .filter((one) => one.channel === channel)
          .map(({ campaign: id }) => id && (listed.get(id) ?? { id, title: '' }));
      const cards = campaignsIn(subscribed);
      return {
        channel,
        hasAccount: cards.includes(undefined),
        campaigns: cards.filter((campaign) => campaign !== undefined),
        hasInbox: channel === inbox,
        digests: campaignsIn(digests),
        settings: settings.get(channel) ?? noChannelSettings,
        zone: await channelZone(deps, ref, channel, subscribed),
      };
    });
    return { ...page, here: await Promise.all(rows), count: all.size };
  }

  async function inboxOf(ref: AccountRef): Promise<InboxRow> {
    const channel = await channels.routing.chosenForInbox(ref);
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
    const { before, after } = await channels.settings.set(workspace, channel, parsed.settings, actor);
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
    const { ref, workspace, member, values, state } = submission;
    const channel = ChannelId.optional().parse(chosenChannel(values, inboxInput));
    try {
      if (channel !== undefined) await deps.checkChannel(workspace, channel);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { errors: { [inboxInput]: error.message } };
    }
    const before = await channels.routing.chosenForInbox(ref);
    const choice = { ...(channel === undefined ? {} : { channel }), by: member, at: deps.clock.now() };
    const changed = await channels.inbox.choose(ref, choice, submission);
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
        await deps.end(click, channel);
        return endedText(channel);
      }),
    },
    submissions: { 'subscriptions.settings': saveSettings, 'subscriptions.inbox': saveInbox },
  } as const satisfies Feature;
}
