import { expect, test } from 'vitest';
import { applySummaryEvent, type BacklogSummary } from '../../src/domain/backlog-summary.ts';
import type { ChannelId } from '../../src/domain/terms.ts';
import { asId } from '../harness/ids.ts';

const channel = asId<ChannelId>('C01REVIEW');
const posting: BacklogSummary = {
  channel,
  card: { state: 'wanted', attempt: { channel, at: 1_000 } },
  count: 5,
  total: 5,
  revision: 3,
};
const messageRef = { channel, ts: '1.000200' };

test('a message that is deleted before the answer to its post is here is posted again', () => {
  const deleted = applySummaryEvent(posting, { type: 'card-gone', messageRef });
  const answered = applySummaryEvent(deleted, { type: 'posted', messageRef });
  expect(answered?.card).toEqual({ state: 'wanted' });
  // The render that has posted it sees that it is not done.
  expect(answered?.revision).toBeGreaterThan(posting.revision);
  const notNeeded = applySummaryEvent({ ...posting, count: 0 }, { type: 'card-gone', messageRef });
  expect(applySummaryEvent(notNeeded, { type: 'posted', messageRef })?.card).toEqual({ state: 'gone' });
});

test('another message that is deleted meanwhile changes nothing of the one posted', () => {
  const deleted = applySummaryEvent(posting, { type: 'card-gone', messageRef: { channel, ts: '0.000100' } });
  expect(applySummaryEvent(deleted, { type: 'posted', messageRef })?.card).toMatchObject({
    state: 'posted',
    ...messageRef,
  });
  const elsewhere = { channel: asId<ChannelId>('C02INBOX'), ts: messageRef.ts };
  expect(applySummaryEvent(posting, { type: 'card-gone', messageRef: elsewhere })).toBeUndefined();
});
