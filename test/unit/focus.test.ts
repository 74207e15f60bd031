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
import { money } from '../../src/domain/money.ts';
import { sendTime } from '../../src/domain/task.ts';
import type { MemberId, TaskId } from '../../src/domain/terms.ts';
import { extrasModal, reasonModal } from '../../src/features/decide/decide.view.ts';
import { createActs } from '../../src/features/focus/acts.ts';
import {
  framed,
  inFrame,
  matches,
  noFilter,
  parseFilter,
  reviewOrder,
} from '../../src/features/focus/public.ts';
import { createWalk } from '../../src/features/focus/walk.ts';
import { modal, section } from '../../src/slack/blocks.ts';
import type { Click, OpenView } from '../../src/slack/feature.ts';
import { createFocusSessions } from '../../src/store/drafts.ts';
import { createTaskLeases } from '../../src/store/leases.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';
import { forAll } from './properties.ts';

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
  expect(end.decided.map(({ task }) => task)).toEqual(['a', 'c']);
});

test('a focus review shows the task of a decision again that was undone, and then the one that was shown before', () => {
  const [a, b] = [decision('a', 'OK'), decision('b', 'NOK')];
  const two = movedOn(movedOn(begun, a, at), b, at);
  const ahead = [id('b'), id('d')];
  const counts = { OK: 1, REVISE: 0, NOK: 0 };
  const back = { ...two, step: 4, decided: [a], counts, current: 'b', ahead: ['c', 'd'] };
  expect(undone({ ...two, ahead, ended: true })).toEqual(back);
  expect(undone({ ...two, decided: [a, a], counts, ahead: [] })).toMatchObject({ counts: { OK: 0 } });
  expect(withoutLast(two)).toEqual({ ...two, step: 4, decided: [a] });
});

test('every step has another number, and no task is shown twice at a time', () => {
  const act = fc.constantFrom('OK', 'skip', 'gone', 'undo', 'keep');
  forAll(fc.array(act, { maxLength: 30 }), (acts) => {
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
  });
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
  const cost = { amount: money('0.05'), shown: undefined };
  const filled = { bonus: '0.05', favorite: 'none', ...cost } as const;
  const forms = [
    reasonModal(intent('NOK'), task(), 'A shelf', noComment),
    extrasModal(intent('OK'), task(), 'A shelf', extras),
    extrasModal(intent('OK'), task(), 'A shelf', { ...extras, filled }),
  ].map((form) => framed(form, 'focus.form', state));
  const texts = forms
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

const filterOf = (typed: string) => parseFilter(typed, campaigns);

test('the filter of a review is campaigns by id or part of the title, else a part of the proof, with what is said by name', () => {
  expect(filterOf('c2')).toEqual({ campaigns: ['c2'], label: 'Photo of a door' });
  expect(filterOf('PHOTO').campaigns).toEqual(['c1', 'c2']);
  expect(filterOf('no such words')).toMatchObject({ text: 'no such words' });
  const { label, ...filter } = filterOf('country:FR waiting:2d shelf worker:ines');
  expect(filter).toEqual({ campaigns: ['c1'], country: 'FR', worker: 'ines', waitingMs: 172_800_000 });
  expect(label).toBe('Photo of a shelf · country:FR · waiting:2d · worker:ines');
  expect(filterOf('  ')).toEqual(noFilter);
});

test.each([
  ['country:Kenya blurry', { country: 'Kenya', text: 'blurry' }],
  ['country:"South Korea" Mine', { country: 'South Korea', mine: true }],
  ['Worker:“ José da Silva” waiting:2h', { worker: 'José da Silva', waitingMs: 7_200_000 }],
  ['"Photo of a shelf"', { campaigns: ['c1'] }],
  ['“very blurry” WAITING:30M', { text: 'very blurry', waitingMs: 1_800_000 }],
])('the filter of a review takes names in quotes whole: %s', (typed, expected) => {
  const { label: _, ...filter } = filterOf(typed);
  expect(filter).toEqual(expected);
});

test('the filter of a review is refused, with what to write instead, when a name lacks what it needs', () => {
  for (const typed of ['waiting:soon', 'waiting:', 'shelf waiting:2w', 'WAITING:-1d'])
    expect(() => filterOf(typed), typed).toThrow(/such as `waiting:2d`/);
  expect(() => filterOf('worker: ines')).toThrow(/right after the colon, without a space/);
  expect(() => filterOf('country:')).toThrow(/such as `country:Kenya`/);
  expect(() => filterOf('country:South Korea')).toThrow(/called “South”.* in quotes/);
  // A link is a part of a proof like any other.
  expect(filterOf('https://example.com')).toMatchObject({ text: 'https://example.com' });
});

test('urgent tasks come first in a review, then the own ones, then those of nobody, then those of others', () => {
  const [a, b, c, d, e, f] = ['a', 'b', 'c', 'd', 'e', 'f'].map(id) as [
    TaskId,
    TaskId,
    TaskId,
    TaskId,
    TaskId,
    TaskId,
  ];
  const sorted = { mine: new Set([c, e]), others: new Set([a, b]) };
  expect(reviewOrder([a, b, c, d, e, f], sorted, 1)).toEqual([a, c, e, d, f, b]);
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
    [{ text: one.proof.slots[0]?.slice(0, 9).toUpperCase() ?? '' }, true],
    [{ campaigns: [] }, false],
  ] as const)
    expect(matches({ ...noFilter, ...filter }, one, 2_000), JSON.stringify(filter)).toBe(isIn);
  // Of a task that came with the marketplace's results, only the end of its work is known.
  const { submittedAt: _, ...finished } = { ...one, proof: { ...one.proof, finishedAt: 1_000 } };
  expect(matches({ ...noFilter, waitingMs: 1_000 }, finished, 2_000)).toBe(true);
});

type FocusCampaign = Parameters<typeof parseFilter>[1][number]['id'];

test('decisions of a review wait at least until they cannot be undone, and leave together', () => {
  forAll(fc.nat(4_000_000_000), fc.integer({ min: 1, max: 60_000 }), (at, undoMs) => {
    const leaves = sendTime(at, undoMs, undefined, true);
    expect(leaves).toBeGreaterThanOrEqual(at + undoMs);
    expect(leaves).toBeLessThan(at + 2 * undoMs);
    expect(leaves % undoMs).toBe(0);
  });
  expect(sendTime(5_000, 0, undefined, true)).toBe(5_000);
  const leaving = Array.from({ length: 30 }, (_, index) => sendTime(index * 2_000, 10_000, undefined, true));
  expect(new Set(leaving).size / leaving.length).toBeLessThanOrEqual(0.25);
});

const redis = twoRedisClients();
const [t1, other] = [id('t1'), id('t2')];
const open = 'proofdesk:{T1/a1}:tasks:open';

/** The walk through two open tasks, and the beginning of a review. */
async function walking(record?: object) {
  const sessions = createFocusSessions(redis.first);
  const leases = createTaskLeases(redis.first, { now: Date.now, leaseMs: 60_000, queueMs: 60_000 });
  const nothing = async (): Promise<unknown> => undefined;
  const during = { before: nothing, after: nothing };
  const modules = onlyModules({
    tasks: {
      get: async () => record,
      focusSessions: sessions,
      leases: {
        ...leases,
        async take(...args: Parameters<typeof leases.take>) {
          await during.before();
          const taken = await leases.take(...args);
          await during.after();
          return taken;
        },
      },
    },
    clock: { now: Date.now },
  });
  const walk = createWalk(modules);
  await redis.first.zadd(open, 1, t1, 2, other);
  return {
    ...{ during, leases, walk },
    changes: (id: string, more: Partial<FocusSession>) =>
      sessions.change(ref, id, (one) => ({ ...one, ...more })),
    async begins(id: string, more: Partial<FocusSession> = {}, queue = [t1, other]) {
      const begun = newFocus({ id, member: asId<MemberId>('U1'), filter: { label: '' } });
      const session = { ...begun, queuedAt: Date.now(), ...more };
      await sessions.create(ref, session);
      await leases.fill(ref, id, queue);
      return session;
    },
  };
}

test('a review that has ended leases nothing, also when its next tasks are still being loaded', async () => {
  const { begins, changes, during, leases, walk } = await walking();
  const isFree = async () => {
    const { held } = await leases.take(ref, 'somebody else', { count: 0, keep: [t1] });
    await leases.releaseAll(ref, 'somebody else');
    return held.length === 1;
  };
  const ended = { ended: true, ahead: [] } as const;
  await begins('ended before', ended, [t1]);
  expect(await walk.prefetch(ref, 'ended before')).toBeUndefined();
  expect(await isFree()).toBe(true);
  await begins('ended meanwhile', {}, [t1]);
  during.before = () => changes('ended meanwhile', ended);
  expect(await walk.prefetch(ref, 'ended meanwhile')).toBeUndefined();
  expect(await isFree()).toBe(true);
  during.before = async () => undefined;
  await begins('goes on', {}, [t1]);
  expect((await walk.prefetch(ref, 'goes on'))?.session.current).toBe(t1);
  expect(await isFree()).toBe(false);
});

test('loading the next tasks does not move the review on from a task that is being decided', async () => {
  const { begins, walk } = await walking();
  const { session: before, left } = await walk.hold(ref, await begins('r', { unqueued: 5 }));
  expect([before.current, left]).toEqual([t1, 7]);
  // The decision is stored; the step that moves on, and counts it, is not yet.
  await redis.first.zrem(open, t1);
  const after = (await walk.prefetch(ref, 'r'))?.session;
  expect([after?.current, after?.step, after?.ahead]).toEqual([t1, before.step, [other]]);
});

test('a review that moves on while its next tasks are loaded stays at the task it moved to', async () => {
  const { begins, changes, during, walk } = await walking();
  const session = await begins('moves', { current: t1, ahead: [other] });
  const step = session.step + 1;
  during.after = () => changes('moves', { step, current: other, ahead: [] });
  const { session: after } = await walk.hold(ref, session);
  expect([after.current, after.step]).toEqual([other, step]);
});

test('a review offers Undo for its own last decision, and not for the one that a colleague has made since', async () => {
  const showing = async (id: string, state = 'waiting') => {
    const decision = { id, state, dueAt: Date.now() + 60_000 };
    const { begins, walk } = await walking({ id: t1, worker: { id: 'w1', name: 'Mia' }, decision });
    const session = await begins(`${id} ${state}`, {
      decided: [{ task: t1, decision: 'own', verdict: 'OK' }],
    });
    const { view } = await walk.show(ref, { session, left: 0 });
    return JSON.stringify(view(() => false));
  };
  expect(await showing('own')).toMatch(/can be undone until.*Undo OK for Mia/);
  const held = await showing('own', 'held');
  expect(held).toContain('Undo OK for Mia');
  expect(held).not.toContain('until');
  expect(await showing('own', 'sending')).not.toContain('Undo');
  expect(await showing('of a colleague')).not.toContain('Undo');
});

const seen: string[] = [];
const note = (what: string) => async () => void seen.push(what);
const pass = <T>(run: T) => run;

/** Does something in a view of a review whose steps are only noted. Returns what was noted. */
async function acts(name: 'again' | 'listFiles' | 'openNotes', modules: object, click: object, step: object) {
  const deps = { ...modules, notesModal: note('loaded'), showFiles: note('shown'), forms: {} };
  const walk = { hold: note('kept'), fill: note('filled') };
  const around = { inStep: pass, inNextStep: pass, inReview: pass, submitted: pass };
  const steps = { ...around, redraw: note('redrawn'), walk };
  const run = createActs(deps as never, steps as never)[name] as unknown as (...args: object[]) => unknown;
  await run({ open: note('opened'), ...click }, { ref, target: { task: t1 }, ...step });
  return seen.splice(0);
}

test('what opens above a task keeps it for whoever looks at it; a task that is gone is shown to be so', async () => {
  const withTask = (record?: object) => onlyModules({ tasks: { get: async () => record }, slack: {} });
  expect(await acts('openNotes', withTask({ id: t1 }), {}, {})).toEqual(['kept', 'loaded', 'opened']);
  expect(await acts('openNotes', withTask(), {}, {})).toEqual(['redrawn']);
});

test('the files of a task without a card are shown once its card was posted, ahead of others', async () => {
  const states = ['backlog', 'wanted', 'posted'];
  const tasks = {
    get: async () => ({ id: t1, card: { state: states.shift() } }),
    apply: async () => ({ task: { id: t1 } }),
  };
  const modules = onlyModules({ tasks, slack: { cards: { clicked: note('drawn') } } });
  expect(await acts('listFiles', modules, {}, {})).toEqual(['kept', 'opened', 'drawn', 'shown']);
});

test('a review goes on from its last view, and from an earlier one only if it had ended', async () => {
  const goesOn = async (one: object, step: number) => {
    let changed: unknown;
    const change = async (_: unknown, __: unknown, next: (one: object) => object | undefined) => {
      changed = next(one);
      return { session: {} };
    };
    const modules = onlyModules({ tasks: { focusSessions: { change } }, slack: {} });
    await acts('again', modules, { value: 'skipped' }, { session: { id: 'r' }, state: { step } });
    return changed;
  };
  expect(await goesOn({ step: 4, skipped: ['t1'], ended: true }, 4)).toEqual({ step: 5, skipped: [] });
  expect(await goesOn({ step: 4, skipped: ['t1'], ended: true }, 3)).toEqual({ step: 4, skipped: ['t1'] });
  expect(await goesOn({ step: 4, skipped: ['t1'] }, 3)).toBeUndefined();
});

const focus = { account: asId('acc'), session: 's', step: 3, task: asId('t1'), round: 1 } as never;
const blocks = [section('About')];
const form = modal({ callbackId: 'task.reason', title: 'Reason', state: '{"own":1}', blocks });
const click = { workspace: ref.workspace } as Click;
const openIn = (state: string, callbackId: string) =>
  ({ id: 'V1', hash: 'h', state, callbackId }) as OpenView;

test('a form keeps the frame that it has while it is open, and is not updated while Slack limits that', async () => {
  const shown: unknown[] = [];
  const replace = async (_: Click, __: OpenView, view: unknown) => void shown.push(view);
  const yes = inFrame({ replace }, { acquire: async () => 0 });
  const no = inFrame({ replace }, { acquire: async () => 600 });

  await no.replace(click, openIn('{"own":1}', 'task.reason'), form);
  expect(shown).toEqual([form]);

  const frame = framed(form, 'focus.reason', focus);
  expect(frame).toMatchObject({
    callback_id: 'focus.reason',
    notify_on_close: true,
    close: { text: 'End review' },
  });
  expect(JSON.parse(frame.private_metadata ?? '')).toEqual({ own: 1, focus });
  await no.replace(click, openIn(frame.private_metadata ?? '', 'focus.reason'), form);
  expect(shown).toHaveLength(1);
  await yes.replace(click, openIn(frame.private_metadata ?? '', 'focus.reason'), form);
  expect(shown[1]).toEqual(frame);
});
