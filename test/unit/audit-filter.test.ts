import { describe, expect, test } from 'vitest';
import { filterIn, isToldWithDecision } from '../../src/features/ops/audit.ts';
import { asId } from '../harness/ids.ts';

test('a task id in a filter is cut, so that the filter fits into the value of a button', () => {
  const task = { input: { value: 'x'.repeat(2_500) } };
  expect(filterIn({ task })).toEqual({ filter: { task: 'x'.repeat(100) } });
});

describe('the end of a decision', () => {
  const applied = { what: 'applied', decision: asId<never>('d1') } as const;

  test('is told with the decision, unless it is asked for', () => {
    expect(isToldWithDecision(applied, {})).toBe(true);
    expect(isToldWithDecision(applied, { to: '2026-11-27' })).toBe(true);
    expect(isToldWithDecision(applied, { what: 'applied' })).toBe(false);
    expect(isToldWithDecision({ ...applied, what: 'decided' }, {})).toBe(false);
  });

  test('is in the list if the decision may be from before the days of the filter', () => {
    expect(isToldWithDecision(applied, { from: '2026-11-27' })).toBe(false);
  });
});
