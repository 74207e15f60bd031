import { expect, test } from 'vitest';
import { applyQueueMessageEvent, noContent, type QueueMessage } from '../../src/domain/queue-message.ts';
import type { ChannelId } from '../../src/domain/terms.ts';
import { asId } from '../harness/ids.ts';

const channel = asId<ChannelId>('C01REVIEW');
const posting: QueueMessage = {
  channel,
  campaign: asId('c1'),
  ...noContent,
  state: 'waiting',
  waiting: 5,
  changedAt: 1_000,
  card: { state: 'wanted', attempt: { channel, at: 1_000 } },
  revision: 3,
};
const messageRef = { channel, ts: '1.000200' };

test('a message that is deleted before the answer to its post is here is posted again', () => {
  const deleted = applyQueueMessageEvent(posting, { type: 'card-gone', messageRef });
  const answered = applyQueueMessageEvent(deleted, { type: 'posted', messageRef });
  expect(answered?.card).toEqual({ state: 'wanted', channel });
  // The render that has posted it sees that it is not done.
  expect(answered?.revision).toBeGreaterThan(posting.revision);
  const notNeeded = applyQueueMessageEvent({ ...posting, state: 'none' }, { type: 'card-gone', messageRef });
  expect(applyQueueMessageEvent(notNeeded, { type: 'posted', messageRef })?.card).toEqual({ state: 'gone' });
});

test('another message that is deleted meanwhile changes nothing of the one posted', () => {
  const deleted = applyQueueMessageEvent(posting, {
    type: 'card-gone',
    messageRef: { channel, ts: '0.000100' },
  });
  expect(applyQueueMessageEvent(deleted, { type: 'posted', messageRef })?.card).toMatchObject({
    state: 'posted',
    ...messageRef,
  });
  const elsewhere = { channel: asId<ChannelId>('C02INBOX'), ts: messageRef.ts };
  expect(applyQueueMessageEvent(posting, { type: 'card-gone', messageRef: elsewhere })).toBeUndefined();
});
