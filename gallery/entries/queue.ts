import { noContent, type QueueMessage } from '../../src/domain/queue-message.ts';
import { CampaignId } from '../../src/domain/terms.ts';
import { queueMessage } from '../../src/features/queue/queue.view.ts';
import { entriesOf } from '../entry.ts';
import { account, ann, ben, reviewChannel } from '../samples/people.ts';
import { hostile } from '../samples/texts.ts';
import { ago, day, hour, now } from '../samples/times.ts';

const message: QueueMessage = {
  channel: reviewChannel,
  campaign: CampaignId.parse('c_7'),
  ...noContent,
  state: 'waiting',
  waiting: 34,
  oldest: ago(2 * day),
  dueAt: now + 5 * hour,
  soon: 12,
  reviewed: [
    { by: ann, count: 41 },
    { by: ben, count: 7 },
  ],
  changedAt: now,
  card: { state: 'wanted' },
  revision: 1,
};
const { dueAt: _, oldest: __, ...unknownTimes } = message;
const shelves = 'Photo of a shelf';
const others: QueueMessage = { ...message, campaign: CampaignId.parse('*others'), reviewed: [] };

export const queue = [
  ...entriesOf('New tasks', queueMessage, {
    'Waiting beyond the open cards': () => queueMessage(account, message, shelves),
    'Waiting beyond the open cards, with the desk': () => queueMessage(account, message, shelves, true),
    'Waiting beyond the open cards: one, times not known': () =>
      queueMessage(account, { ...unknownTimes, waiting: 1, soon: 0, reviewed: [] }, shelves),
    'Waiting beyond the open cards: one, one other reviewer': () =>
      queueMessage(account, { ...message, waiting: 1, soon: 1, otherReviewers: 1 }, shelves),
    'Waiting beyond the open cards: all have cards': () =>
      queueMessage(account, { ...message, state: 'posted', waiting: 0 }, shelves),
    'Waiting beyond the open cards: none': () =>
      queueMessage(account, { ...message, state: 'none', waiting: 0 }, shelves),
    'Waiting beyond the open cards: a hostile title, many reviewers': () =>
      queueMessage(account, { ...message, waiting: 12_345, otherReviewers: 3 }, hostile.repeat(20)),
    Digest: () =>
      queueMessage(account, { ...message, cards: { count: 20, channel: reviewChannel } }, shelves),
    'Digest: nothing waits': () =>
      queueMessage(account, { ...message, state: 'none', waiting: 0, cards: { count: 0 } }, shelves),
    'Waiting beyond the open cards: of many campaigns': () =>
      queueMessage(account, { ...others, campaigns: 31 }, undefined),
    'Waiting beyond the open cards: of many campaigns, none': () =>
      queueMessage(account, { ...others, state: 'none', waiting: 0, campaigns: 0 }, undefined),
    'No longer counted in this channel': () =>
      queueMessage(account, { ...message, state: 'elsewhere' }, undefined),
  }),
];
