import { Queue } from 'bullmq';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AccountRef } from '../../src/domain/terms.ts';
import { createJobs, type Jobs, queuePrefixOf } from '../../src/jobs/queue.ts';
import { startJobRunners } from '../../src/jobs/runner.ts';
import { createLogger } from '../../src/logger.ts';
import { createFailingJobs } from '../../src/store/failing-jobs.ts';
import { defaultTimeouts } from '../../src/store/timeouts.ts';
import { eventually } from '../harness/eventually.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const logger = createLogger('silent', []);
/** Whether the polls repeat; those of another account never do. */
async function isRepeating(): Promise<boolean> {
  const [polls, others] = await jobs.areRepeating('poll', ['T1 a1', 'T1 nobody']);
  expect(others).toBe(false);
  return polls === true;
}
const start = (everyMs: number) => jobs.repeat('poll', 'T1 a1', everyMs, ref);

let jobs: Jobs;
let queue: Queue;
beforeEach(() => {
  jobs = createJobs(redis.first, logger, createFailingJobs(redis.first, Date.now));
  queue = new Queue('polls', { connection: redis.first, prefix: queuePrefixOf('polls') });
});
afterEach(() => Promise.all([jobs.close(), queue.close()]));

test('polls repeat from when they are started until they are stopped', async () => {
  expect(await isRepeating()).toBe(false);
  await start(60_000);
  expect(await isRepeating()).toBe(true);
  await start(30_000);
  expect(await isRepeating()).toBe(true);
  await jobs.stopRepeating('poll', 'T1 a1');
  expect(await isRepeating()).toBe(false);
});

test('polls repeat while one is under way, fails, or waits to be tried again', async () => {
  let polls = 0;
  const poll = async () => {
    expect(await isRepeating()).toBe(true);
    polls += 1;
    if (polls % 2 === 0) throw new Error('fails');
  };
  const failing = createFailingJobs(redis.first, Date.now);
  const connection = redis.second.duplicate({ maxRetriesPerRequest: null });
  const runners = startJobRunners(connection, { poll } as never, failing, logger, defaultTimeouts);
  await start(50);
  await eventually('some polls', async () => {
    expect(await isRepeating()).toBe(true);
    return polls > 8;
  });
  await runners.stop();
  connection.disconnect();
});

test('polls do not repeat once the next one is gone, also when it has ended without another', async () => {
  await start(60_000);
  const [next] = await queue.getJobs(['delayed', 'waiting']);
  await redis.first.hset(`${queue.toKey('')}${next?.id}`, 'finishedOn', Date.now());
  expect(await isRepeating()).toBe(false);
  await redis.first.del(`${queue.toKey('')}${next?.id}`);
  expect(await isRepeating()).toBe(false);
  await start(60_000);
  expect(await isRepeating()).toBe(true);
});
