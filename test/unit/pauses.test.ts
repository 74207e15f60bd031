import { expect, test } from 'vitest';
import { WorkspaceId } from '../../src/domain/terms.ts';
import { createIncidents, createPauses } from '../../src/store/pauses.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
let workspaces = 0;

/** Two processes of a workspace of its own, at a time that only the test moves. */
function begin() {
  const workspace = WorkspaceId.parse(`T${workspaces++}`);
  const clock = { now: 1_000_000 };
  const processOf = (client: typeof redis.first) => {
    const pauses = createPauses(client, { now: () => clock.now, firstMs: 1_000, probeMs: 16_000 });
    return {
      enter: (...names: string[]) => pauses.enter(workspace, names.length > 0 ? names : ['slack']),
      fail: ({ pausesAfter = 1, began = clock.now, name = 'slack' } = {}) =>
        pauses.fail(workspace, name, { code: 'http_500', began, pausesAfter }),
      succeed: (began = clock.now) => pauses.succeed(workspace, 'slack', began),
      all: () => pauses.all(workspace),
    };
  };
  return { clock, here: processOf(redis.first), there: processOf(redis.second) };
}

test('failures in a row begin a pause of all processes; a success in between starts the count again', async () => {
  const { clock, here, there } = begin();
  const pausesAfter = 3;
  const began = clock.now;
  await here.fail({ pausesAfter });
  await there.fail({ pausesAfter });
  expect(await here.succeed()).toBeUndefined();
  expect(await here.fail({ pausesAfter })).toBe(false);
  expect(await there.fail({ pausesAfter })).toBe(false);
  expect((await there.enter()).waitMs).toBe(0);
  expect((await here.all()).size).toBe(0);
  clock.now += 100;
  expect(await there.fail({ pausesAfter })).toBe(true);
  expect(await here.enter()).toMatchObject({ waitMs: 1_000, code: 'http_500', isProbe: false });
  expect((await here.all()).get('slack')).toMatchObject({ since: began, failures: 3 });
  // Nobody has probed since: what failed is not needed any more.
  clock.now += 599_999;
  expect((await here.all()).size).toBe(1);
  clock.now += 1;
  expect((await here.all()).size).toBe(0);
});

test('after a pause one job probes; its success ends the outage, one of a call from before it proves nothing', async () => {
  const { clock, here, there } = begin();
  await here.fail();
  clock.now += 1_000;
  const entries = await Promise.all([here, there, here, there].map((side) => side.enter()));
  expect(entries.map(({ waitMs }) => waitMs).sort((a, b) => a - b)).toEqual([0, 1_000, 1_000, 1_000]);
  expect(await here.succeed(clock.now - 5_000)).toBeUndefined();
  const ended = await Promise.all([here.succeed(), there.succeed()]);
  expect(ended.filter((pause) => pause !== undefined)).toMatchObject([{ code: 'http_500', failures: 1 }]);
  expect((await there.enter()).waitMs).toBe(0);
});

test('a probe whose process died is followed by another, one that said nothing by the next at once', async () => {
  const { clock, here, there } = begin();
  await here.fail();
  clock.now += 1_000;
  expect((await here.enter()).isProbe).toBe(true);
  clock.now += 15_000;
  expect((await there.enter()).isProbe).toBe(false);
  clock.now += 1_000;
  const second = await there.enter();
  expect(second.isProbe).toBe(true);
  await second.release();
  expect((await here.enter()).isProbe).toBe(true);
});

test('pauses double up to a minute, whatever calls that were under way together say', async () => {
  const { clock, here } = begin();
  const pauses: number[] = [];
  for (let failures = 1; failures <= 9; failures += 1) {
    await here.fail();
    for (let call = 0; call < 3; call += 1) await here.fail({ began: clock.now - 1 });
    const { waitMs } = await here.enter();
    pauses.push(waitMs / 1_000);
    clock.now += waitMs;
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test('a call that needs two waits for both, and leaves the probe of the one to others meanwhile', async () => {
  const { clock, here, there } = begin();
  await here.fail();
  clock.now += 1_000;
  await here.fail({ name: 'channel C1' });
  expect((await here.enter('slack', 'channel C1')).waitMs).toBe(1_000);
  expect((await here.enter('channel C2')).waitMs).toBe(0);
  expect((await there.enter()).isProbe).toBe(true);
});

test('ten minutes of outage cost at most 30 calls however many jobs wait, which are all done within a minute and a half', async () => {
  const { clock, here, there } = begin();
  const end = clock.now + 600_000;
  let calls = 0;
  let jobs = Array.from({ length: 300 }, () => clock.now);
  while (jobs.length > 0) {
    jobs.sort((a, b) => a - b);
    clock.now = Math.max(clock.now, jobs[0] ?? 0);
    // Two processes, each with four jobs at a time.
    const running = jobs.filter((at) => at <= clock.now).slice(0, 8);
    const entries = await Promise.all(running.map((_, index) => (index % 2 ? here : there).enter()));
    const waiting = entries.flatMap(({ waitMs }) => (waitMs > 0 ? [clock.now + waitMs] : []));
    jobs = [...waiting, ...jobs.slice(running.length)];
    const callers = running.length - waiting.length;
    const began = clock.now;
    if (callers > 0) clock.now += 50;
    if (began < end) calls += callers;
    for (let call = 0; call < callers; call += 1) {
      if (began >= end) await here.succeed(began);
      else {
        await here.fail({ began, pausesAfter: 3 });
        jobs.push(clock.now);
      }
    }
  }
  expect(calls).toBeLessThanOrEqual(30);
  expect(clock.now - end).toBeLessThan(90_000);
});

const archived = [asId<WorkspaceId>('T1'), 'channel C1', 'is_archived'] as const;
const [workspace, name] = archived;

test('people are told once, until it works again', async () => {
  let now = 1_000;
  const troubles = createIncidents(redis.first, undefined, undefined, () => now);
  expect(await troubles.record(...archived)).toBe(true);
  now = 2_000;
  expect(await troubles.record(...archived)).toBe(false);
  const trouble = { code: 'is_archived', since: 1_000, at: 2_000 };
  expect(await troubles.clear(workspace, name)).toMatchObject(trouble);
  now = 3_000;
  expect(await troubles.record(...archived)).toBe(true);
});

test('what was begun before the trouble and ends after it does not clear it', async () => {
  const troubles = createIncidents(redis.first);
  const began = Date.now() - 1;
  await troubles.record(...archived);
  expect(await troubles.clear(workspace, name, began)).toBeUndefined();
  expect(await troubles.record(...archived)).toBe(false);
});

test('what was begun before the trouble was cleared and fails after it is no new trouble', async () => {
  const troubles = createIncidents(redis.first);
  const began = Date.now() - 1;
  await troubles.record(...archived);
  await troubles.clear(workspace, name);
  expect(await troubles.record(...archived, began)).toBe(false);
  expect(await troubles.get(workspace, name)).toBeUndefined();
  expect(await troubles.record(...archived)).toBe(true);
});
