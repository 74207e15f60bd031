import { expect, test } from 'vitest';
import { partOf } from '../../src/domain/text.ts';

test('more than all there are is said as all of them and the rest', () => {
  expect(partOf(12, 18, 'positions accepted')).toBe('12 of 18 positions accepted');
  expect(partOf(18, 18, 'accepted')).toBe('18 of 18 accepted');
  expect(partOf(1_019, 1_018, 'accepted')).toBe('1,018 of 1,018 accepted, and 1 more');
});
