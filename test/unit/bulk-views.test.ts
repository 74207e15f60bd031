import { expect, test } from 'vitest';
import { applyBulkEvent, type BulkRating, type BulkResult } from '../../src/domain/bulk-rating.ts';
import type { AccountId, MemberId, TaskId, Verdict, WorkspaceId } from '../../src/domain/terms.ts';
import { previewView } from '../../src/features/bulk/decision.view.ts';
import { bulkMessage, bulkResultsView, type ShownRating } from '../../src/features/bulk/progress.view.ts';
import { asId } from '../harness/ids.ts';

/** The texts of the sections and contexts among blocks, in order. */
function textsOf(blocks: readonly object[]): string[] {
  return blocks.flatMap((block) => {
    const { text, elements } = block as { text?: { text: string }; elements?: { text?: unknown }[] };
    if (text !== undefined) return [text.text];
    return (elements ?? []).flatMap((element) => (typeof element.text === 'string' ? [element.text] : []));
  });
}

const account = asId<AccountId>('a1');
const [ann, ben] = [asId<MemberId>('U01ANN'), asId<MemberId>('U02BEN')];

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

function shown(
  results: readonly (BulkResult | null)[],
  fields: Partial<BulkRating> = {},
  rest: Partial<ShownRating> = {},
): ShownRating {
  const items = results.map((_, index) => ({ task: asId<TaskId>(`t${index}`), round: 1 }));
  const about = { id: asId<never>('r1'), member: ann, team: asId<WorkspaceId>('T1'), at: 0 };
  const confirmed = { ...about, verdict: 'OK', text: '', items } as const;
  const rating = applyBulkEvent(undefined, { type: 'confirmed', rating: confirmed });
  if (rating === undefined) throw new Error('not begun');
  const tasks = items.map(({ task }, index) => [task, { worker: `w${index}`, campaign: 'Shelf' }] as const);
  return {
    account,
    rating: { ...rating, state: 'done', results, ...fields },
    tasks: new Map(tasks),
    ...rest,
  };
}

const applied: BulkResult = { kind: 'applied' };
const waiting: BulkResult = { kind: 'waiting' };
const undone: BulkResult = { kind: 'undone' };
const failed: BulkResult = { kind: 'failed' };

test('the message of a bulk rating names the tasks that were not rated as intended, and why; all results name every task', () => {
  const by = { by: ben };
  const results: readonly (readonly [BulkResult | null, string, 'all results only'?])[] = [
    [applied, 'REVISE', 'all results only'],
    [waiting, 'REVISE, not sent yet', 'all results only'],
    [undone, 'undone', 'all results only'],
    [null, 'not rated yet', 'all results only'],
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
    [failed, 'not rated because of an error: try again'],
  ];
  const data = shown(
    results.map(([result]) => result),
    { verdict: 'REVISE' },
  );
  const lines = results.map(([, text], index) => `• w${index} · Shelf: ${text}`);
  const linesIn = (blocks: readonly object[]) =>
    textsOf(blocks).flatMap((text) => text.split('\n').filter((line) => line.startsWith('•')));
  expect(linesIn(bulkResultsView(data).blocks)).toEqual(lines);
  expect(linesIn(bulkMessage(data).blocks ?? [])).toEqual(
    lines.filter((_, index) => results[index]?.[2] === undefined),
  );
});

test('the message of a bulk rating says how many more there are than it names', () => {
  const many = Array.from({ length: 30 }, () => failed);
  expect(textsOf(bulkMessage(shown(many)).blocks ?? []).at(-1)).toBe('And 10 more: see all results.');
});

test.each<readonly [Verdict, string]>([
  ['OK', 'The workers are paid.'],
  ['REVISE', 'The workers read the same comments and can submit a correction.'],
  ['NOK', 'The workers are not paid and read the same reason. Once sent, this cannot be undone.'],
])('the message of a bulk rating asks before %s is tried again, and says what that does', (verdict, text) => {
  const { blocks } = bulkMessage(shown([failed, failed], { verdict }));
  expect(JSON.stringify(blocks)).toContain(JSON.stringify(`Rate 2 tasks ${verdict}?`));
  expect(JSON.stringify(blocks)).toContain(JSON.stringify(text));
});
