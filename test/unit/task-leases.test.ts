import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import type { TaskId, WorkspaceId } from '../../src/domain/terms.ts';
import {
  createAccountLeases,
  createLeases,
  createTaskLeases,
  defaultTimeouts,
} from '../../src/store/leases.ts';
import { asId, ref } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';
import { forAllAsync, of } from './properties.ts';

const redis = twoRedisClients();
const open = 'proofdesk:{T1/a1}:tasks:open';
const leaseMs = 1_000;
const names = ['t0', 't1', 't2', 't3', 't4', 't5', 't6', 't7'] as const;
const ids = names.map((name) => asId<TaskId>(name));

/** The store as two processes see it, at one time that the test sets. */
function leasesAt(clock: { now: number }) {
  const options = { now: () => clock.now, leaseMs, queueMs: 60_000 };
  return [createTaskLeases(redis.first, options), createTaskLeases(redis.second, options)] as const;
}

const waiting = (tasks: readonly string[]) =>
  redis.first.zadd(open, ...tasks.flatMap((task, index) => [index, task]));

test('a queue gives its tasks in order, and none that is decided or that somebody else looks at', async () => {
  const [here, there] = leasesAt({ now: 5_000 });
  await waiting(names);
  for (const owner of ['ann', 'ben']) await here.fill(ref, owner, ids);
  expect(await here.take(ref, 'ann', { count: 3 })).toEqual({ held: ['t0', 't1', 't2'], left: 5 });
  await redis.first.zrem(open, 't3');
  expect(await there.take(ref, 'ben', { count: 2 })).toEqual({ held: ['t4', 't5'], left: 5 });
  const next = { count: 2, release: ['t0'] as never, keep: ['t1'] as never };
  expect(await here.take(ref, 'ann', next)).toEqual({ held: ['t1', 't6'], left: 3 });
});

test('a lease lives for 120 seconds, unless a test says otherwise', () => {
  expect(defaultTimeouts.focusLeaseMs).toBe(120_000);
});

test('a lease ends with its time, when it is released, and with all others of its owner', async () => {
  const clock = { now: 5_000 };
  const [here, there] = leasesAt(clock);
  await waiting(['t0']);
  const [task = asId<TaskId>('')] = ids;
  const tries = (owner: string) => there.take(ref, owner, { count: 0, keep: [task] });
  expect((await here.take(ref, 'ann', { count: 0, keep: [task] })).held).toEqual([task]);
  clock.now += leaseMs - 1;
  expect((await tries('ben')).held).toEqual([]);
  clock.now += 1;
  expect((await tries('ben')).held).toEqual([task]);
  expect((await tries('ann')).held).toEqual([]);
  await here.take(ref, 'ben', { count: 0, release: [task] });
  expect((await tries('ann')).held).toEqual([task]);
  await here.releaseAll(ref, 'ann');
  expect((await tries('ben')).held).toEqual([task]);
});

test('whoever types keeps what they hold, and takes back nothing that was released or is somebody else’s', async () => {
  const clock = { now: 5_000 };
  const [here, there] = leasesAt(clock);
  await waiting(names);
  await here.fill(ref, 'ann', ids);
  await here.take(ref, 'ann', { count: 2 });
  clock.now += leaseMs - 1;
  await there.renew(ref, 'ann');
  clock.now += leaseMs - 1;
  const [first, second] = ids as [TaskId, TaskId];
  expect((await here.take(ref, 'ben', { count: 0, keep: [first, second] })).held).toEqual([]);
  await here.take(ref, 'ann', { count: 0, release: [second] });
  clock.now += 1;
  expect((await there.take(ref, 'ben', { count: 0, keep: [first] })).held).toEqual([first]);
  await here.renew(ref, 'ann');
  expect(await here.ownerOf(ref, first)).toBe('ben');
  expect(await here.ownerOf(ref, second)).toBeUndefined();
  expect(await here.owners(ref, [first, second])).toEqual(new Map([[first, 'ben']]));
  clock.now += leaseMs;
  expect(await here.owners(ref, [first, second])).toEqual(new Map());
});

test('a lease writes nothing but itself: no card is marked to be updated', async () => {
  const [here] = leasesAt({ now: 5_000 });
  await waiting(names);
  const before = await redis.first.keys('*');
  await here.fill(ref, 'ann', ids);
  await here.take(ref, 'ann', { count: 3 });
  await here.renew(ref, 'ann');
  const added = (await redis.first.keys('*')).filter((key) => !before.includes(key));
  expect(added.length).toBeGreaterThan(0);
  expect(added.filter((key) => !key.startsWith('proofdesk:{T1/a1}:focus:'))).toEqual([]);
});

const owners = ['ann', 'ben', 'chloe'] as const;
const owner = fc.constantFrom(...owners);
const step = fc.oneof(
  of('take', { owner, count: fc.nat(3), released: fc.nat(2), process: fc.nat(1) }),
  of('wait', { ms: fc.integer({ min: 1, max: 1_500 }) }),
  of('decide', { task: fc.nat(7) }),
  of('undo', { task: fc.nat(7) }),
  of('fill', { owner }),
  of('close', { owner }),
);

test('no two owners ever hold the same task while a lease lives, whatever happens in which order', async () => {
  let contended = 0;
  await forAllAsync({ numRuns: 60 }, fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
    await redis.first.flushall();
    const clock = { now: 5_000 };
    const stores = leasesAt(clock);
    await waiting(names);
    for (const owner of owners) await stores[0].fill(ref, owner, ids);
    const decided = new Set<TaskId>();
    /** Who holds what until when, as the answers say. */
    const known = new Map<TaskId, { owner: string; until: number }>();
    for (const one of steps) {
      const task = 'task' in one ? (ids[one.task] as TaskId) : undefined;
      if (one.type === 'wait') clock.now += one.ms;
      else if (one.type === 'fill') await stores[1].fill(ref, one.owner, ids);
      else if (one.type === 'decide' && task) {
        decided.add(task);
        await redis.first.zrem(open, task);
      } else if (one.type === 'undo' && task) {
        decided.delete(task);
        await waiting([task]);
      } else if (one.type === 'close') {
        await stores[0].releaseAll(ref, one.owner);
        for (const [held, { owner }] of known) if (owner === one.owner) known.delete(held);
      } else if (one.type === 'take') {
        const own = [...known].filter(([, { owner }]) => owner === one.owner).map(([held]) => held);
        const release = own.slice(0, one.released);
        for (const left of release) known.delete(left);
        const keep = own.slice(one.released);
        const store = stores[one.process] as (typeof stores)[0];
        const { held } = await store.take(ref, one.owner, { count: one.count, keep, release });
        expect(new Set(held).size).toBe(held.length);
        for (const now of held) {
          const before = known.get(now);
          const isOthers = before !== undefined && before.owner !== one.owner && before.until > clock.now;
          expect(isOthers && !decided.has(now), `${now} is ${before?.owner}'s`).toBe(false);
          expect(decided.has(now)).toBe(false);
          known.set(now, { owner: one.owner, until: clock.now + leaseMs });
        }
        contended += known.size > held.length ? 1 : 0;
        for (const lost of keep) if (!held.includes(lost)) known.delete(lost);
      }
    }
  });
  expect(contended).toBeGreaterThan(0);
});

test('one job of one process holds a key at a time', async () => {
  const [here, there] = [createLeases(redis.first), createLeases(redis.second)];
  const hold = await here.acquire('key', 10_000);
  expect(await there.acquire('key', 10_000)).toBeUndefined();
  expect(await here.acquire('key', 10_000)).toBeUndefined();
  expect(await hold?.renew()).toBe(true);
  await hold?.release();
  expect(await there.acquire('key', 10_000)).toBeDefined();
});

test('what a dead process held is free after its time, and the process learns that it was lost', async () => {
  const [here, there] = [createLeases(redis.first), createLeases(redis.second)];
  const hold = await here.acquire('key', 30);
  await expect.poll(() => there.acquire('key', 10_000)).toBeDefined();
  expect(await hold?.renew()).toBe(false);
  await hold?.release();
  expect(await here.acquire('key', 10_000)).toBeUndefined();
});

test('what could not be let go of does not keep its own process waiting', async () => {
  const failing = redis.first.duplicate();
  const here = createLeases(failing);
  const hold = await here.acquire('key', 10_000);
  failing.disconnect();
  await expect(hold?.release()).rejects.toThrow();
  await failing.connect();
  expect(await here.acquire('key', 10_000)).toBeDefined();
  failing.disconnect();
});

test('what rests is taken by nobody for that time', async () => {
  const [here, there] = [createLeases(redis.first), createLeases(redis.second)];
  const hold = await here.acquire('key', 10_000);
  await hold?.releaseAfter(1_500);
  expect(await here.acquire('key', 10_000)).toBeUndefined();
  expect(await there.acquire('key', 10_000)).toBeUndefined();
  await expect.poll(() => here.acquire('key', 10_000)).toBeDefined();
});

const workspace = asId<WorkspaceId>('T0SANDBOX');

/** A connection that ended before the answer to each command: ioredis has sent it again, and has the second answer. */
function resending(connection: Redis): Redis {
  const twice =
    (command: (...args: unknown[]) => Promise<unknown>) =>
    async (...args: unknown[]) => {
      await command(...args);
      return command(...args);
    };
  const client = connection.duplicate();
  const set = client.set.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const run = client.eval.bind(client) as (...args: unknown[]) => Promise<unknown>;
  return Object.assign(client, { set: twice(set), eval: twice(run) });
}

test('what is claimed is done once, also when the answer to the claim was lost', async () => {
  const client = resending(redis.first);
  const [here, there] = [createAccountLeases(client), createAccountLeases(redis.second)];
  expect(await here.claimOnce(workspace, 'a click')).toBe(true);
  expect(await here.claimOnce(workspace, 'a click')).toBe(false);
  expect(await there.claimOnce(workspace, 'a click')).toBe(false);
  const [claim = ''] = await redis.first.keys('*:once:a click');
  expect(await redis.first.ttl(claim)).toBeGreaterThan(3_500);
  client.disconnect();
});
