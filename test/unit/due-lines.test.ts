import { expect, test } from 'vitest';
import { dueLines } from '../../src/ui/words.ts';

test('what is due first is not called more', () => {
  expect(dueLines({ late: 0, within: [0, 3, 3] })).toEqual(['• *3* within 24 hours']);
  expect(dueLines({ late: 0, within: [1, 1, 4] })).toEqual([
    '• *1* within 6 hours',
    '• *3* more within 48 hours',
  ]);
});

test('overdue tasks are counted once, and come first', () => {
  expect(dueLines({ late: 1, within: [1, 1, 1] })).toEqual([
    '• *1* is overdue: the marketplace may approve it',
  ]);
  expect(dueLines({ late: 2, within: [3, 3, 3] })).toEqual([
    '• *2* are overdue: the marketplace may approve them',
    '• *1* more within 6 hours',
  ]);
});

test('nothing is said of nothing', () => {
  expect(dueLines({ late: 0, within: [0, 0, 0] })).toEqual([]);
});
