import type { CampaignId } from '../../src/domain/terms.ts';
import {
  continuesHere,
  lostText,
  movedAnnouncement,
  movedMessage,
  movedTask,
} from '../../src/features/channels/channels.view.ts';
import { notice } from '../../src/slack/blocks.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { ann, reviewChannel } from '../samples/people.ts';
import { hostile } from '../samples/texts.ts';

const link = 'https://sandbox.slack.com/archives/C01REVIEW/p1763700000000100';
const moved = (title: string, id = 'c1') => ({
  by: ann,
  to: reviewChannel,
  campaign: { id: asId<CampaignId>(id), title },
});

export const channels = [
  ...entriesOf('Lost channels', notice, {
    'Told: archived, its tasks continue elsewhere': () =>
      notice(lostText(reviewChannel, 'is_archived', [moved('Photograph a tea shelf')])),
    'Told: Proofdesk is removed, a hostile title': () =>
      notice(lostText(reviewChannel, 'not_in_channel', [moved(hostile)])),
    'Told: deleted or hidden, and some tasks wait': () =>
      notice(lostText(reviewChannel, 'channel_not_found', [moved('Photograph a tea shelf'), { by: ann }])),
  }),
  ...entriesOf('Lost channels', continuesHere, {
    'In the channel that stands in': () =>
      continuesHere(reviewChannel, 'channel_not_found', [moved(hostile)]),
    'For many campaigns': () =>
      continuesHere(
        reviewChannel,
        'is_archived',
        Array.from({ length: 12 }, (_, index) => moved('', `7f3a9c${20 + index}`)),
      ),
  }),
  ...entriesOf('Lost channels', movedMessage, {
    'What is left of a card': () => movedMessage(movedTask(hostile), reviewChannel, link),
    'What is left of a card whose task has none any more': () =>
      movedMessage(movedTask('Photograph a tea shelf'), undefined, undefined),
    'What is left of an announcement': () => movedMessage(movedAnnouncement(hostile), reviewChannel, link),
  }),
];
