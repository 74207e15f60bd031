import { Redis } from 'ioredis';
import { polled } from './cards.ts';
import { type Measured, pause, percentile, startEmptyBolt, startMachine } from './machine.ts';
import { isQuick, report } from './report.ts';

// From the start of the process until it is ready, and the memory that it holds when idle: against an empty Bolt app, and with
// as many tracked tasks in Redis as a year brings.

const tracked = isQuick ? 100_000 : 1_000_000;
const rounds = 5;

const machine = await startMachine({ env: { OPEN_CARDS: '0' } });
const redis = new Redis(machine.redisUrl);
try {
  const { campaign_id } = await machine.marketplace.addCampaign({
    title: 'Photo of a shelf',
    status: 'RUNNING',
    available_positions: 100,
  });
  const first = await machine.startBot();
  await polled(machine, 2);
  await machine.marketplace.submit({ campaign_id });
  await machine.slack.person('U01ANN').sees('C01REVIEW', /Photo of a shelf/);
  await first.stop();

  const empty = await startups(() => startEmptyBolt('socket', machine.slackUrl));
  const none = await startups(() => machine.startBot());
  await trackTasks();
  const many = await startups(() => machine.startBot());
  const say = (what: string, { ms, bytes }: Startups) =>
    console.log(`${what}: ready after ${ms.toFixed(0)} ms, then ${(bytes / 1024 / 1024).toFixed(0)} MB`);
  say('empty Bolt app', empty);
  say('bot, 1 tracked task', none);
  say(`bot, ${tracked.toLocaleString('en')} tracked tasks`, many);
  report({
    what: 'Start to ready',
    against: '2 × an empty Bolt app + 0.5 s',
    value: none.ms / (2 * empty.ms + 500),
    most: 1,
  });
  report({
    what: `Start to ready with ${tracked.toLocaleString('en')} records of tasks in Redis`,
    against: 'with one',
    value: many.ms / none.ms,
    most: 1.1,
  });
  report({
    what: 'Memory when idle',
    against: 'an empty Bolt app',
    value: none.bytes / empty.bytes,
    most: 2,
  });
} finally {
  redis.disconnect();
  await machine.stop();
}

interface Startups {
  readonly ms: number;
  readonly bytes: number;
}

/** Starts a process several times. Returns the medians. */
async function startups(start: () => Promise<Measured>): Promise<Startups> {
  const ms: number[] = [];
  const bytes: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    const started = await start();
    ms.push(performance.now() - began);
    await pause(3_000);
    bytes.push(await started.resident());
    await started.stop();
  }
  return { ms: percentile(ms, 0.5), bytes: percentile(bytes, 0.5) };
}

/** Copies the one task that is stored, until there are as many as wanted. */
async function trackTasks(): Promise<void> {
  const [key = ''] = await redis.keys('*:task:*');
  const value = await redis.dumpBuffer(key);
  const prefix = key.slice(0, key.lastIndexOf(':') + 1);
  for (let from = 0; from < tracked; from += 10_000) {
    const pipeline = redis.pipeline();
    for (let n = from; n < from + 10_000; n++) pipeline.restore(`${prefix}copy${n}`, 0, value);
    await pipeline.exec();
  }
}
