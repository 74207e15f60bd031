import { setTimeout } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createDeadLetters } from '../../src/features/ops/failed-jobs.ts';
import { failedJobsValue } from '../../src/features/ops/failed-jobs.view.ts';
import { retryWait } from '../../src/jobs/catalogue.ts';
import { createJobs, Paused, queuePrefixOf, startJobRunners } from '../../src/jobs/queue.ts';
import { createLogger } from '../../src/logger.ts';
import { createFailingJobs } from '../../src/store/failing-jobs.ts';
import { defaultTimeouts, type Timeouts } from '../../src/store/leases.ts';
import { eventually, gate } from '../harness/eventually.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const logger = createLogger('silent', []);

/** The jobs of a process; its connections to queues end with the test. */
function begin(client = redis.first) {
  const failing = createFailingJobs(client, Date.now);
  const jobs = createJobs(client, logger, failing);
  const queue = new Queue('ratings', { connection: client, prefix: queuePrefixOf('ratings') });
  onTestFinished(async () => {
    await Promise.all([jobs.close(), queue.close()]);
  });
  return { failing, jobs, queue };
}

/** Runs the job `send` in another process. Returns how to stop that, which the end of the test does too. */
function running(
  send: () => Promise<void>,
  timeouts: Partial<Timeouts> = {},
  failing = createFailingJobs(redis.first, Date.now),
  connection = redis.second.duplicate({ maxRetriesPerRequest: null }),
) {
  const handlers = { send, poll: send } as never;
  const runners = startJobRunners(connection, handlers, failing, logger, { ...defaultTimeouts, ...timeouts });
  const stop = async () => {
    await runners.stop();
    connection.disconnect();
  };
  onTestFinished(stop);
  return stop;
}

test.each([
  ['tried again', 'retry', 1],
  ['discarded', 'discard', 0],
] as const)('a dead letter that two processes find at once is %s once', async (_, act, waiting) => {
  const { jobs, queue } = begin();
  const processes = [jobs, begin(redis.second).jobs];
  await jobs.add('send', ref);
  const send = () => Promise.reject(new Error('chat.update: edit_window_closed'));
  const stop = running(send);
  const letter = await eventually('the dead letter', async () => (await jobs.deadLetters())[0]);
  await stop();

  const done = await Promise.all(processes.map((process) => process[act](letter)));
  if (act === 'retry') expect(done.filter(Boolean)).toHaveLength(1);
  expect(await queue.getWaitingCount()).toBe(waiting);
  expect(await jobs.deadLetters()).toEqual([]);
});

test('a dead letter is neither tried again nor discarded before that is audited', async () => {
  const act = () => Promise.reject(new Error('not audited'));
  const jobs = {
    deadLetters: async () => [{ key: 'k', earlier: [], payload: {}, at: 1 }],
    retry: act,
    discard: act,
  };
  const audit = { append: () => Promise.reject(new Error('Redis is full')) };
  const { clicks } = createDeadLetters(onlyModules({ audit, jobs, slack: {} }));
  const value = failedJobsValue.encode({ account: ref.account, upTo: 1 });
  const click = { value, authorize: async () => ref } as never;
  for (const name of ['retry', 'discard'])
    await expect(clicks?.[`given-up.${name}`]?.run(click)).rejects.toThrow('Redis is full');
});

test('what has failed since the list was read is not discarded with it', async () => {
  const discarded: string[] = [];
  const jobs = {
    deadLetters: async () =>
      [2, 1].map((at) => ({ key: `k${at}`, name: 'send', reason: '', earlier: [], payload: {}, at })),
    failing: async () => [],
    discard: async ({ key }: { key: string }) => void discarded.push(key),
  };
  const audit = { append: async () => undefined };
  const { clicks } = createDeadLetters(onlyModules({ audit, jobs, slack: {} }));
  const value = failedJobsValue.encode({ account: ref.account, upTo: 1 });
  await clicks?.['given-up.discard']?.run({ value, authorize: async () => ref, replace: () => {} } as never);
  expect(discarded).toEqual(['k1']);
});

test.each(['retry', 'discard'] as const)(
  'work that was queued again while it failed for good is one dead letter, and %s deals with both jobs',
  async (act) => {
    const { jobs, queue } = begin();
    let runs = 0;
    const send = async () => {
      runs += 1;
      // As a poll does that finds it unfinished.
      if (runs === 1) await jobs.add('send', ref, { uniqueKey: 'a1' });
      throw new Error('chat.update: edit_window_closed');
    };
    const stop = running(send);
    await jobs.add('send', ref, { uniqueKey: 'a1' });
    await jobs.add('send', { ...ref, account: asId('a2') }, { uniqueKey: 'a2' });
    await eventually('all have failed', async () => (await queue.getFailedCount()) === 3);
    await stop();

    const letters = await jobs.deadLetters(ref);
    expect(letters).toHaveLength(1);
    const ended = (await jobs.deadLetters()).map(({ at }) => at);
    expect(ended).toEqual([Math.max(...ended), Math.min(...ended)]);
    const [letter] = letters;
    expect(letter && (await jobs[act](letter))).toBe(true);
    expect(await jobs.deadLetters(ref)).toEqual([]);
    const waiting = act === 'retry' ? 1 : 0;
    expect(await queue.getJobCounts('waiting', 'failed')).toEqual({ waiting, failed: 1 });
  },
);

const once = new Error('only once');
const never = new Error('chat.update: edit_window_closed');

test.each([
  ['fails is listed as failing until it succeeds', [once, undefined], [0, 1, 0], 0],
  ['fails and then never can succeed is a dead letter', [once, never], [0, 1, 0], 1],
  ['has to wait is not listed', [new Paused(1, 'marketplace'), undefined], [0, 0, 0], 0],
])('work that %s', async (_, ends, listed, letters) => {
  const { failing, jobs } = begin();
  const seen: number[] = [];
  const look = async () => seen.push((await failing.list(1)).length);
  const stop = running(
    async () => {
      const end = ends[(await look()) - 1];
      if (end) throw end;
    },
    { firstRetryMs: 1 },
  );
  await jobs.add('send', ref);
  await eventually('the second run', () => seen.length === ends.length);
  await stop();
  await look();
  expect(seen).toEqual(listed);
  expect(await jobs.deadLetters()).toHaveLength(letters);
});

test('work whose failure cannot be listed, since Redis is away, is tried again all the same', async () => {
  const { failing, jobs } = begin();
  let runs = 0;
  const send = async () => {
    runs += 1;
    if (runs === 1) throw once;
  };
  const record = () => Promise.reject(new Error('Command timed out'));
  const stop = running(send, { firstRetryMs: 1 }, { ...failing, record });
  await jobs.add('send', ref);
  await eventually('the second run', () => runs === 2);
  await stop();
  expect(await jobs.deadLetters()).toEqual([]);
});

test('of two jobs with the same work that fails one tries it again, and the other one once that job is gone', async () => {
  const clock = { now: 1_000_000 };
  const failing = createFailingJobs(redis.first, () => clock.now);
  const fails = (job: string) => failing.record(job, 'send', ref, 'no answer');
  expect([await fails('1'), await fails('2'), await fails('1')]).toEqual([1, undefined, 2]);
  clock.now += 299_999;
  expect(await fails('2')).toBeUndefined();
  expect([await failing.list(2), await failing.list(3)]).toMatchObject([[{ since: 1_000_000 }], []]);
  clock.now += 1;
  expect(await failing.list(2)).toEqual([]);
  expect(await fails('2')).toBe(3);
});

test('a job that only a newer version can read waits for a process of it, and is given up if none comes within an hour', async () => {
  const { jobs, queue } = begin();
  await queue.add('rate-newly', ref);
  await queue.add('bulk', { ...ref, rating: ['of', 'another', 'form'] });
  await queue.add('rate-formerly', ref, { timestamp: Date.now() - 2 * 3_600_000 });
  const stop = running(async () => undefined);
  await eventually('one is given up, the others wait', async () => {
    const { failed, delayed } = await queue.getJobCounts('failed', 'delayed');
    return failed === 1 && delayed === 2;
  });
  expect((await jobs.deadLetters()).map(({ name }) => name)).toEqual(['rate-formerly']);
  await stop();
});

test('a job of a workspace that a process is running counts as one of it, though it cannot be removed', async () => {
  const { jobs } = begin();
  await jobs.add('send', { ...ref, workspace: asId('T2') });
  const held = gate();
  const stop = running(held.wait);
  await held.reached();
  expect(await jobs.eraseWorkspace(asId('T2'))).toBe(1);
  held.open();
  await stop();
  expect(await jobs.eraseWorkspace(asId('T2'))).toBe(0);
});

test('of two jobs with the same failing work one ends; a failed poll is dropped, since another one follows', async () => {
  const { failing, jobs } = begin();
  const run = vi.fn(() => Promise.reject(once));
  const stop = running(run, { firstRetryMs: 1 });
  for (const name of ['send', 'send', 'poll'] as const) await jobs.add(name, ref);
  await eventually('many tries', () => run.mock.calls.length > 6);
  await stop();
  const left = (await jobs.counts()).filter(({ state, count }) => count > 0 && state !== 'failing');
  expect(left).toEqual([{ queue: 'ratings', state: 'delayed', count: 1 }]);
  expect((await failing.list(1)).map(({ name }) => name)).toEqual(['send']);
});

test('a failed job waits twice as long each time, up to thirty times, and less by chance', () => {
  const spans = [1, 2, 3, 99].map((failures) => Array.from({ length: 200 }, () => retryWait(failures, 10)));
  const most = spans.map((waits) => Math.ceil(Math.max(...waits) / 10) * 10);
  expect(most).toEqual([10, 20, 40, 300]);
  expect(Math.min(...spans.flat())).toBeGreaterThanOrEqual(5);
});

test('a failed job that the next poll queues again runs once and is dropped', async () => {
  const { jobs } = begin();
  const run = vi.fn(() => Promise.reject(once));
  const stop = running(run);
  await jobs.add('poll', ref);
  const isGone = async () => run.mock.calls.length > 0 && (await jobs.eraseWorkspace(ref.workspace)) === 0;
  await eventually('the job to be gone', isGone);
  await stop();
  expect(run).toHaveBeenCalledOnce();
});

test('a worker whose connection was closed as it asked for a job asks again within seconds', async () => {
  const { failing, jobs } = begin();
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
  const run = vi.fn(async () => undefined);
  await jobs.add('send', ref);
  running(run, {}, failing, connection);
  await expect.poll(() => run.mock.calls, { timeout: 10_000 }).toHaveLength(1);
  expect(refused).toBe(8);
});

test('workers ask a Redis that refuses writes a few times a second, and go on once it takes them again', async () => {
  const { jobs } = begin();
  let count = 0;
  const send = async () => {
    count += 1;
    // Its end cannot be stored.
    if (count === 1) await redis.first.config('SET', 'min-replicas-to-write', '1');
  };
  for (let i = 0; i < 20; i++) await jobs.add('send', ref);
  running(send, { jobLockMs: 1_000 });
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
  const { jobs } = begin();
  const connection = redis.second.duplicate({ maxRetriesPerRequest: null });
  const prefix = queuePrefixOf('ratings');
  const killed = new Worker('ratings', null, { connection, prefix, lockDuration: 1_000 });
  await jobs.add('send', ref);
  expect(await killed.getNextJob('its token')).toMatchObject({ name: 'send' });
  const run = vi.fn(async () => undefined);
  onTestFinished(() => killed.close());
  running(run, { jobLockMs: 1_000 }, undefined, connection);
  await expect.poll(() => run.mock.calls, { timeout: 10_000 }).toHaveLength(1);
});
