import { expect, test } from 'vitest';
import type { AccountRef } from '../../src/domain/terms.ts';
import { createJobs } from '../../src/jobs/queue.ts';
import { startJobRunners } from '../../src/jobs/runner.ts';
import { createLogger } from '../../src/logger.ts';
import { createFailingJobs } from '../../src/store/failing-jobs.ts';
import { defaultTimeouts } from '../../src/store/timeouts.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };

test('a worker whose connection was closed as it asked for a job asks again within seconds', async () => {
  const logger = createLogger('silent', []);
  const failing = createFailingJobs(redis.first, Date.now);
  const jobs = createJobs(redis.first, logger, failing);
  const connection = redis.second.duplicate({ maxRetriesPerRequest: null });
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
  let runs = 0;
  const run = async () => {
    runs += 1;
  };
  await jobs.add('send', ref);
  const runners = startJobRunners(
    connection,
    { send: run } as never,
    failing,
    logger,
    defaultTimeouts,
    Date.now,
  );
  await expect.poll(() => runs, { timeout: 10_000 }).toBe(1);
  expect(refused).toBe(8);
  await runners.stop();
  await jobs.close();
  connection.disconnect();
});
