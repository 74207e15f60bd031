import type { CampaignId } from '../../src/domain/terms.ts';
import {
  type ChannelRow,
  channelSettingsModal,
  endedText,
  inboxChannelModal,
  inboxChosen,
  settingsStored,
  subscriptionsMessage,
} from '../../src/features/channels/list.view.ts';
import {
  alreadySubscribed,
  botNotInChannel,
  channelArchived,
  digestSubscribed,
  movedAway,
  movedHere,
  notSubscribed,
  severalCampaigns,
  subscribed,
  unsubscribed,
  whatInbox,
  whatMoves,
} from '../../src/features/channels/subscriptions.view.ts';
import { notice, pageOf } from '../../src/slack/blocks.ts';
import { channelFailureText } from '../../src/ui/words.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { campaign, many } from '../samples/campaigns.ts';
import { account, ann, reviewChannel } from '../samples/people.ts';
import { hostile, longest } from '../samples/texts.ts';

const nothingSet = { muted: [] };
const everythingSet = {
  openCards: 30,
  threads: true,
  muted: ['daily', 'campaigns', 'reminders'],
} as const;
const wholeAccount: ChannelRow = {
  channel: reviewChannel,
  cards: [undefined],
  digests: [],
  settings: nothingSet,
};
const ofCampaigns: ChannelRow = {
  channel: asId('C02INBOX'),
  cards: Array.from({ length: 40 }, (_, index) => ({
    id: asId<CampaignId>(`c${index}`),
    title: hostile,
  })),
  digests: [],
  settings: everythingSet,
};
const rowsOf = (rows: readonly ChannelRow[], page = 0) => ({ ...pageOf(rows, page), count: rows.length });

export const subscriptions = [
  ...entriesOf('Subscriptions', notice, {
    'Subscribed to an account': () => notice(subscribed(undefined, undefined, false)),
    'Subscribed, in a channel that an owner has to confirm': () =>
      notice(subscribed(undefined, undefined, true)),
    'Subscribed to a campaign, moved from another channel': () =>
      notice(subscribed(campaign({ title: hostile }), reviewChannel, false)),
    'Subscribed already': () => notice(alreadySubscribed),
    'Proofdesk is not in the channel': () => notice(botNotInChannel),
    'The channel is archived': () => notice(channelArchived),
    Unsubscribed: () => notice(unsubscribed(ann)),
    'Nothing to unsubscribe': () => notice(notSubscribed),
    'Moved to another channel': () =>
      notice(movedAway(ann, whatMoves(campaign({ title: hostile })), reviewChannel)),
    'Moved here': () => notice(movedHere(ann, whatMoves(undefined), reviewChannel)),
    'Several campaigns match': () => notice(severalCampaigns('shelf', many)),
    'Five campaigns match, one of them without a title': () =>
      notice(severalCampaigns(longest(), many.slice(0, 5))),
    'A digest of an account': () => notice(digestSubscribed(undefined, false)),
    'A digest of a campaign, in a channel that an owner has to confirm': () =>
      notice(digestSubscribed(campaign({ title: longest() }), true)),
    'Cannot post: archived': () => notice(channelFailureText(reviewChannel, 'is_archived')),
    'Cannot post: not in the channel': () => notice(channelFailureText(reviewChannel, 'not_in_channel')),
    'Cannot post: not allowed': () => notice(channelFailureText(reviewChannel, 'restricted_action')),
  }),
  ...entriesOf('Subscriptions', subscriptionsMessage, {
    'What channels get': () =>
      subscriptionsMessage({
        account,
        rows: rowsOf([wholeAccount, ofCampaigns]),
        inbox: wholeAccount.channel,
        mayChange: true,
      }),
    'What channels get, for a reviewer': () =>
      subscriptionsMessage({
        account,
        rows: rowsOf([{ ...wholeAccount, settings: { muted: ['daily'] } }]),
        inbox: wholeAccount.channel,
        mayChange: false,
      }),
    'Hundreds of channels, one just unsubscribed': () =>
      subscriptionsMessage({
        account,
        rows: rowsOf(
          Array.from({ length: 300 }, (_, index) => ({
            ...ofCampaigns,
            channel: asId<ChannelRow['channel']>(`C0${index}`),
          })),
          3,
        ),
        inbox: undefined,
        mayChange: true,
        outcome: endedText(reviewChannel),
      }),
    'Channels with digests, one with no limit on cards and one with a single card': () =>
      subscriptionsMessage({
        account,
        rows: rowsOf([
          { ...wholeAccount, cards: [], digests: [undefined], settings: { openCards: 0, muted: [] } },
          {
            ...ofCampaigns,
            cards: [undefined, ...ofCampaigns.cards.slice(0, 4)],
            digests: ofCampaigns.cards.slice(0, 6),
            settings: { openCards: 1, muted: ['reminders', 'daily'] },
          },
        ]),
        inbox: undefined,
        mayChange: false,
      }),
    'No channel gets anything, for a reviewer': () =>
      subscriptionsMessage({ account, rows: rowsOf([]), inbox: undefined, mayChange: false }),
    'No channel gets anything': () =>
      subscriptionsMessage({ account, rows: rowsOf([]), inbox: undefined, mayChange: true }),
  }),
  ...entriesOf('Subscriptions', channelSettingsModal, {
    'Settings of a channel': () => channelSettingsModal(reviewChannel, nothingSet, ''),
    'Settings of a channel, two kinds muted': () =>
      channelSettingsModal(reviewChannel, { openCards: 0, muted: ['reminders', 'daily'] }, ''),
    'Settings of a channel, all of them set': () => channelSettingsModal(reviewChannel, everythingSet, ''),
  }),
  ...entriesOf('Subscriptions', inboxChannelModal, {
    'Where inbox messages go': () => inboxChannelModal(undefined, ''),
    'Where inbox messages go, chosen before': () => inboxChannelModal(reviewChannel, ''),
  }),
  ...entriesOf('Subscriptions', notice, {
    'Inbox messages come here': () => notice(movedHere(ann, whatInbox, undefined)),
    'Inbox messages go elsewhere': () => notice(movedAway(ann, whatInbox, undefined)),
    'Inbox messages go to Home': () => notice(inboxChosen(undefined)),
    'Inbox messages go to a channel': () => notice(inboxChosen(reviewChannel)),
    'Settings are saved': () => notice(settingsStored(reviewChannel)),
  }),
];
