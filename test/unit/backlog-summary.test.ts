import { expect, test } from 'vitest';
import { applySummaryEvent, type BacklogSummary, unknownCount } from '../../src/domain/backlog-summary.ts';
import type { ChannelId } from '../../src/domain/terms.ts';
import { asId } from '../harness/ids.ts';

const channel = asId<ChannelId>('C01REVIEW');
const recorded: BacklogSummary = { channel, card: { state: 'gone' }, count: 5, total: 7, revision: 3 };
const messageRef = { channel, ts: '2.000200' };

test('a summary that is found while its record is there counts what the record does, and is counted again', () => {
  const found = applySummaryEvent(recorded, { type: 'found', messageRef });
  expect(found).toMatchObject({ card: { state: 'posted', ...messageRef }, count: 5, total: unknownCount });
  expect(applySummaryEvent(found, { type: 'counted', channel, count: 5, total: 7 })).toMatchObject({
    total: 7,
  });
});

test('what a summary counts that is found without a record is not known until the tasks are counted', () => {
  const found = applySummaryEvent(undefined, { type: 'found', messageRef });
  expect(found?.count).toBe(unknownCount);
  const counted = applySummaryEvent(found, { type: 'counted', channel, count: 0, total: 0 });
  expect(counted?.count).toBe(0);
  expect(counted?.revision).toBeGreaterThan(found?.revision ?? 0);
});
