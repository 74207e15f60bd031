import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import type { AccountRef, ChannelId } from '../../src/domain/terms.ts';
import { createJobs, queuePrefixOf } from '../../src/jobs/queue.ts';
import { startJobRunners } from '../../src/jobs/runner.ts';
import { createLogger } from '../../src/logger.ts';
import { createFailingJobs } from '../../src/store/failing-jobs.ts';
import { createLeases } from '../../src/store/leases.ts';
import { createRateLimiter, defaultRateLimits } from '../../src/store/rate-limiter.ts';
import { defaultTimeouts } from '../../src/store/timeouts.ts';
import { dayMs } from '../harness/clock.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const logger = createLogger('silent', []);
const failing = (connection: Redis) => createFailingJobs(connection, Date.now);
const aheadByADay = () => Date.now() + dayMs;

test('what was scheduled by a clock that was a day ahead runs when it was to', async () => {
  const before = createJobs(redis.first, logger, failing(redis.first), aheadByADay);
  await before.repeat('poll', 'T1 a1', 30_000, ref);
  await before.add('send', ref, { delayMs: 60_000 });
  await before.add('approval', { ...ref, subject: 's1', request: 'r1' }, { delayMs: 40 * dayMs });
  // The first repetition runs, and the next is a day ahead.
  const polls = new Queue('polls', { connection: redis.first, prefix: queuePrefixOf('polls') });
  const ratings = new Queue('ratings', { connection: redis.first, prefix: queuePrefixOf('ratings') });
  await polls.upsertJobScheduler('poll T1 a1', { every: 30_001, startDate: aheadByADay() }, { name: 'poll' });
  await polls.upsertJobScheduler('poll T1 a1', { every: 30_000, startDate: aheadByADay() }, { name: 'poll' });
  expect((await polls.getJobScheduler('poll T1 a1'))?.next).toBeGreaterThan(Date.now() + dayMs - 60_000);

  const now = createJobs(redis.second, logger, failing(redis.second));
  await now.repair(30_000);
  expect((await polls.getJobScheduler('poll T1 a1'))?.next).toBeLessThan(Date.now() + 30_000);
  expect((await polls.getDelayed()).length + (await polls.getWaiting()).length).toBe(1);
  const delayed = await redis.first.zrange(ratings.keys.delayed ?? '', '0', '-1', 'WITHSCORES');
  const [sendAt = 0, approvalAt = 0] = delayed
    .filter((_, index) => index % 2 === 1)
    .map((score) => Number(score) / 4_096 - Date.now());
  expect(sendAt).toBeGreaterThan(10_000);
  expect(sendAt).toBeLessThan(60_500);
  expect(approvalAt).toBeGreaterThan(40 * dayMs - 50_000);
  expect(approvalAt).toBeLessThan(40 * dayMs + 500);
  await Promise.all([before.close(), now.close(), polls.close(), ratings.close()]);
});

test('a delayed job runs in time in a process whose clock is four minutes off', async () => {
  const now = () => Date.now() + 4 * 60_000;
  const jobs = createJobs(redis.first, logger, failing(redis.first), now);
  const connection = redis.second.duplicate({ maxRetriesPerRequest: null });
  const ran: number[] = [];
  const send = async () => void ran.push(performance.now());
  const runners = startJobRunners(
    connection,
    { send } as never,
    failing(redis.first),
    logger,
    defaultTimeouts,
    now,
  );
  const began = performance.now();
  await jobs.add('send', ref, { delayMs: 400 });
  await expect.poll(() => ran.length).toBe(1);
  expect((ran[0] ?? 0) - began).toBeGreaterThan(390);
  await runners.stop();
  await jobs.close();
  connection.disconnect();
});

test('a lock that outlives its process since Redis was set back is cut to its length', async () => {
  const jobs = createJobs(redis.first, logger, failing(redis.first));
  const key = (name: string) => `${queuePrefixOf('cards')}:cards:${name}`;
  await redis.first.lpush(key('active'), '7');
  await redis.first.set(key('7:lock'), 'token', 'PX', dayMs);
  await redis.first.set(key('stalled-check'), '1', 'PX', dayMs);
  const lives = async () =>
    Promise.all(['7:lock', 'stalled-check'].map((name) => redis.first.pttl(key(name))));
  await jobs.repair(30_000);
  for (const left of await lives()) expect(left).toBeLessThanOrEqual(30_000);
  // As a copy of the data may have them.
  for (const name of ['7:lock', 'stalled-check']) await redis.first.persist(key(name));
  await jobs.repair(30_000);
  for (const left of await lives()) expect(left).toBeGreaterThan(0);
  await jobs.close();
});

test('a lease that outlives its process since Redis was set back is cut to the length of a new one', async () => {
  const [dead, alive] = [createLeases(redis.first), createLeases(redis.second)];
  await dead.acquire('key', 60);
  await redis.first.pexpire('key', dayMs);
  await expect.poll(() => alive.acquire('key', 60)).toBeDefined();
});

test('a lease that never expires, as a copy of the data may have it, lasts no longer than a new one', async () => {
  const [dead, alive] = [createLeases(redis.first), createLeases(redis.second)];
  await dead.acquire('key', 60);
  await redis.first.persist('key');
  await expect.poll(() => alive.acquire('key', 60)).toBeDefined();
});

test('a slot that was reserved by a clock a day ahead keeps no post waiting', async () => {
  const before = createRateLimiter(redis.first, defaultRateLimits, aheadByADay);
  const after = createRateLimiter(redis.second, defaultRateLimits);
  const post = { workspace: ref.workspace, method: 'chat.postMessage', channel: asId<ChannelId>('C1') };
  const { reserved } = await before.acquire(post);
  await before.blockFor(post, 500);
  expect((await after.acquire(post, reserved)).waitMs).toBeLessThan(5_000);
  expect((await after.acquire({ ...post, method: 'chat.update' })).waitMs).toBe(0);
});
