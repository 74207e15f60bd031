import type { KnownBlock, ModalView } from '@slack/types';
import { expect } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { Message } from '../../src/slack/blocks.ts';
import { asId } from '../harness/ids.ts';
import { slackProblemsOf } from '../harness/slack-limits.ts';

/** A campaign with what a test says of it. */
export function campaign(fields: Partial<Campaign> = {}): Campaign {
  return {
    id: asId('c1'),
    title: 'Photograph a shelf',
    status: 'RUNNING',
    availablePositions: 100,
    createdAt: Date.UTC(2026, 0, 31, 12),
    targetedCountries: 'US,GB',
    excludedCountries: '',
    paymentPerTask: '0.05000',
    speed: '100',
    tasksOk: 12,
    tasksNok: 4,
    tasksNotRated: 2,
    tasksNotReviewed: 0,
    ...fields,
  };
}

/** Text that would ping, format or break things, if it were not made harmless. */
export const hostile = '<!channel> <@U01ANN> *bold* `code` ```pre``` & "quotes" \u202e\u0000\r\n=cmd|calc';

/** The longest that may come: a title of 3,000 characters of four bytes, large counts, every country. */
export function longest(index: number): Campaign {
  return campaign({
    id: asId(`campaign-${index}-${'f'.repeat(80)}`),
    title: `${hostile} ${'𝔘'.repeat(3_000 - hostile.length - 1)}`,
    status: 'PENDING_REVIEW',
    availablePositions: 999_999_999,
    targetedCountries: `${hostile} ${'US,'.repeat(400)}`,
    excludedCountries: 'GB,'.repeat(400),
    paymentPerTask: '123456789.12345',
    speed: hostile.repeat(10),
    tasksOk: 123_456_789,
    tasksNok: 123_456_789,
    tasksNotRated: 123_456_789,
    tasksNotReviewed: 123_456_789,
  });
}

export function expectGoodMessage(message: Message): void {
  expect(slackProblemsOf(message)).toEqual([]);
  expectHarmless(message.blocks);
}

export function expectGoodView(view: ModalView): void {
  expect(slackProblemsOf(view)).toEqual([]);
  expectHarmless(view.blocks as KnownBlock[]);
}

/** No text of somebody else's pings anybody. */
function expectHarmless(blocks: readonly KnownBlock[]): void {
  const written = mrkdwnIn(blocks).join('\n');
  expect(written).not.toContain('<!channel>');
  expect(written).not.toContain('<@U01ANN>');
}

function mrkdwnIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(mrkdwnIn);
  if (typeof value !== 'object' || value === null) return [];
  const own = 'type' in value && value.type === 'mrkdwn' && 'text' in value ? [String(value.text)] : [];
  return [...own, ...Object.values(value).flatMap(mrkdwnIn)];
}
