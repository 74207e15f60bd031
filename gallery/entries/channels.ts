import {
  continuesHere,
  movedAnnouncement,
  movedMessage,
  movedTask,
  movedText,
} from '../../src/features/channels/channels.view.ts';
import { notice } from '../../src/slack/blocks.ts';
import { channelFailureText } from '../../src/ui/words.ts';
import { entriesOf } from '../entry.ts';
import { reviewChannel } from '../samples/people.ts';
import { hostile } from '../samples/texts.ts';

const link = 'https://sandbox.slack.com/archives/C01REVIEW/p1763700000000100';
const moved = [{ campaignTitle: 'Photograph a tea shelf', to: reviewChannel }];

export const channels = [
  ...entriesOf('Lost channels', notice, {
    'Told: archived, its tasks continue elsewhere': () =>
      notice(movedText(reviewChannel, 'is_archived', moved)),
    'Told: Proofdesk is removed, a hostile title': () =>
      notice(movedText(reviewChannel, 'not_in_channel', [{ campaignTitle: hostile, to: reviewChannel }])),
    'Told: deleted, nothing stands in': () => notice(channelFailureText(reviewChannel, 'channel_deleted')),
    'Told: deleted or hidden, nothing stands in': () =>
      notice(channelFailureText(reviewChannel, 'channel_not_found')),
  }),
  ...entriesOf('Lost channels', continuesHere, {
    'In the channel that stands in': () => continuesHere(reviewChannel, 'channel_deleted', [hostile]),
    'For many campaigns': () =>
      continuesHere(
        reviewChannel,
        'is_archived',
        Array.from({ length: 12 }, (_, index) => `Campaign 7f3a9c${20 + index}`),
      ),
  }),
  ...entriesOf('Lost channels', movedMessage, {
    'What is left of a card': () => movedMessage(movedTask(hostile), reviewChannel, link),
    'What is left of a card whose task has none any more': () =>
      movedMessage(movedTask('Photograph a tea shelf'), undefined, undefined),
    'What is left of an announcement': () => movedMessage(movedAnnouncement(hostile), reviewChannel, link),
  }),
];
