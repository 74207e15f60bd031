import { type AccountRef, type CampaignId, ChannelId } from '../../domain/terms.ts';
import { channelZone } from '../../kit/channels.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Click, Feature } from '../../slack/feature.ts';
import { pageOf } from '../../slack/paging.ts';
import { createList } from '../../ui/list.ts';
import { type ChannelFormDeps, createChannelForms } from './channel-forms.ts';
import type { InboxRow } from './inbox-channel.view.ts';
import {
  type ChannelRow,
  campaignsOf,
  endAction,
  endedText,
  openList,
  pageAction,
  type SubscriptionList,
  subscriptionListCodec,
  subscriptionsMessage,
} from './list.view.ts';

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
