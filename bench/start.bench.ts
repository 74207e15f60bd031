import { Redis } from 'ioredis';
import { polled } from './cards.ts';
import { pause, startMachine } from './machine.ts';
import { isQuick, milliseconds, report } from './report.ts';

// Measures how much longer the process takes to become ready with a year's number of tracked tasks in Redis, and its idle memory.

type Machine = Awaited<ReturnType<typeof startMachine>>;

const tracked = isQuick ? 100_000 : 1_000_000;
const rounds = isQuick ? 3 : 7;
/** The time (ms) until memory has settled. */
const settledMs = 30_000;

const [few, loaded] = await Promise.all([tracking(1), tracking(tracked)]);
try {
  const [none, many]: [number[], number[]] = [[], []];
  // Alternating, so that other load on the machine affects both.
  for (let round = 0; round < rounds; round++) {
    none.push(await timeToStart(few));
    many.push(await timeToStart(loaded));
  }
  // The fastest count: whatever else the machine does only makes a start slower.
  const [fewMs, manyMs] = [Math.min(...none), Math.min(...many)];
  report({
    what: `Start to ready with ${tracked.toLocaleString('en')} records of tasks in Redis`,
    against: 'with one',
    value: manyMs / fewMs,
    most: 1.1,
    measured: `${milliseconds(manyMs)}, ${milliseconds(fewMs)}`,
  });

  const bot = await few.startBot();
  await pause(settledMs);
  // Prometheus has scraped it.
  await fetch(`http://127.0.0.1:${bot.port}/metrics`);
  report({
    what: 'Memory when idle, with metrics (MB)',
    against: '160 MB',
    value: (await bot.resident()) / 1024 / 1024,
    most: 160,
  });
} finally {
  await few.stop();
  await loaded.stop();
}

/** Starts a machine whose Redis has `count` tasks. */
async function tracking(count: number) {
  const machine = await startMachine({ env: { OPEN_CARDS: '0', METRICS: 'on' } });
  const campaign_id = await machine.runningCampaign();
  const first = await machine.startBot();
  await polled(machine, 2);
  await machine.marketplace.submit({ campaign_id });
  await machine.slack.person('U01ANN').sees('C01REVIEW', /Photo of a shelf/, { timeoutMs: 60_000 });
  await first.stop();
  if (count > 1) await trackTasks(machine.redisUrl, count);
  return machine;
}

/** Starts a bot, waits until it is ready, and ends it. Returns the start time (ms). */
async function timeToStart(machine: Machine): Promise<number> {
  const began = performance.now();
  const started = await machine.startBot();
  const ms = performance.now() - began;
  await started.stop();
  return ms;
}

/** Copies the one stored task until there are `count`. */
async function trackTasks(redisUrl: string, count: number): Promise<void> {
  const redis = new Redis(redisUrl);
  const [key = ''] = await redis.keys('*:task:*');
  const value = await redis.dumpBuffer(key);
  const prefix = key.slice(0, key.lastIndexOf(':') + 1);
  // In Redis: from here, a million commands would take longer than everything measured.
  const copies = `for n = ARGV[3], ARGV[3] + 9999 do redis.call('RESTORE', ARGV[1] .. n, 0, ARGV[2]) end`;
  for (let from = 0; from < count; from += 10_000)
    await redis.eval(copies, 1, `${prefix}copy`, `${prefix}copy`, value, from);
  redis.disconnect();
}
