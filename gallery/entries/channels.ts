import { continuesHere, movedCard } from '../../src/features/channels/channels.view.ts';
import { notice } from '../../src/slack/blocks.ts';
import { lostText } from '../../src/ui/words.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { reviewChannel } from '../samples/people.ts';

const link = 'https://sandbox.slack.com/archives/C01REVIEW/p1763700000000100';

export const channels = [
  ...entriesOf('Lost channels', notice, {
    'Told: archived, its tasks continue elsewhere': () =>
      notice(lostText(reviewChannel, 'is_archived', [asId('C02INBOX')], false)),
    'Told: deleted or hidden, and some tasks wait': () =>
      notice(lostText(reviewChannel, 'channel_not_found', [asId('C02INBOX')], true)),
  }),
  ...entriesOf('Lost channels', continuesHere, {
    'In the channel that stands in': () => continuesHere(reviewChannel, 'channel_not_found'),
  }),
  ...entriesOf('Lost channels', movedCard, {
    'What is left of a card': () => movedCard(reviewChannel, link),
    'What is left of a card that cannot be linked': () => movedCard(reviewChannel, undefined),
    'What is left of a card whose task has none any more': () => movedCard(undefined, undefined),
  }),
];
