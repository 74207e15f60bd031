import type { QueueMessage } from '../../src/domain/queue-message.ts';
import { CampaignId } from '../../src/domain/terms.ts';
import { queueMessage } from '../../src/features/queue/queue.view.ts';
import { entriesOf } from '../entry.ts';
import { account, reviewChannel } from '../samples/people.ts';
import { hostile } from '../samples/texts.ts';
import { ago, day, hour, now } from '../samples/times.ts';

const message: QueueMessage = {
  channel: reviewChannel,
  campaign: CampaignId.parse('c_7'),
  waiting: 34,
  oldest: ago(2 * day),
  dueAt: now + 5 * hour,
  changedAt: now,
  card: { state: 'wanted' },
  revision: 1,
};
const { dueAt: _, oldest: __, ...unknownTimes } = message;
const shelves = 'Photo of a shelf';
const others: QueueMessage = { ...message, campaign: CampaignId.parse('*others') };

export const queue = [
  ...entriesOf('New tasks', queueMessage, {
    'Waiting beyond the open cards': () => queueMessage(account, message, shelves),
    'Waiting beyond the open cards, with the desk': () => queueMessage(account, message, shelves, true),
    'Waiting beyond the open cards: one, times not known': () =>
      queueMessage(account, { ...unknownTimes, waiting: 1 }, shelves),
    'Waiting beyond the open cards: one': () => queueMessage(account, { ...message, waiting: 1 }, shelves),
    'Waiting beyond the open cards: none': () => queueMessage(account, { ...message, waiting: 0 }, shelves),
    'Waiting beyond the open cards: a hostile title': () =>
      queueMessage(account, { ...message, waiting: 12_345 }, hostile.repeat(20)),
    Digest: () =>
      queueMessage(account, { ...message, cards: { count: 20, channel: reviewChannel } }, shelves),
    'Digest: one, whose card is open': () =>
      queueMessage(account, { ...message, waiting: 1, cards: { count: 1, channel: reviewChannel } }, shelves),
    'Digest: none has a card': () =>
      queueMessage(account, { ...message, cards: { count: 0, channel: reviewChannel } }, shelves),
    'Digest: cards in several channels': () =>
      queueMessage(account, { ...others, campaigns: 2, cards: { count: 3 } }, undefined),
    'Waiting beyond the open cards: of one other campaign': () =>
      queueMessage(account, { ...others, campaigns: 1 }, undefined),
    'Waiting beyond the open cards: of many campaigns': () =>
      queueMessage(account, { ...others, campaigns: 31 }, undefined),
    'Waiting beyond the open cards: of many campaigns, none': () =>
      queueMessage(account, { ...others, waiting: 0 }, undefined),
  }),
];
