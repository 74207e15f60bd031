import { channelFailureText } from '../../src/features/shared/channel-health.view.ts';
import {
  alreadySubscribed,
  botNotInChannel,
  channelArchived,
  confirmMessage,
  movedAway,
  movedHere,
  noSuchCampaign,
  notSubscribed,
  severalCampaigns,
  subscribed,
  unsubscribed,
} from '../../src/features/subscriptions/subscriptions.view.ts';
import { notice } from '../../src/slack/notice.ts';
import { entriesOf } from '../entry.ts';
import { campaign, many } from '../samples/campaigns.ts';
import { account, ann, reviewChannel } from '../samples/people.ts';
import { hostile } from '../samples/texts.ts';

export const subscriptions = [
  ...entriesOf('Subscriptions', notice, {
    'Subscribed to an account': () => notice(subscribed(undefined, undefined)),
    'Subscribed to a campaign, moved from another channel': () =>
      notice(subscribed(campaign({ title: hostile }), reviewChannel)),
    'Subscribed already': () => notice(alreadySubscribed),
    'The bot is not in the channel': () => notice(botNotInChannel),
    'The channel is archived': () => notice(channelArchived),
    Unsubscribed: () => notice(unsubscribed(ann)),
    'Nothing to unsubscribe': () => notice(notSubscribed),
    'Moved to another channel': () => notice(movedAway(ann, campaign({ title: hostile }), reviewChannel)),
    'Moved here': () => notice(movedHere(ann, undefined, reviewChannel)),
    'No such campaign': () => notice(noSuchCampaign(hostile)),
    'Several campaigns match': () => notice(severalCampaigns('shelf', many)),
    'Cannot post: archived': () => notice(channelFailureText(reviewChannel, 'is_archived')),
    'Cannot post: not in the channel': () => notice(channelFailureText(reviewChannel, 'not_in_channel')),
    'Cannot post: not allowed': () => notice(channelFailureText(reviewChannel, 'restricted_action')),
  }),
  ...entriesOf('Subscriptions', confirmMessage, {
    'Another channel gets it': () =>
      confirmMessage({
        campaign: campaign({ title: hostile }),
        from: reviewChannel,
        shared: undefined,
        value: { account },
      }),
    'The channel is shared': () =>
      confirmMessage({ campaign: undefined, from: undefined, shared: 'confirmable', value: { account } }),
    'The channel is shared, and an owner must confirm it': () =>
      confirmMessage({ campaign: undefined, from: reviewChannel, shared: 'waits', value: { account } }),
  }),
];
