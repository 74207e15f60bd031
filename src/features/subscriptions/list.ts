import type { AccountRef, CampaignId, ChannelId } from '../../domain/terms.ts';
import { ChannelId as ChannelIdSchema } from '../../domain/terms.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Click, Command, Feature, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { notice } from '../../slack/notice.ts';
import { pageOf } from '../../slack/paging.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { doneBy } from '../shared/audited-act.ts';
import { channelZone } from '../shared/channel-zone.ts';
import type { FeatureContext } from '../shared/context.ts';
import { clickedList } from '../shared/list.ts';
import { muteNotice } from './channel-words.ts';
import {
  type ChannelRow,
  campaignsOf,
  endAction,
  endedText,
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

type Deps = Pick<
  FeatureContext,
  | 'access'
  | 'campaigns'
  | 'channelSettings'
  | 'claimOnce'
  | 'messengerOf'
  | 'slackPeople'
  | 'subscriptions'
  | 'zone'
> & {
  /** Ends what a channel gets, and tells it. */
  readonly end: (actor: Click, channel: ChannelId) => Promise<void>;
  /** Tells a channel something; that it cannot be told stops nothing. */
  readonly tell: (ref: AccountRef, channel: ChannelId, text: string) => Promise<boolean>;
};

/** Creates `/proofdesk subscriptions`: what every channel of an account gets, with the settings of each. */
export function createSubscriptionList(deps: Deps) {
  const { access, channelSettings, messengerOf, subscriptions } = deps;

  /** Returns what each channel of an account gets, the account's own channel first. Zones are looked up for a page only. */
  async function rowsOf(ref: AccountRef, page: number): Promise<ChannelRow[]> {
    const subscribed = await subscriptions.ofAccount(ref);
    const byChannel = new Map<ChannelId, { hasAccount: boolean; ids: CampaignId[] }>();
    for (const { channel, campaign } of subscribed) {
      const found = byChannel.get(channel) ?? { hasAccount: false, ids: [] };
      if (campaign === undefined) found.hasAccount = true;
      else found.ids.push(campaign);
      byChannel.set(channel, found);
    }
    const ordered = [...byChannel].sort(([, a], [, b]) => Number(b.hasAccount) - Number(a.hasAccount));
    const { here } = pageOf(ordered, page);
    const shown = new Set(here.map(([channel]) => channel));
    const listed = await deps.campaigns.getMany(
      ref,
      here.flatMap(([, { ids }]) => ids),
    );
    const settings = await channelSettings.getMany(
      ref.workspace,
      ordered.map(([channel]) => channel),
    );
    return Promise.all(
      ordered.map(async ([channel, { hasAccount, ids }]) => ({
        channel,
        hasAccount,
        campaigns: campaignsOf(ids, listed),
        settings: settings.get(channel) ?? { muted: [] },
        zone: shown.has(channel) ? await channelZone(deps, ref, channel, subscribed) : deps.zone,
      })),
    );
  }

  async function render(
    actor: Pick<Click, 'workspace' | 'team' | 'member'>,
    ref: AccountRef,
    list: SubscriptionList,
    outcome?: string,
  ): Promise<Message> {
    const mayChange = await access.has(actor, ref, 'subscribe');
    return subscriptionsMessage({ list, rows: await rowsOf(ref, list.page), mayChange, outcome });
  }

  async function open(command: Command): Promise<void> {
    const ref = await command.authorize();
    await command.answer(await render(command, ref, { account: ref.account, page: 0 }));
  }

  async function showPage(click: Click): Promise<void> {
    const { ref, list } = await clickedList(click, subscriptionListCodec);
    const asked = subscriptionListCodec.update(list, { page: click.value });
    await click.replace(await render(click, ref, asked));
  }

  /** Authorizes somebody for every account that a channel gets something of: its settings hold for all of them. */
  async function authorizeFor(
    actor: Pick<Click, 'workspace' | 'authorize'>,
    ref: AccountRef,
    channel: ChannelId,
  ): Promise<void> {
    const here = (await subscriptions.all(actor.workspace)).filter((one) => one.channel === channel);
    for (const account of new Set(here.map((one) => one.account)))
      if (account !== ref.account) await actor.authorize({ account });
  }

  async function openSettings(click: Click): Promise<void> {
    const { ref, list } = await clickedList(click, subscriptionListCodec);
    const channel = ChannelIdSchema.parse(click.value);
    await authorizeFor(click, ref, channel);
    const { workspace, responseUrl, channel: from } = click;
    const [settings, subscribed] = await Promise.all([
      channelSettings.get(workspace, channel),
      subscriptions.ofAccount(ref),
    ]);
    const zone = await channelZone(deps, ref, channel, subscribed);
    const state = channelSettingsState.encode({
      account: ref.account,
      channel,
      page: list.page,
      responseUrl,
      from,
    });
    await messengerOf(workspace).openModal(
      click.triggerId,
      channelSettingsModal(channel, settings, zone, state),
    );
  }

  async function saveSettings(submission: Submission): Promise<SubmissionAnswer | undefined> {
    const { workspace, member } = submission;
    const state = channelSettingsState.decode(submission.state);
    const { channel } = state;
    const ref = await submission.authorize({ account: state.account });
    await authorizeFor(submission, ref, channel);
    const parsed = channelSettingsIn(submission.values);
    if ('errors' in parsed) return parsed;
    const actor = { ...doneBy(submission), account: ref.account };
    const { changed, before, after } = await channelSettings.change(
      workspace,
      channel,
      () => parsed.settings,
      actor,
    );
    if (!changed) return undefined;
    return {
      async afterwards() {
        const said = muteNotice(member, before, after);
        if (said !== undefined) await deps.tell(ref, channel, said);
        const list = { account: ref.account, page: state.page };
        const message = await render(submission, ref, list, settingsStored(channel));
        await replaceList(submission, state, message);
      },
    };
  }

  /** Shows the list again where it stands, or says what was done where it was asked for. */
  async function replaceList(
    { workspace, member }: Pick<Submission, 'workspace' | 'member'>,
    {
      responseUrl,
      from,
      channel,
    }: { responseUrl?: string | undefined; from?: ChannelId | undefined; channel: ChannelId },
    message: Message,
  ): Promise<void> {
    const messenger = messengerOf(workspace);
    try {
      if (responseUrl !== undefined) return await messenger.replaceEphemeral(responseUrl, message);
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
    }
    await messenger.answer({ member, channel: from }, notice(settingsStored(channel)));
  }

  async function end(click: Click): Promise<void> {
    const { ref, list } = await clickedList(click, subscriptionListCodec);
    const channel = ChannelIdSchema.parse(click.value);
    if (!(await deps.claimOnce(click.workspace, `unsubscribe ${click.id}`))) return;
    await deps.end(click, channel);
    await click.replace(await render(click, ref, list, endedText(channel)));
  }

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
      [`${pageAction}.previous`]: { needs: 'see', run: showPage },
      [`${pageAction}.next`]: { needs: 'see', run: showPage },
      [openChannelSettings]: { needs: 'subscribe', run: openSettings },
      [endAction]: { needs: 'subscribe', run: end },
    },
    submissions: { [channelSettingsForm]: { needs: 'subscribe', run: saveSettings } },
  } as const satisfies Feature;
}
