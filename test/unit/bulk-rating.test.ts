import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decision, task } from '../../gallery/samples/tasks.ts';
import {
  applyBulkEvent,
  type BulkRating,
  type BulkRatingEvent,
  type BulkResult,
  bulkResultKinds,
  isPendingResult,
  resultOf,
} from '../../src/domain/bulk-rating.ts';
import type { MemberId, TaskId } from '../../src/domain/terms.ts';
import { asId } from '../harness/ids.ts';
import { forAll } from './properties.ts';

function begun(count = 3): BulkRating {
  const items = Array.from({ length: count }, (_, index) => ({ task: asId<TaskId>(`t${index}`), round: 1 }));
  const rating = applyBulkEvent(undefined, {
    type: 'confirmed',
    rating: { id: asId('b'), member: asId('U1'), team: asId('T1'), at: 1, verdict: 'OK', text: '', items },
  });
  if (rating === undefined) throw new Error('not begun');
  return rating;
}

const results = (...kinds: (BulkResult['kind'] | undefined)[]) =>
  new Map(kinds.flatMap((kind, index) => (kind ? [[index, { kind }] as const] : [])));
const applying = (rating: BulkRating, ...events: BulkRatingEvent[]) =>
  events.reduce((one, event) => applyBulkEvent(one, event) ?? one, rating);
const found = (...kinds: (BulkResult['kind'] | undefined)[]) =>
  ({ type: 'results', results: results(...kinds), at: 2 }) as const;

test('a bulk rating is begun once, sends when all are decided, and is done when all have ended', () => {
  expect(applyBulkEvent(begun(), { type: 'confirmed', rating: begun() })).toBeUndefined();
  const some = applying(begun(), found('waiting', 'decided'));
  expect(some.state).toBe('deciding');
  const all = applying(some, found(undefined, undefined, 'waiting'));
  expect(all.state).toBe('sending');
  const done = applying(all, found('applied', undefined, 'refused'));
  expect(done).toMatchObject({ state: 'done', changedAt: 2 });
});

test('once undone, no result ends it before what was decided is undone; what is late is still counted', () => {
  const undoing = applying(begun(), found('waiting'), { type: 'undo', at: 3 });
  const late = applying(undoing, found(undefined, 'waiting', 'waiting'));
  expect(late.state).toBe('undoing');
  expect(late.results.map((result) => result?.kind)).toEqual(['waiting', 'waiting', 'waiting']);
  const end = applying(late, { ...found('undone', 'undone', 'applied'), isUndone: true });
  expect(end.state).toBe('done');
});

test('whatever arrives in whichever order: a final result stays, and done means that nothing is pending', () => {
  const kind = fc.option(fc.constantFrom(...bulkResultKinds), { nil: undefined });
  const event: fc.Arbitrary<BulkRatingEvent> = fc.oneof(
    fc.record(
      {
        type: fc.constant('results' as const),
        results: fc.tuple(kind, kind, kind).map((kinds) => results(...kinds)),
        at: fc.nat(),
        isUndone: fc.constant(true as const),
      },
      { requiredKeys: ['type', 'results', 'at'] },
    ),
    fc.record({ type: fc.constant('undo' as const), at: fc.nat() }),
  );
  forAll(fc.array(event, { maxLength: 12 }), (events) => {
    let rating = begun();
    for (const one of events) {
      const next = applyBulkEvent(rating, one) ?? rating;
      for (const [index, result] of rating.results.entries())
        if (!isPendingResult(result)) expect(next.results[index]).toEqual(result);
      if (next.state === 'done') expect(next.results.some(isPendingResult)).toBe(false);
      expect(next.revision).toBe(next === rating ? rating.revision : rating.revision + 1);
      rating = next;
    }
  });
});

const about = {
  item: { task: asId<TaskId>('t'), round: 1 },
  decision: 'mine',
  verdict: 'OK',
  before: null,
  member: asId<MemberId>('UME'),
} as const;
const mine = (state: Parameters<typeof decision>[0]) => task({ decision: decision(state, { id: 'mine' }) });

test.each([
  ['it is open', task(), undefined],
  ['nobody knows it', undefined, { kind: 'unknown' }],
  ['it waits', mine('waiting'), { kind: 'waiting', decision: 'mine' }],
  ['it is rated', mine('applied'), { kind: 'applied', decision: 'mine' }],
  [
    'it was undone, and decided by somebody',
    task({ undone: ['mine'], decision: decision('waiting') }),
    { kind: 'undone', decision: 'mine' },
  ],
  [
    'somebody else was first',
    task({ decision: decision('waiting') }),
    { kind: 'decided', by: 'U01ANN', rating: 'OK' },
  ],
  ['it was rated elsewhere', task({ rating: 'NOK' }), { kind: 'decided', rating: 'NOK' }],
  ['an earlier decision was refused', task({ decision: decision('refused') }), undefined],
  [
    'an earlier decision was overtaken',
    task({ decision: decision('overtaken'), rating: 'NOK' }),
    { kind: 'decided', rating: 'NOK' },
  ],
  ['it has come back', task({ round: 2 }), { kind: 'returned' }],
])('what became of a task: %s', (_, known, result) => {
  expect(resultOf(known, about)).toEqual(result);
});

test('a task in a later round was sent back by this revision', () => {
  const before = { kind: 'waiting', decision: 'mine' } as const;
  const revised = resultOf(task({ round: 2 }), { ...about, verdict: 'REVISE', before });
  expect(revised).toEqual({ kind: 'applied', decision: 'mine' });
});
