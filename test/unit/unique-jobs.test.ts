import { Queue } from 'bullmq';
import { expect, test } from 'vitest';
import type { AccountRef } from '../../src/domain/terms.ts';
import { createJobs, queuePrefixOf, startJobRunners } from '../../src/jobs/queue.ts';
import { createLogger } from '../../src/logger.ts';
import { createFailingJobs } from '../../src/store/failing-jobs.ts';
import { defaultTimeouts } from '../../src/store/leases.ts';
import { eventually } from '../harness/eventually.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const logger = createLogger('silent', []);

test.each([
  ['tried again', 'retry', 1],
  ['discarded', 'discard', 0],
] as const)('a dead letter that two processes find at once is %s once', async (_, act, waiting) => {
  const processes = [redis.first, redis.second].map((client) =>
    createJobs(client, logger, createFailingJobs(client, Date.now)),
  );
  const [jobs] = processes;
  const queue = new Queue('ratings', { connection: redis.first, prefix: queuePrefixOf('ratings') });
  await jobs?.add('send', ref);
  const send = () => Promise.reject(new Error('chat.update: edit_window_closed'));
  const connection = redis.second.duplicate({ maxRetriesPerRequest: null });
  const failing = createFailingJobs(redis.first, Date.now);
  const runners = startJobRunners(connection, { send } as never, failing, logger, defaultTimeouts);
  const letter = await eventually('the dead letter', async () => (await jobs?.deadLetters())?.[0]);
  await runners.stop();
  connection.disconnect();

  const done = await Promise.all(processes.map((process) => process[act](letter)));
  if (act === 'retry') expect(done.filter(Boolean)).toHaveLength(1);
  expect(await queue.getWaitingCount()).toBe(waiting);
  expect(await jobs?.deadLetters()).toEqual([]);
  await Promise.all([...processes, queue].map((each) => each.close()));
});

test.each(['retry', 'discard'] as const)(
  'work that was queued again while it failed for good is one dead letter, and %s deals with both jobs',
  async (act) => {
    const failing = createFailingJobs(redis.first, Date.now);
    const jobs = createJobs(redis.first, logger, failing);
    const queue = new Queue('ratings', { connection: redis.first, prefix: queuePrefixOf('ratings') });
    let runs = 0;
    const send = async () => {
      runs += 1;
      // As a poll does that finds it unfinished.
      if (runs === 1) await jobs.add('send', ref, { uniqueKey: 'a1' });
      throw new Error('chat.update: edit_window_closed');
    };
    const connection = redis.second.duplicate({ maxRetriesPerRequest: null });
    const runners = startJobRunners(connection, { send } as never, failing, logger, defaultTimeouts);
    await jobs.add('send', ref, { uniqueKey: 'a1' });
    await jobs.add('send', { ...ref, account: asId('a2') }, { uniqueKey: 'a2' });
    await eventually('all have failed', async () => (await queue.getFailedCount()) === 3);
    await runners.stop();
    connection.disconnect();

    const letters = await jobs.deadLetters(ref);
    expect(letters).toHaveLength(1);
    expect(await jobs.deadLetters()).toHaveLength(2);
    const [letter] = letters;
    expect(letter && (await jobs[act](letter))).toBe(true);
    expect(await jobs.deadLetters(ref)).toEqual([]);
    const waiting = act === 'retry' ? 1 : 0;
    expect(await queue.getJobCounts('waiting', 'failed')).toEqual({ waiting, failed: 1 });
    await Promise.all([jobs.close(), queue.close()]);
  },
);
