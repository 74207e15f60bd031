import { createRequire } from 'node:module';
import { Queue, UnrecoverableError, Worker } from 'bullmq';
import { describe, expect, test } from 'vitest';
import type { AccountRef } from '../../src/domain/terms.ts';
import { createJobs, queueNames, queuePrefixOf } from '../../src/jobs/queue.ts';
import { createLogger } from '../../src/logger.ts';
import { createFailingJobs } from '../../src/store/failing-jobs.ts';
import { eventually } from '../harness/eventually.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

/** What ioredis sorts keys with. */
const slotOf = createRequire(createRequire(import.meta.url).resolve('ioredis'))('cluster-key-slot') as (
  key: string,
) => number;
const redis = twoRedisClients();
const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const logger = createLogger('silent', []);
const former = '{proofdesk}';

/** As two processes of this version, and one of an earlier one. */
function processes() {
  const own = [redis.first, redis.second].map((client) =>
    createJobs(client, logger, createFailingJobs(client, Date.now)),
  );
  const old = new Queue('ratings', { connection: redis.first, prefix: former });
  const now = new Queue('ratings', { connection: redis.first, prefix: queuePrefixOf('ratings') });
  const moveAll = () => Promise.all(own.map((jobs) => jobs.moveFormerQueues()));
  const close = () => Promise.all([...own, old, now].map((one) => one.close()));
  return { jobs: own[0] as (typeof own)[number], old, now, moveAll, close };
}

test('queues lie in slots of their own, on each of three nodes', () => {
  const slots = queueNames.map((name) => slotOf(`${queuePrefixOf(name)}:${name}:wait`));
  expect(new Set(slots).size).toBe(queueNames.length);
  expect(new Set(slots.map((slot) => Math.floor(slot / (16_384 / 3)))).size).toBe(3);
});

describe('what an earlier version left in its queues', () => {
  test('is moved once, however many processes start: what waits, what is delayed, and dead letters', async () => {
    const { jobs, old, now, moveAll, close } = processes();
    const worker = new Worker('ratings', async () => Promise.reject(new UnrecoverableError('refused')), {
      connection: redis.second.duplicate({ maxRetriesPerRequest: null }),
      prefix: former,
    });
    await old.add('send', ref);
    await eventually('a dead letter', async () => (await old.getFailedCount()) === 1);
    await worker.close();
    await old.add('send', ref, { deduplication: { id: 'send a1' } });
    await old.add('send', ref, { delay: 60_000 });
    await old.upsertJobScheduler('send T1', { every: 60_000 }, { name: 'send', data: ref });
    await redis.first.del(old.toKey('stalled-check'));

    await moveAll();
    await moveAll();
    expect(await now.getJobCounts('waiting', 'delayed', 'failed')).toEqual({
      waiting: 1,
      delayed: 1,
      failed: 1,
    });
    const [delayed] = await now.getDelayed();
    expect(delayed?.delay).toBeGreaterThan(50_000);
    expect(delayed?.delay).toBeLessThanOrEqual(60_000);
    expect(await redis.first.keys(`${former}:*`)).toEqual([]);

    const [letter] = await jobs.deadLetters();
    expect(letter).toMatchObject({ name: 'send', payload: ref, reason: 'refused' });
    expect(await jobs.retry(letter as NonNullable<typeof letter>)).toBe(true);
    expect(await now.getJobCounts('waiting', 'failed')).toEqual({ waiting: 2, failed: 0 });
    await close();
  });

  test('is left where a process of that version runs it, and moved once that has gone', async () => {
    const { old, now, moveAll, close } = processes();
    let end = () => {};
    const connection = redis.second.duplicate({ maxRetriesPerRequest: null });
    const running = new Promise<void>((resolve) => (end = resolve));
    const worker = new Worker('ratings', () => running, { connection, prefix: former, lockDuration: 30_000 });
    await old.add('send', ref, { removeOnComplete: true });
    await eventually('the job to run', async () => (await old.getActiveCount()) === 1);
    await old.add('send', { ...ref, account: 'a2' });
    await eventually(
      'both to be there',
      async () => (await old.getJobCountByTypes('waiting', 'active')) === 2,
    );
    await moveAll();
    // The one that runs stays, and so does its queue.
    expect(await old.getActiveCount()).toBe(1);
    expect(await now.getWaitingCount()).toBe(1);
    expect(await redis.first.exists(old.toKey('meta'))).toBe(1);
    end();
    await eventually('it to end', async () => (await old.getActiveCount()) === 0);
    await worker.close();
    connection.disconnect();
    await redis.first.del(old.toKey('stalled-check'));
    await moveAll();
    expect(await redis.first.keys(`${former}:*`)).toEqual([]);
    expect(await now.getWaitingCount()).toBe(1);
    await close();
  });

  test('is moved also when a process was killed between the two steps, or while it ran it', async () => {
    const { old, now, moveAll, close } = processes();
    const job = await old.add('send', ref);
    await now.add('send', ref, { jobId: `moved-${job.id}` });
    const died = await old.add('send', { ...ref, account: 'a2' });
    // It is the first of those that wait.
    expect(await redis.first.lmove(old.toKey('wait'), old.toKey('active'), 'LEFT', 'LEFT')).toBe(died.id);
    await moveAll();
    expect(await now.getWaitingCount()).toBe(2);
    expect(await redis.first.keys(`${former}:*`)).toEqual([]);
    await close();
  });
});
