import { Redis } from 'ioredis';
import { polled } from './cards.ts';
import { type Measured, pause, percentile, startEmptyBolt, startMachine } from './machine.ts';
import { isQuick, report } from './report.ts';

// From the start of the process until it is ready, and the memory that it holds when idle: against an empty Bolt app, and with
// as many tracked tasks in Redis as a year brings.

const tracked = isQuick ? 100_000 : 1_000_000;
const rounds = isQuick ? 3 : 5;
/** Until it holds what it holds when idle (ms). */
const settledMs = isQuick ? 2_000 : 3_000;

const [few, loaded] = [await tracking(1), await tracking(tracked)];
try {
  const [empty, none, many]: [Startup[], Startup[], Startup[]] = [[], [], []];
  // In turns, so that whatever else the machine does concerns all of them.
  for (let round = 0; round < rounds; round++) {
    empty.push(await startup(() => startEmptyBolt('socket', few.machine.slackUrl)));
    none.push(await startup(() => few.machine.startBot()));
    many.push(await startup(() => loaded.machine.startBot()));
  }
  reportAll(median(empty), median(none), median(many));
} finally {
  await few.stop();
  await loaded.stop();
}

interface Startup {
  readonly ms: number;
  readonly bytes: number;
}

function median(all: readonly Startup[]): Startup {
  const of = (pick: (one: Startup) => number) => percentile(all.map(pick), 0.5);
  return { ms: of(({ ms }) => ms), bytes: of(({ bytes }) => bytes) };
}

/** Starts a machine whose Redis has as many tasks. */
async function tracking(count: number) {
  const machine = await startMachine({ env: { OPEN_CARDS: '0' } });
  const redis = new Redis(machine.redisUrl);
  const { campaign_id } = await machine.marketplace.addCampaign({
    title: 'Photo of a shelf',
    status: 'RUNNING',
    available_positions: 100,
  });
  const first = await machine.startBot();
  await polled(machine, 2);
  await machine.marketplace.submit({ campaign_id });
  await machine.slack.person('U01ANN').sees('C01REVIEW', /Photo of a shelf/, { timeoutMs: 60_000 });
  await first.stop();
  if (count > 1) await trackTasks(redis, count);
  return {
    machine,
    async stop(): Promise<void> {
      redis.disconnect();
      await machine.stop();
    },
  };
}

function reportAll(empty: Startup, none: Startup, many: Startup): void {
  const say = (what: string, { ms, bytes }: Startup) =>
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
}

/** Starts a process, and ends it. */
async function startup(start: () => Promise<Measured>): Promise<Startup> {
  const began = performance.now();
  const started = await start();
  const ms = performance.now() - began;
  await pause(settledMs);
  const bytes = await started.resident();
  await started.stop();
  return { ms, bytes };
}

/** Copies the one task that is stored, until there are as many as wanted. */
async function trackTasks(redis: Redis, count: number): Promise<void> {
  const [key = ''] = await redis.keys('*:task:*');
  const value = await redis.dumpBuffer(key);
  const prefix = key.slice(0, key.lastIndexOf(':') + 1);
  for (let from = 0; from < count; from += 10_000) {
    const pipeline = redis.pipeline();
    for (let n = from; n < from + 10_000; n++) pipeline.restore(`${prefix}copy${n}`, 0, value);
    await pipeline.exec();
  }
}
