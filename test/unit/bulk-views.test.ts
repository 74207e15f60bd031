import { describe, expect, test } from 'vitest';
import { applyBulkEvent, type BulkRating, type BulkResult } from '../../src/domain/bulk-rating.ts';
import { money } from '../../src/domain/money.ts';
import type { AccountId, MemberId, TaskId, Verdict, WorkspaceId } from '../../src/domain/terms.ts';
import { previewView } from '../../src/features/bulk/preview.view.ts';
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

/** The texts of the buttons among blocks. */
function buttonsOf(blocks: readonly object[]): string[] {
  return blocks.flatMap((block) =>
    ((block as { elements?: { type: string; text?: { text: string } }[] }).elements ?? []).flatMap(
      ({ type, text }) => (type === 'button' && text !== undefined ? [text.text] : []),
    ),
  );
}

const account = asId<AccountId>('a1');
const [ann, ben] = [asId<MemberId>('U01ANN'), asId<MemberId>('U02BEN')];

describe('the preview', () => {
  type Data = Parameters<typeof previewView>[1];
  const state = { account, selection: 's1', step: 3 };
  const shelf = { title: 'Photo of a shelf', count: 12 };
  const unpriced: Data = {
    verdict: 'OK',
    count: 12,
    campaigns: [shelf],
    workers: 3,
    comments: [],
    leftOut: [],
    undoSeconds: 10,
  };
  const priced: Data = { ...unpriced, total: money('1.2') };
  const view = (fields: Partial<Data>, data = priced) => previewView(state, { ...data, ...fields });
  const unknown = 'The total cannot be shown, because the payment per task is not known.';

  test.each<readonly [Verdict, string, string]>([
    [
      'OK',
      '*Rate 12 tasks OK?*\n*1.20* is paid to 3 workers, fees not included.',
      `*Rate 12 tasks OK?*\n${unknown}`,
    ],
    [
      'REVISE',
      '*Rate 12 tasks REVISE?*\nNothing is paid yet: *1.20* once all of them are corrected and rated OK. Your comment tells 3 workers what to correct.',
      '*Rate 12 tasks REVISE?*\nNothing is paid yet. Your comment tells 3 workers what to correct.',
    ],
    [
      'NOK',
      '*Rate 12 tasks NOK?*\n3 workers will not be paid *1.20*. Each worker reads the reason. Once sent, this cannot be undone.',
      `*Rate 12 tasks NOK?*\n3 workers will not be paid. ${unknown} Each worker reads the reason. Once sent, this cannot be undone.`,
    ],
  ])(
    'of %s says what it does and what is paid, and its button names the rating',
    (verdict, known, notKnown) => {
      // No submit button: that of the form before was there.
      expect(view({ verdict }).submit).toBeUndefined();
      expect(JSON.stringify(view({ verdict }).blocks)).toContain(
        `"Rate 12 ${verdict}${verdict === 'OK' ? ' for 1.20' : ''}"`,
      );
      expect(textsOf(view({ verdict }).blocks)).toEqual([
        known,
        'Photo of a shelf (12)',
        'The decisions wait for at least 10 seconds before they are sent: until then, all of them can be undone.',
      ]);
      expect(textsOf(view({ verdict }, unpriced).blocks)[0]).toBe(notKnown);
    },
  );

  test('says of each task that is left out why', () => {
    const { blocks } = view({
      leftOut: [
        { worker: 'a', why: { kind: 'reviewed', by: ben } },
        { worker: 'b', why: { kind: 'decided', by: ben, rating: 'OK' } },
        { worker: 'c', why: { kind: 'decided', rating: 'NOK' } },
        { worker: 'd', why: { kind: 'decided', rating: 'NOTREVIEWED' } },
        { worker: 'e', why: { kind: 'returned' } },
        { worker: 'f', why: { kind: 'unknown' } },
        { worker: 'g', why: { kind: 'too long' } },
      ],
    });
    expect(textsOf(blocks)[2]?.split('\n')).toEqual([
      ':warning: *7 selected tasks left out:*',
      '• a: <@U02BEN> is reviewing it',
      '• b: already *OK* by <@U02BEN>',
      '• c: already *NOK* by somebody outside of Slack',
      '• d: the marketplace is reviewing it',
      '• e: has come back with a correction since you looked at it',
      '• f: the marketplace no longer knows it',
      '• g: the comment is too long with its placeholders filled in: shorten it',
    ]);
  });

  test('offers nothing to confirm when nothing can be decided on', () => {
    const { submit, blocks } = view({ count: 0, campaigns: [] });
    expect(submit).toBeUndefined();
    expect(textsOf(blocks)).toEqual(['None of the selected tasks can be decided on now.']);
    expect(buttonsOf(blocks)).toEqual(['Back to the rating', 'Back to the tasks']);
  });
});

describe('the message of a bulk rating', () => {
  function shown(
    results: readonly (BulkResult | null)[],
    fields: Partial<BulkRating> = {},
    rest: Partial<ShownRating> = {},
  ): ShownRating {
    const items = results.map((_, index) => ({ task: asId<TaskId>(`t${index}`), round: 1 }));
    const rating = applyBulkEvent(undefined, {
      type: 'confirmed',
      rating: {
        id: asId('r1'),
        member: ann,
        team: asId<WorkspaceId>('T1'),
        at: 0,
        verdict: 'OK',
        text: '',
        items,
      },
    });
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

  test('names the tasks that were not rated as intended, and why; all results name every task', () => {
    const by = { by: ben };
    const results: readonly (readonly [BulkResult | null, string, 'all results only'?])[] = [
      [applied, 'REVISE', 'all results only'],
      [waiting, 'REVISE, not sent yet', 'all results only'],
      [undone, 'undone', 'all results only'],
      [null, 'to be decided', 'all results only'],
      [
        { kind: 'held', why: 'The campaign is paused.' },
        'REVISE, held: it is sent later. The campaign is paused.',
      ],
      [{ kind: 'refused', why: 'Too late.' }, 'the marketplace did not accept REVISE. Too late.'],
      [{ kind: 'overtaken', rating: 'NOK' }, 'not sent: it already had the rating *NOK*'],
      [{ kind: 'decided', rating: 'OK', ...by }, 'already rated *OK* by <@U02BEN>'],
      [{ kind: 'decided', rating: 'OK' }, 'already rated *OK* by somebody outside of Slack'],
      [{ kind: 'decided', rating: 'NOTREVIEWED' }, 'the marketplace is reviewing it'],
      [{ kind: 'returned' }, 'has come back with a correction since you looked at it'],
      [{ kind: 'reviewed', ...by }, '<@U02BEN> is reviewing it'],
      [{ kind: 'barred' }, 'you may no longer rate for this account'],
      [{ kind: 'too long' }, 'the comment is too long with its placeholders filled in: rate it on its card'],
      [{ kind: 'unknown' }, 'the marketplace no longer knows it'],
      [failed, 'not rated because of an error: retry it'],
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

  test('says how many more there are than it names', () => {
    const many = Array.from({ length: 30 }, () => failed);
    expect(textsOf(bulkMessage(shown(many)).blocks ?? []).at(-1)).toBe('And 10 more: see all results.');
  });

  test.each<readonly [Verdict, string]>([
    ['OK', 'The workers are paid.'],
    ['REVISE', 'The workers read the same comments and can submit a correction.'],
    ['NOK', 'The workers are not paid and read the same reason. Once sent, this cannot be undone.'],
  ])('asks before %s is tried again, and says what that does', (verdict, text) => {
    const { blocks } = bulkMessage(shown([failed, failed], { verdict }));
    expect(JSON.stringify(blocks)).toContain(JSON.stringify(`Rate 2 tasks ${verdict}?`));
    expect(JSON.stringify(blocks)).toContain(JSON.stringify(text));
  });
});
