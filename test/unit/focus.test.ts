import type { ModalView } from '@slack/types';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { intent, noComment } from '../../gallery/samples/comments.ts';
import { task } from '../../gallery/samples/tasks.ts';
import {
  decidedIn,
  type FocusSession,
  holding,
  movedOn,
  newFocus,
  undone,
  withoutLast,
} from '../../src/domain/focus.ts';
import { sendTime } from '../../src/domain/task.ts';
import type { TaskId } from '../../src/domain/terms.ts';
import { extrasModal, reasonModal } from '../../src/features/decide/decide.view.ts';
import { doneView, excludeView } from '../../src/features/focus/focus.view.ts';
import { framed } from '../../src/kit/focus-frame.ts';
import { matches, noFilter, parseFilter } from '../../src/kit/waiting-tasks.ts';
import { asId } from '../harness/ids.ts';

/** When each step is taken (ms). */
const at = Date.UTC(2026, 1, 1);
const id = (name: string) => asId<TaskId>(name);
const session = newFocus({ id: 's', member: asId('U1'), filter: noFilter });
const begun = holding(session, [id('a'), id('b'), id('c')]);
const decision = (name: string, verdict: 'OK' | 'NOK') => ({
  task: id(name),
  decision: `d ${name}`,
  verdict,
});

const state = { account: asId('a1'), session: 's', step: 1 } as never;

test('a focus review counts what was decided, and shows what comes next', () => {
  const after = movedOn(begun, decision('a', 'NOK'), at);
  expect(after).toMatchObject({ step: 2, current: 'b', ahead: ['c'], counts: { OK: 0, REVISE: 0, NOK: 1 } });
  expect(movedOn(after, 'skipped', at)).toMatchObject({ step: 3, current: 'c', skipped: ['b'] });
  expect(movedOn(after, 'gone', at)).toMatchObject({ step: 3, current: 'c', skipped: [] });
  const end = movedOn(movedOn(movedOn(after, 'gone', at), decision('c', 'OK'), at), 'gone', at);
  expect(end.current).toBeUndefined();
  expect(decidedIn(end)).toBe(2);
});

test('a focus review says at its end until when the last rating can be undone', () => {
  const last = { ...decision('a', 'NOK'), worker: 'ines', until: at };
  const shown = doneView(state, begun, { label: '', notices: [], last });
  expect(JSON.stringify(shown.blocks)).toMatch(/NOK can be undone until/);
});

test('a focus review shows the task of a decision again that was undone, and then the one that was shown before', () => {
  const after = undone(movedOn(begun, decision('a', 'OK'), at));
  expect(after).toMatchObject({ step: 3, current: 'a', ahead: ['b', 'c'], decided: [] });
  expect(decidedIn(after)).toBe(0);
  expect(withoutLast(movedOn(begun, decision('a', 'OK'), at))).toMatchObject({ current: 'b', decided: [] });
});

test('every step has another number, and no task is shown twice at a time', () => {
  const act = fc.constantFrom('OK', 'skip', 'gone', 'undo', 'keep');
  fc.assert(
    fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
      let now: FocusSession = begun;
      for (const one of acts) {
        const before = now;
        const { current } = now;
        if (one === 'undo') now = undone(now);
        else if (one === 'keep') now = withoutLast(now);
        else if (one === 'OK' && current) now = movedOn(now, decision(current, 'OK'), at);
        else now = movedOn(now, one === 'skip' ? 'skipped' : 'gone', at);
        if (one !== 'undo' || before.decided.length > 0) expect(now.step).toBe(before.step + 1);
        const shown = [...(now.current ? [now.current] : []), ...now.ahead];
        expect(new Set(shown).size).toBe(shown.length);
        expect(decidedIn(now)).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});

test('a reason may be left out of its input only where a saved one can be chosen, and the form says so', () => {
  const commentIn = (form: ModalView) =>
    framed(form, 'focus.reason', state).blocks.find((block) => block.block_id?.startsWith('comment.'));
  const reason = (comment: typeof noComment) => reasonModal(intent('REVISE'), task(), 'A shelf', comment);
  const hint = { hint: { text: 'Required unless you chose a saved reason above.' } };
  expect(commentIn(reason(noComment))).toMatchObject({ optional: true, ...hint });
  expect(commentIn(reason({ ...noComment, reasons: [] }))).not.toHaveProperty('optional', true);
  const extras = extrasModal(intent('OK'), task(), 'A shelf', { payment: undefined, comment: noComment });
  expect(commentIn(extras)).not.toHaveProperty('hint');
});

test('no form of a review has an input of one line, from which Enter would pay by mistake', () => {
  const state = { account: asId('a1'), session: 's', step: 1, task: task().id, round: 1 } as never;
  const extras = { payment: undefined, comment: noComment };
  const filled = { bonus: '0.05', favorite: 'none' } as const;
  const forms = [
    reasonModal(intent('NOK'), task(), 'A shelf', noComment),
    extrasModal(intent('OK'), task(), 'A shelf', extras),
    extrasModal(intent('OK'), task(), 'A shelf', { ...extras, filled }),
  ].map((form) => framed(form, 'focus.form', state));
  const texts = [...forms, excludeView(state, task())]
    .flatMap(({ blocks }) => blocks)
    .flatMap((block) => (block.type === 'input' && 'element' in block ? [block.element] : []))
    .filter(({ type }) => type === 'plain_text_input');
  expect(texts).toHaveLength(5);
  for (const element of texts) expect(element).toMatchObject({ multiline: true });
});

const campaigns = [
  { id: asId<FocusCampaign>('c1'), title: 'Photo of a shelf' },
  { id: asId<FocusCampaign>('c2'), title: 'Photo of a door' },
];

const workers = ['ines', 'Maria Silva', 'Maria'];
const filterOf = (typed: string) => parseFilter(typed, campaigns, async (name) => workers.includes(name));

test('the filter of a review is campaigns by id or part of the title, else a part of the proof, with what is said by name', async () => {
  expect(await filterOf('c2')).toEqual({ campaigns: ['c2'], label: 'Photo of a door' });
  expect((await filterOf('PHOTO')).campaigns).toEqual(['c1', 'c2']);
  expect(await filterOf('no such words')).toMatchObject({ text: 'no such words' });
  const { label, ...filter } = await filterOf('country:FR waiting:2d shelf worker:ines');
  expect(filter).toEqual({ campaigns: ['c1'], country: 'FR', worker: 'ines', waitingMs: 172_800_000 });
  expect(label).toBe('Photo of a shelf · worker ines · country FR · waiting for 2 days');
  expect(await filterOf('  ')).toEqual(noFilter);
});

test.each([
  ['country:South Korea', { country: 'South Korea' }],
  ['country:South Korea shelf', { country: 'South Korea', campaigns: ['c1'] }],
  ['country:Kenya blurry', { country: 'Kenya', text: 'blurry' }],
  ['country:Kenya 24', { country: 'Kenya', text: '24' }],
  ['country:"South Korea" mine', { country: 'South Korea', mine: true }],
  ['worker:Maria Silva', { worker: 'Maria Silva' }],
  [
    'worker:Maria Silva door country:united kingdom',
    { worker: 'Maria Silva', campaigns: ['c2'], country: 'united kingdom' },
  ],
  ['worker:Maria shelf', { worker: 'Maria', campaigns: ['c1'] }],
  ['worker:“José da Silva” waiting:2h', { worker: 'José da Silva', waitingMs: 7_200_000 }],
  ['campaign:photo of a door', { campaigns: ['c2'] }],
  ['campaign:"Photo of a shelf" country:FR', { campaigns: ['c1'], country: 'FR' }],
  ['"Photo of a shelf"', { campaigns: ['c1'] }],
  ['“very blurry”', { text: 'very blurry' }],
])('the filter of a review takes names with spaces whole: %s', async (typed, expected) => {
  const { label: _, ...filter } = await filterOf(typed);
  expect(filter).toEqual(expected);
});

test('the filter of a review is refused, with what to write instead, when a name lacks what it needs', async () => {
  for (const typed of ['waiting:soon', 'waiting:', 'shelf waiting:2w', 'WAITING:-1d'])
    await expect(filterOf(typed), typed).rejects.toThrow(/such as `waiting:2d`/);
  await expect(filterOf('worker: ines')).rejects.toThrow(/right behind it, without a space/);
  await expect(filterOf('country:')).rejects.toThrow(/such as `country:Kenya`/);
  // A link is a part of a proof like any other.
  expect(await filterOf('https://example.com')).toMatchObject({ text: 'https://example.com' });
});

test('the filter of a review that matches nothing does not say that nothing waits', () => {
  const textOf = (label: string) => JSON.stringify(doneView(state, begun, { label, notices: [] }).blocks);
  expect(textOf('')).toContain('No tasks are waiting for review.');
  expect(textOf('shelf')).toMatch(/No waiting tasks match: shelf\. .*`\/review`/);
  expect(textOf('shelf')).not.toContain('No task is waiting');
});

test('the filter of a review matches the tasks that it says', () => {
  const one = task({ submittedAt: 1_000, worker: { ...task().worker, name: 'Ines', country: 'France' } });
  expect(matches(noFilter, one, 2_000)).toBe(true);
  for (const [filter, isIn] of [
    [{ worker: 'ines' }, true],
    [{ worker: one.worker.id }, true],
    [{ worker: 'in' }, false],
    [{ country: 'france' }, true],
    [{ waitingMs: 1_000 }, true],
    [{ waitingMs: 1_001 }, false],
    [{ text: 'no such text' }, false],
    [{ text: one.proof.slots[0]?.slice(3, 9).toUpperCase() ?? '' }, true],
    [{ campaigns: [] }, false],
  ] as const)
    expect(matches({ ...noFilter, ...filter }, one, 2_000), JSON.stringify(filter)).toBe(isIn);
});

type FocusCampaign = Parameters<typeof parseFilter>[1][number]['id'];

test('decisions of a review wait at least until they cannot be undone, and leave together', () => {
  fc.assert(
    fc.property(fc.nat(4_000_000_000), fc.integer({ min: 1, max: 60_000 }), (at, undoMs) => {
      const leaves = sendTime(at, undoMs, undefined, true);
      expect(leaves).toBeGreaterThanOrEqual(at + undoMs);
      expect(leaves).toBeLessThan(at + 2 * undoMs);
      expect(leaves % undoMs).toBe(0);
    }),
  );
  expect(sendTime(5_000, 0, undefined, true)).toBe(5_000);
  const leaving = Array.from({ length: 30 }, (_, index) => sendTime(index * 2_000, 10_000, undefined, true));
  expect(new Set(leaving).size / leaving.length).toBeLessThanOrEqual(0.25);
});
