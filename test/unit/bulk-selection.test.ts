import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  atStage,
  type BulkItem,
  type BulkSelection,
  isTicked,
  listing,
  marked,
  maxBulk,
  newSelection,
  showing,
  tasksPerPage,
  tickedCounts,
  tickedItems,
} from '../../src/domain/bulk-selection.ts';
import type { MemberId, TaskId } from '../../src/domain/terms.ts';
import { createDeciding } from '../../src/features/bulk/deciding.ts';
import { expiredView } from '../../src/features/bulk/decision.view.ts';
import { selectionState } from '../../src/features/bulk/page.view.ts';
import { createSelecting, type Next } from '../../src/features/bulk/selecting.ts';
import { pageOf } from '../../src/slack/blocks.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { forAll } from './properties.ts';

const tasks = (count: number, prefix = 't') =>
  Array.from({ length: count }, (_, index) => asId<TaskId>(`${prefix}${index}`));
const filter = { label: '' };
const begun = (count = 60) =>
  listing(newSelection({ id: 's', member: asId('U1'), at: 1, filter }), filter, tasks(count));
const shownAt = (selection: BulkSelection, page: number, round = 1) => {
  const { page: nearest, here } = pageOf(selection.listed, page, tasksPerPage);
  const items = here.map((task) => ({ task, round }));
  return showing(selection, nearest, items, []);
};
const as = (items: readonly BulkItem[], isTicked: boolean) => items.map((item) => ({ ...item, isTicked }));
const names = (selection: BulkSelection) => tickedItems(selection).map(({ task }) => task);

test('a selection begins with nothing ticked, and lists so many tasks at the most', () => {
  expect(names(shownAt(begun(), 0))).toEqual([]);
  const many = begun(maxBulk + 7);
  expect(many.listed).toHaveLength(maxBulk);
  expect(many.unlisted).toBe(7);
});

test('what another filter had found stays ticked, is counted, and comes last', () => {
  const shown = shownAt(begun(3), 0);
  const ticked = marked(shown, as(shown.shown, true), 5);
  const other = shownAt(listing(ticked, { label: 'x' }, [...tasks(2, 'u'), asId('t1')]), 0);
  expect(names(other)).toEqual(['t1', 't0', 't2']);
  expect(tickedCounts(other)).toEqual({ all: 3, here: 1, unlisted: 2 });
  expect(names(marked(other, as(tickedItems(other), false), 6))).toEqual([]);
});

const round = fc.integer({ min: 1, max: 2 });
const act = fc.oneof(
  fc.record({ kind: fc.constant('tick' as const), task: fc.nat(80), round, is: fc.boolean() }),
  fc.record({ kind: fc.constant('page' as const), is: fc.boolean() }),
  fc.record({ kind: fc.constant('show' as const), page: fc.nat(4), round }),
  fc.record({ kind: fc.constant('filter' as const), count: fc.nat(80) }),
  fc.record({ kind: fc.constant('stage' as const) }),
);

test('whatever is done, only rounds that were shown are ticked, and each step has another number', () => {
  forAll(fc.array(act, { maxLength: 40 }), (acts) => {
    const seen = new Set<string>();
    const asked = new Set<string>();
    let order = 1;
    const show = (one: BulkSelection, page: number, round: number) => {
      const next = shownAt(one, page, round);
      for (const item of next.shown) seen.add(`${item.task} ${item.round}`);
      return next;
    };
    let selection = show(begun(), 0, 1);
    for (const one of acts) {
      const before = selection;
      order += 1;
      if (one.kind === 'tick') {
        const item = { task: asId<TaskId>(`t${one.task}`), round: one.round };
        if (one.is) asked.add(`${item.task} ${item.round}`);
        selection = marked(selection, as([item], one.is), order);
      } else if (one.kind === 'page') {
        if (one.is) for (const item of selection.shown) asked.add(`${item.task} ${item.round}`);
        selection = marked(selection, as(selection.shown, one.is), order);
      } else if (one.kind === 'show') selection = show(selection, one.page, one.round);
      else if (one.kind === 'filter') selection = show(listing(selection, filter, tasks(one.count)), 0, 1);
      else selection = atStage(selection, 'decision');
      for (const { task, round } of tickedItems(selection)) {
        expect(seen).toContain(`${task} ${round}`);
        expect(asked).toContain(`${task} ${round}`);
      }
      if (one.kind === 'show' || one.kind === 'filter' || one.kind === 'stage')
        expect(selection.step).toBe(before.step + 1);
      if (one.kind === 'show' || one.kind === 'stage') {
        const known = tickedItems(before).filter((item) => isTicked(selection, item));
        const lost = tickedItems(before).length - known.length;
        // Only a task that has come back loses its tick.
        expect(lost === 0 || one.kind === 'show').toBe(true);
      }
    }
  });
});

test('ticks may arrive in any order: the last one that was made counts', () => {
  const ticks = fc.array(fc.record({ task: fc.nat(5), is: fc.boolean() }), { minLength: 1, maxLength: 12 });
  forAll(ticks, fc.infiniteStream(fc.nat()), (made, random) => {
    const shown = shownAt(begun(6), 0);
    const events = made.map((one, index) => ({ ...one, order: index + 1 }));
    const drawn = events.map((event) => ({ event, at: random.next().value as number }));
    const shuffled = drawn.sort((a, b) => a.at - b.at).map(({ event }) => event);
    const applied = (all: typeof events) =>
      all.reduce(
        (one, { task, is, order }) => marked(one, as([{ task: asId(`t${task}`), round: 1 }], is), order),
        shown,
      );
    expect(names(applied(shuffled))).toEqual(names(applied(events)));
  });
});

type Passing = (...args: unknown[]) => unknown;
const pass = <T>(run: T) => run;
const selecting = { inSelection: pass, submitted: pass, within: pass };

test('comments for each are asked page by page; a text that is not displayed yet is shown before the preview', async () => {
  const modules = onlyModules({
    tasks: { byId: async () => new Map(), leases: { owners: async () => new Map() } },
  });
  const { clicks, submissions } = createDeciding(modules, { ...selecting, asTicked: () => pass } as never);
  const after = async (run: unknown, selection: BulkSelection, values: object) => {
    const { change } = (await (run as Passing)({ ref, values }, selection)) as Next;
    return change(selection);
  };
  const ticked = (count: number) => ({
    ...begun(),
    marks: Object.fromEntries(tasks(count).map((task) => [task, { round: 1, isTicked: true, order: 1 }])),
    decision: { verdict: 'NOK', isEach: false, text: 'Blurred', reason: 'r1', filled: 2 } as const,
  });
  const each = submissions['bulk.comments'];
  expect(await after(each, ticked(10), {})).toMatchObject({ stage: 'preview' });
  expect(await after(each, ticked(11), {})).toMatchObject({ stage: 'comments', page: 1 });
  const stale = {
    'comment.1': { value: { value: 'Bl' } },
    'reason.1': { v: { selected_option: { value: 'r1' } } },
  };
  const decided = await after(submissions['bulk.decision'], ticked(1), stale);
  expect(decided).toMatchObject({ stage: 'page', decision: { text: 'Blurred', filled: 3 } });
  // A reason for another rating is not one for this; the text stays.
  const other = (await after(clicks['bulk.rate.REVISE'], ticked(1), {})).decision;
  expect(other).toMatchObject({ verdict: 'REVISE', text: 'Blurred', reason: undefined });
  expect((await after(clicks['bulk.rate.NOK'], ticked(1), {})).decision).toMatchObject({ reason: 'r1' });
});

test('a selection leaves its page with one task at least and 500 at most', async () => {
  const asTicked = () => pass;
  const { clicks } = createDeciding(onlyModules({}), { ...selecting, asTicked } as never);
  const leaves = async (count: number) => {
    const mark = { round: 1, isTicked: true, order: 1 };
    const marks = Object.fromEntries(tasks(count).map((task) => [task, mark]));
    const press = clicks['bulk.rate.NOK'] as unknown as Passing;
    const { page, said } = (await press({ ref }, { ...begun(), marks })) as Next;
    return page === undefined ? 'left' : said;
  };
  expect(await leaves(0)).toMatch(/^Nothing is selected yet/);
  expect(await leaves(500)).toBe('left');
  expect(await leaves(501)).toMatch(/Deselect 1 of them/);
});

test('a selection is that of its member, and goes on only from the view that it shows', async () => {
  const bulkSelections = { get: async () => begun() };
  const modules = onlyModules({ tasks: { bulkSelections }, clock: {} });
  const expired = async () => ({ ...expiredView(), blocks: [] });
  const { submitted } = createSelecting(modules, expired);
  const submits = async (member: string, step = begun().step) => {
    let hasRun = false;
    const entry = submitted(async () => {
      hasRun = true;
      return { errors: {} };
    });
    const state = selectionState.encode({ account: ref.account, selection: 's', step });
    const submission = { member: asId<MemberId>(member), state, authorize: async () => ref };
    const answer = await entry.run(submission as never);
    return { hasRun, answer };
  };
  expect(await submits('U1')).toMatchObject({ hasRun: true });
  expect(await submits('U2')).toEqual({ hasRun: false, answer: { update: expiredView() } });
});
