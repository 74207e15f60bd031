import { expect, test } from 'vitest';
import { type FocusSession, newFocus } from '../../src/domain/focus.ts';
import type { MemberId, TaskId } from '../../src/domain/terms.ts';
import { createActs } from '../../src/features/focus/acts.ts';
import { createWalk } from '../../src/features/focus/walk.ts';
import { createFocusSessions } from '../../src/store/drafts.ts';
import { createTaskLeases } from '../../src/store/leases.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const [task, other] = [asId<TaskId>('t1'), asId<TaskId>('t2')];
const open = 'proofdesk:{T1/a1}:tasks:open';

/** The walk through two open tasks, and the beginning of a review. */
async function walking(record?: object) {
  const sessions = createFocusSessions(redis.first);
  const leases = createTaskLeases(redis.first, { now: Date.now, leaseMs: 60_000, queueMs: 60_000 });
  const nothing = async (): Promise<unknown> => undefined;
  const during = { before: nothing, after: nothing };
  const walk = createWalk(
    onlyModules({
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
    }),
  );
  await redis.first.zadd(open, 1, task, 2, other);
  return {
    ...{ during, leases, walk },
    changes: (id: string, more: Partial<FocusSession>) =>
      sessions.change(ref, id, (one) => ({ ...one, ...more })),
    async begins(id: string, more: Partial<FocusSession> = {}, queue = [task, other]) {
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
    const { held } = await leases.take(ref, 'somebody else', { count: 0, keep: [task] });
    await leases.releaseAll(ref, 'somebody else');
    return held.length === 1;
  };
  const ended = { ended: true, ahead: [] } as const;
  await begins('ended before', ended, [task]);
  expect(await walk.prefetch(ref, 'ended before')).toBeUndefined();
  expect(await isFree()).toBe(true);
  await begins('ended meanwhile', {}, [task]);
  during.before = () => changes('ended meanwhile', ended);
  expect(await walk.prefetch(ref, 'ended meanwhile')).toBeUndefined();
  expect(await isFree()).toBe(true);
  during.before = async () => undefined;
  await begins('goes on', {}, [task]);
  expect((await walk.prefetch(ref, 'goes on'))?.session.current).toBe(task);
  expect(await isFree()).toBe(false);
});

test('loading the next tasks does not move the review on from a task that is being decided', async () => {
  const { begins, walk } = await walking();
  const { session: before } = await walk.hold(ref, await begins('r'));
  expect(before.current).toBe(task);
  // The decision is stored; the step that moves on, and counts it, is not yet.
  await redis.first.zrem(open, task);
  const after = (await walk.prefetch(ref, 'r'))?.session;
  expect([after?.current, after?.step, after?.ahead]).toEqual([task, before.step, [other]]);
});

test('a review that moves on while its next tasks are loaded stays at the task it moved to', async () => {
  const { begins, changes, during, walk } = await walking();
  const session = await begins('moves', { current: task, ahead: [other] });
  const step = session.step + 1;
  during.after = () => changes('moves', { step, current: other, ahead: [] });
  const { session: after } = await walk.hold(ref, session);
  expect([after.current, after.step]).toEqual([other, step]);
});

test('a review offers Undo for its own last decision, and not for the one that a colleague has made since', async () => {
  const showing = async (id: string) => {
    const decision = { id, state: 'waiting', dueAt: Date.now() + 60_000 };
    const { begins, walk } = await walking({ id: task, worker: { id: 'w1', name: 'Mia' }, decision });
    const session = await begins(id, { decided: [{ task, decision: 'own', verdict: 'OK' }] });
    const { view } = await walk.show(ref, { session, left: 0 });
    return JSON.stringify(view(() => false));
  };
  expect(await showing('own')).toContain('Undo OK for Mia');
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
  await run({ open: note('opened'), ...click }, { ref, target: { task }, ...step });
  return seen.splice(0);
}

test('what opens above a task keeps it for whoever looks at it; a task that is gone is shown to be so', async () => {
  const withTask = (record?: object) => onlyModules({ tasks: { get: async () => record }, slack: {} });
  expect(await acts('openNotes', withTask({ id: task }), {}, {})).toEqual(['kept', 'loaded', 'opened']);
  expect(await acts('openNotes', withTask(), {}, {})).toEqual(['redrawn']);
});

test('the files of a task without a card are shown once its card was posted, ahead of others', async () => {
  const states = ['backlog', 'wanted', 'posted'];
  const tasks = {
    get: async () => ({ id: task, card: { state: states.shift() } }),
    apply: async () => ({ task: { id: task } }),
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
