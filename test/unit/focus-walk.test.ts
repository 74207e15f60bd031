import { expect, test } from 'vitest';
import { newFocus } from '../../src/domain/focus.ts';
import type { AccountRef, MemberId, TaskId } from '../../src/domain/terms.ts';
import { createWalk } from '../../src/features/focus/walk.ts';
import { createFocusSessions } from '../../src/store/drafts.ts';
import { createTaskLeases } from '../../src/store/leases.ts';
import { asId } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const ref: AccountRef = { workspace: asId('T1'), account: asId('acc') };
const filter = { label: '' };
const task = asId<TaskId>('t1');

test('a review that has ended leases nothing, also when its next tasks are still being loaded', async () => {
  const focusSessions = createFocusSessions(redis.first);
  const taskLeases = createTaskLeases(redis.first, { now: Date.now, leaseMs: 60_000, queueMs: 60_000 });
  let whileLeasing = async (): Promise<unknown> => undefined;
  const walk = createWalk(
    onlyModules({
      tasks: {
        get: async () => undefined,
        focusSessions,
        leases: {
          ...taskLeases,
          async take(...args: Parameters<typeof taskLeases.take>) {
            await whileLeasing();
            return taskLeases.take(...args);
          },
        },
      },
      clock: { now: Date.now },
    }),
  );
  const end = (id: string) =>
    focusSessions.change(ref, id, (one) => (one.ended ? undefined : { ...one, ended: true, ahead: [] }));
  await redis.first.zadd('proofdesk:{T1/acc}:tasks:open', 1, task);
  const begin = async (id: string) => {
    const session = { ...newFocus({ id, member: asId<MemberId>('U1'), filter }), queuedAt: Date.now() };
    await focusSessions.create(ref, session);
    await taskLeases.fill(ref, id, [task]);
  };
  const isFree = async () => {
    const { held } = await taskLeases.take(ref, 'somebody else', { count: 0, keep: [task] });
    await taskLeases.releaseAll(ref, 'somebody else');
    return held.length === 1;
  };

  await begin('ended before');
  await end('ended before');
  expect(await walk.prefetch(ref, 'ended before')).toBeUndefined();
  expect(await isFree()).toBe(true);

  await begin('ended meanwhile');
  whileLeasing = () => end('ended meanwhile');
  expect(await walk.prefetch(ref, 'ended meanwhile')).toBeUndefined();
  expect(await isFree()).toBe(true);

  whileLeasing = async () => undefined;
  await begin('goes on');
  expect((await walk.prefetch(ref, 'goes on'))?.session.current).toBe(task);
  expect(await isFree()).toBe(false);
});

test('loading the next tasks does not move the review on from a task that is being decided', async () => {
  const open = 'proofdesk:{T1/acc}:tasks:open';
  const other = asId<TaskId>('t2');
  const focusSessions = createFocusSessions(redis.first);
  const leases = createTaskLeases(redis.first, { now: Date.now, leaseMs: 60_000, queueMs: 60_000 });
  const walk = createWalk(
    onlyModules({
      tasks: { get: async () => undefined, focusSessions, leases },
      clock: { now: Date.now },
    }),
  );
  await redis.first.zadd(open, 1, task, 2, other);
  const session = { ...newFocus({ id: 'r', member: asId<MemberId>('U1'), filter }), queuedAt: Date.now() };
  await focusSessions.create(ref, session);
  await leases.fill(ref, 'r', [task, other]);
  const { session: before } = await walk.hold(ref, session);
  expect(before.current).toBe(task);
  // The decision is stored; the step that moves on, and counts it, is not yet.
  await redis.first.zrem(open, task);
  const after = (await walk.prefetch(ref, 'r'))?.session;
  expect([after?.current, after?.step, after?.ahead]).toEqual([task, before.step, [other]]);
});

test('a review that moves on while its next tasks are loaded stays at the task it moved to', async () => {
  const decided = asId<TaskId>('t3');
  const next = asId<TaskId>('t4');
  const focusSessions = createFocusSessions(redis.first);
  const taskLeases = createTaskLeases(redis.first, { now: Date.now, leaseMs: 60_000, queueMs: 60_000 });
  const movesOn = () =>
    focusSessions.change(ref, 'moves', (one) => ({ ...one, step: one.step + 1, current: next, ahead: [] }));
  const walk = createWalk(
    onlyModules({
      tasks: {
        get: async () => undefined,
        focusSessions,
        leases: {
          ...taskLeases,
          async take(...args: Parameters<typeof taskLeases.take>) {
            const taken = await taskLeases.take(...args);
            await movesOn();
            return taken;
          },
        },
      },
      clock: { now: Date.now },
    }),
  );
  await redis.first.zadd('proofdesk:{T1/acc}:tasks:open', 3, decided, 4, next);
  const begun = newFocus({ id: 'moves', member: asId<MemberId>('U1'), filter });
  const session = { ...begun, queuedAt: Date.now(), current: decided, ahead: [next] };
  await focusSessions.create(ref, session);
  const { session: after } = await walk.hold(ref, session);
  expect([after.current, after.step]).toEqual([next, session.step + 1]);
});

test('a review offers Undo for its own last decision, and not for the one that a colleague has made since', async () => {
  const showing = async (decision: string) => {
    const worker = { id: 'w1', name: 'Mia' };
    const task = {
      id: 't1',
      worker,
      decision: { id: decision, state: 'waiting', dueAt: Date.now() + 60_000 },
    };
    const walk = createWalk(
      onlyModules({
        tasks: { get: async () => task, focusSessions: createFocusSessions(redis.first) },
        clock: { now: Date.now },
      }),
    );
    const begun = newFocus({ id: 'undo', member: asId<MemberId>('U1'), filter });
    const decided = [{ task: asId<TaskId>('t1'), decision: 'own', verdict: 'OK' }] as const;
    const { view } = await walk.show(ref, { session: { ...begun, decided }, left: 0 });
    return JSON.stringify(view(() => false));
  };
  expect(await showing('own')).toContain('Undo OK for Mia');
  expect(await showing('of a colleague')).not.toContain('Undo');
});
