import { type AccountRef, ChannelId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { channelZone } from '../../kit/channels.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onForm, onList } from '../../kit/on.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Actor, Asker, Click, Feature, Origin } from '../../slack/feature.ts';
import { chosenChannel } from '../../slack/form-values.ts';
import { muteNotice } from './channel-words.ts';
import {
  inboxChannelForm,
  inboxChannelModal,
  inboxChannelState,
  inboxChosen,
  inboxComesHere,
  inboxGoesElsewhere,
  inboxInput,
  openInboxChannel,
} from './inbox-channel.view.ts';
import { type SubscriptionList, subscriptionListCodec } from './list.view.ts';
import {
  channelSettingsForm,
  channelSettingsIn,
  channelSettingsModal,
  channelSettingsState,
  openChannelSettings,
  settingsStored,
} from './settings.view.ts';

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
