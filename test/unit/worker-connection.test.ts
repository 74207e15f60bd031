import { setTimeout } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { expect, onTestFinished, test } from 'vitest';
import { createJobs, queuePrefixOf, startJobRunners } from '../../src/jobs/queue.ts';
import { createLogger } from '../../src/logger.ts';
import { createFailingJobs } from '../../src/store/failing-jobs.ts';
import { defaultTimeouts } from '../../src/store/leases.ts';
import { ref } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const logger = createLogger('silent', []);

/** The jobs of one process, and the connection of another, which runs them until the test ends. */
function begin() {
  const failing = createFailingJobs(redis.first, Date.now);
  const jobs = createJobs(redis.first, logger, failing);
  const connection = redis.second.duplicate({ maxRetriesPerRequest: null });
  function runs(send: () => Promise<void>, timeouts = defaultTimeouts): void {
    const runners = startJobRunners(connection, { send } as never, failing, logger, timeouts);
    onTestFinished(async () => {
      await runners.stop();
      await jobs.close();
      connection.disconnect();
    });
  }
  return { connection, jobs, runs };
}

test('a worker whose connection was closed as it asked for a job asks again within seconds', async () => {
  const { connection, jobs, runs } = begin();
  const send = connection.sendCommand.bind(connection);
  let refused = 0;
  connection.sendCommand = (command, ...where) => {
    const isScript = command.name === 'evalsha' || command.name === 'eval';
    if (!isScript || refused === 8) return send(command, ...where);
    refused += 1;
    // As ioredis answers what it had not sent when a connection ends.
    command.reject(new Error('Connection is closed.'));
    return command.promise;
  };
  let count = 0;
  const run = async () => {
    count += 1;
  };
  await jobs.add('send', ref);
  runs(run);
  await expect.poll(() => count, { timeout: 10_000 }).toBe(1);
  expect(refused).toBe(8);
});

test('workers ask a Redis that refuses writes a few times a second, and go on once it takes them again', async () => {
  const { jobs, runs } = begin();
  let count = 0;
  const send = async () => {
    count += 1;
    // Its end cannot be stored.
    if (count === 1) await redis.first.config('SET', 'min-replicas-to-write', '1');
  };
  for (let i = 0; i < 20; i++) await jobs.add('send', ref);
  runs(send, { ...defaultTimeouts, jobLockMs: 1_000 });
  await expect.poll(() => count, { timeout: 10_000 }).toBeGreaterThan(0);
  const commands = async () =>
    Number(/total_commands_processed:(\d+)/.exec(await redis.first.info('stats'))?.[1]);
  const before = await commands();
  await setTimeout(1_000);
  expect((await commands()) - before).toBeLessThan(200);
  await redis.first.config('SET', 'min-replicas-to-write', '0');
  await expect.poll(() => count, { timeout: 10_000 }).toBeGreaterThanOrEqual(20);
});

test('a job that nobody renews, as its process was killed, runs in another process once its lock has expired', async () => {
  const { connection, jobs, runs } = begin();
  const timeouts = { ...defaultTimeouts, jobLockMs: 1_000 };
  const prefix = queuePrefixOf('ratings');
  const killed = new Worker('ratings', null, { connection, prefix, lockDuration: timeouts.jobLockMs });
  await jobs.add('send', ref);
  expect(await killed.getNextJob('its token')).toMatchObject({ name: 'send' });
  let count = 0;
  const send = async () => {
    count += 1;
  };
  onTestFinished(() => killed.close());
  runs(send, timeouts);
  await expect.poll(() => count, { timeout: 10_000 }).toBe(1);
});
