import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WorkspaceId } from '../../src/domain/terms.ts';
import { createBreakers } from '../../src/store/breakers.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
/** Longer than a busy machine needs for a test in which nothing is waited for. */
const timings = { firstProbeMs: 10_000, probeMs: 40_000 };
let workspaces = 0;

/** Two processes of a workspace of its own. */
function begin({ firstProbeMs, probeMs } = timings) {
  const workspace = WorkspaceId.parse(`T${workspaces++}`);
  const [here, there] = [redis.first, redis.second].map((client) => {
    const breakers = createBreakers(client, { now: Date.now, firstProbeMs, probeMs });
    return {
      enter: (names: string[] = ['slack'], paceMs = 0) => breakers.enter(workspace, names, paceMs),
      fail: (opensAfter = 1, ageMs = 0) =>
        breakers.recordFailure(workspace, 'slack', { code: 'http_500', opensAfter, ageMs }),
      succeed: (paceMs = 0, ageMs = 0) => breakers.recordSuccess(workspace, 'slack', { paceMs, ageMs }),
      open: () => breakers.open(workspace),
    };
  });
  if (here === undefined || there === undefined) throw new Error('two clients');
  return { here, there, workspace };
}

test('failures in a row open it, for all processes; a success in between starts the count again', async () => {
  const { here, there } = begin();
  await here.fail(3);
  await there.fail(3);
  await here.succeed();
  expect(await here.fail(3)).toBe(false);
  expect(await there.fail(3)).toBe(false);
  expect(await here.open()).toEqual([]);
  expect((await here.enter()).waitMs).toBe(0);
  expect(await there.fail(3)).toBe(true);
  expect(await here.open()).toMatchObject([{ name: 'slack', code: 'http_500', failures: 3 }]);
  const { waitMs } = await there.enter();
  expect(waitMs).toBeGreaterThan(1_000);
  expect(waitMs).toBeLessThanOrEqual(13_000);
});

test('one probe passes at a time; its success ends the outage, and a call from before it proves nothing', async () => {
  const { here, there } = begin({ ...timings, firstProbeMs: 100 });
  await here.fail();
  await delay(110);
  const entries = await Promise.all([here, there, here, there].map((side) => side.enter()));
  expect(entries.filter(({ waitMs }) => waitMs === 0)).toHaveLength(1);
  expect(await here.succeed(0, 5_000)).toBeUndefined();
  expect(await here.succeed()).toMatchObject({ code: 'http_500', failures: 1 });
  expect((await there.enter()).waitMs).toBe(0);
  expect(await there.open()).toEqual([]);
});

test('a probe whose process died is followed by another; one that proved nothing by the next at once', async () => {
  const { here, there } = begin({ firstProbeMs: 100, probeMs: 1_500 });
  await here.fail();
  await delay(110);
  expect((await here.enter()).waitMs).toBe(0);
  expect((await there.enter()).waitMs).toBeGreaterThan(0);
  await delay(1_520);
  const second = await there.enter();
  expect(second.waitMs).toBe(0);
  await second.release();
  expect((await here.enter()).waitMs).toBe(0);
});

test('waits grow with failed probes, and never exceed 30 times the first', async () => {
  const { here } = begin({ ...timings, firstProbeMs: 3_000 });
  const waits: number[] = [];
  for (let failures = 1; failures <= 10; failures++) {
    await here.fail();
    waits.push((await here.enter()).waitMs);
  }
  expect(waits[1]).toBeGreaterThan(3_300);
  expect(waits[3]).toBeGreaterThan(18_000);
  expect(Math.min(...waits.slice(6))).toBeGreaterThan(60_000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(90_000);
});

test('failures of calls that were under way together make the wait no longer', async () => {
  const { here } = begin();
  await here.fail();
  for (let call = 0; call < 10; call++) await here.fail(1, 5_000);
  expect((await here.enter()).waitMs).toBeLessThanOrEqual(13_000);
});

test('a call that needs two dependencies waits for both', async () => {
  const { here } = begin();
  await here.fail();
  expect((await here.enter(['slack', 'channel C1'])).waitMs).toBeGreaterThan(0);
  expect((await here.enter(['channel C1'])).waitMs).toBe(0);
});

test('a thousand parked jobs come back in pace, each once', async () => {
  const paceMs = 2;
  const { here } = begin({ firstProbeMs: 200, probeMs: 2_000 });
  await here.fail();
  const monitor = await redis.first.monitor();
  /** From when on, by Redis's clock, the next job may come, as it is stored whenever one has come. */
  const nextFrom: number[] = [];
  let lastStored = '';
  monitor.on('monitor', (_: string, [command, , , stored]: string[], source: string) => {
    if (source !== 'lua' || !/^hset$/i.test(command ?? '')) return;
    const { state, free, parked } = JSON.parse(stored ?? '{}');
    if (state !== 'recovering') return;
    // What is stored without a job that has come is the same as before.
    const isSame = lastStored === `${free} ${parked}`;
    lastStored = `${free} ${parked}`;
    if (!isSame) nextFrom.push(free);
  });
  let done = 0;
  const job = async () => {
    for (;;) {
      const { waitMs, matters } = await here.enter(['slack'], paceMs);
      if (waitMs === 0) {
        done++;
        if (matters) await here.succeed(paceMs);
        return;
      }
      await delay(waitMs);
    }
  };
  await Promise.all(Array.from({ length: 1_000 }, job));
  monitor.disconnect();
  expect(done).toBe(1_000);
  // On a machine that is slower than the pace, slots pass unused, and the breaker is closed before all have come.
  expect(nextFrom.length).toBeGreaterThan(100);
  for (const [index, time] of nextFrom.entries())
    if (index > 0) expect(time - (nextFrom[index - 1] ?? 0)).toBeGreaterThanOrEqual(paceMs);
  expect((await here.enter(['slack'], paceMs)).waitMs).toBeLessThanOrEqual(3 * paceMs);
});

test('a breaker that cannot be read counts as closed', async () => {
  const { here, workspace } = begin();
  await redis.first.hset(`proofdesk:{${workspace}}:breakers`, 'slack', 'garbage');
  expect((await here.enter()).waitMs).toBe(0);
  expect(await here.open()).toEqual([]);
});
