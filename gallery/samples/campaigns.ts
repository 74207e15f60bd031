import type { Campaign } from '../../src/domain/campaign.ts';
import { asId } from '../../test/harness/ids.ts';
import { hostile, longest, rightToLeft } from './texts.ts';
import { ago, day } from './times.ts';

export function campaign(fields: Partial<Campaign> = {}): Campaign {
  return {
    id: asId('7f3a9c21'),
    title: 'Photograph a shelf in your supermarket',
    status: 'RUNNING',
    availablePositions: 300,
    createdAt: ago(3 * day),
    targetedCountries: 'US,GB,FR',
    excludedCountries: '',
    paymentPerTask: '0.45000',
    speed: '500',
    tasksOk: 148,
    tasksNok: 12,
    tasksNotRated: 34,
    tasksNotReviewed: 0,
    ...fields,
  };
}

export const finished = campaign({
  id: asId('c0ffee12'),
  title: 'Sign up for a newsletter and confirm it',
  status: 'FINISHED',
  availablePositions: 120,
  paymentPerTask: '0.25000',
  tasksOk: 97,
  tasksNok: 23,
  tasksNotRated: 0,
  targetedCountries: 'int',
});

export const empty = campaign({
  id: asId('new00001'),
  title: 'Just created',
  status: 'PENDING_REVIEW',
  tasksOk: 0,
  tasksNok: 0,
  tasksNotRated: 0,
  targetedCountries: '',
  speed: '',
});

/** A campaign with all values at their maximum. */
export const largest = campaign({
  id: asId(`campaign-${'f'.repeat(80)}`),
  title: longest(),
  status: 'PAUSED_ADMIN',
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

/** A realistic list of an account's campaigns: many, in every status. */
export const many: readonly Campaign[] = [
  campaign(),
  campaign({ id: asId('a1'), title: rightToLeft, tasksNotRated: 3, status: 'PAUSED' }),
  campaign({ id: asId('a2'), title: hostile, tasksNotRated: 0, status: 'BLOCKED' }),
  campaign({ id: asId('a3'), title: '', tasksNotRated: 0, status: 'PAUSED_SYSTEM' }),
  finished,
  empty,
  ...Array.from({ length: 20 }, (_, index) =>
    campaign({ id: asId(`b${index}`), title: `Rate a search result, batch ${index + 1}`, tasksNotRated: 0 }),
  ),
];

export const manyLargest: readonly Campaign[] = Array.from({ length: 150 }, (_, index) => ({
  ...largest,
  id: asId(`${index}-${largest.id}`),
}));
