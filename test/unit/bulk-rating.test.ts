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
import type { AccountId, MemberId, TaskId, Verdict } from '../../src/domain/terms.ts';
import { previewView } from '../../src/features/bulk/decision.view.ts';
import { bulkMessage, type ShownRating } from '../../src/features/bulk/progress.view.ts';
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

/** The texts of the sections and contexts among blocks, in order. */
function textsOf(blocks: readonly object[]): string[] {
  return blocks.flatMap((block) => {
    const { text, elements } = block as { text?: { text: string }; elements?: { text?: unknown }[] };
    if (text !== undefined) return [text.text];
    return (elements ?? []).flatMap((element) => (typeof element.text === 'string' ? [element.text] : []));
  });
}

const account = asId<AccountId>('a1');
const ben = asId<MemberId>('U02BEN');

test.each<readonly [Verdict, string]>([
  ['OK', '*Rate 12 tasks OK?*\nThe total isn’t known, because the payment per task isn’t.'],
  ['REVISE', '*Rate 12 tasks REVISE?*\nNothing is paid yet. Your comment tells 3 workers what to correct.'],
  ['NOK', '*Rate 12 tasks NOK?*\n3 workers will not be paid. The total isn’t known'],
])('the preview of %s says so when what is paid is not known', (verdict, text) => {
  const data = { count: 12, campaigns: [], workers: 3, comments: [], leftOut: [], undoSeconds: 10 };
  const view = previewView('', { verdict, ...data });
  expect(textsOf(view.blocks)[0]?.startsWith(text)).toBe(true);
  // No submit button: that of the form before was there.
  expect(view.submit).toBeUndefined();
});

function shown(results: readonly (BulkResult | null)[], fields: Partial<BulkRating> = {}): ShownRating {
  const rating = begun(results.length);
  const tasks = rating.items.map(
    ({ task }, index) => [task, { worker: `w${index}`, campaign: 'Shelf' }] as const,
  );
  return { account, rating: { ...rating, state: 'done', results, ...fields }, tasks: new Map(tasks) };
}

const failed: BulkResult = { kind: 'failed' };

test('the message of a bulk rating names the tasks that were not rated as intended, and why', () => {
  const by = { by: ben };
  const results: readonly (readonly [BulkResult | null, string?])[] = [
    [{ kind: 'applied' }],
    [{ kind: 'waiting' }],
    [{ kind: 'undone' }],
    [null],
    [
      { kind: 'held', why: 'The campaign is paused.' },
      'REVISE, on hold: it will be sent later. The campaign is paused.',
    ],
    [{ kind: 'refused', why: 'Too late.' }, 'the marketplace rejected REVISE. Too late.'],
    [{ kind: 'overtaken', rating: 'NOK' }, 'not sent: it already had the rating *NOK*'],
    [{ kind: 'decided', rating: 'OK', ...by }, 'already rated *OK* by <@U02BEN>'],
    [{ kind: 'decided', rating: 'OK' }, 'already rated *OK* by somebody outside of Slack'],
    [{ kind: 'decided', rating: 'NOTREVIEWED' }, 'the marketplace is reviewing it'],
    [{ kind: 'returned' }, 'the worker resubmitted it after you looked at it'],
    [{ kind: 'reviewed', ...by }, '<@U02BEN> is reviewing it'],
    [{ kind: 'barred' }, 'you can no longer rate for this account'],
    [{ kind: 'too long' }, 'the comment is too long with its placeholders filled in: rate it on its card'],
    [{ kind: 'unknown' }, 'it is no longer stored here'],
    [failed, 'not rated because of an error: select it again'],
  ];
  const data = shown(
    results.map(([result]) => result),
    { verdict: 'REVISE' },
  );
  const lines = results.flatMap(([, text], index) => (text ? [`• w${index} · Shelf: ${text}`] : []));
  const linesIn = (blocks: readonly object[]) =>
    textsOf(blocks).flatMap((text) => text.split('\n').filter((line) => line.startsWith('•')));
  expect(linesIn(bulkMessage(data).blocks ?? [])).toEqual(lines);
});

test('the message of a bulk rating says how many more there are than it names', () => {
  const many = Array.from({ length: 40 }, () => failed);
  expect(textsOf(bulkMessage(shown(many)).blocks ?? []).at(-1)).toBe('And 10 more.');
});
