import { Redis } from 'ioredis';
import { createHomeDesk } from '../test/harness/home-desk.ts';
import { startRedis } from '../test/harness/redis.ts';
import { report } from './report.ts';

// Publishing Home must cost as much with 1,000 campaigns of 10 waiting tasks each as with 10: Redis commands, bytes from
// Redis, and the published view. Time has no bar of its own, because it is mostly the number of commands times the round
// trip to Redis.

const bar = 1.2;
const rounds = 30;
const titles: Readonly<Record<keyof Measured, string>> = {
  commands: 'Redis commands',
  bytes: 'bytes from Redis',
  published: 'characters published',
  ms: 'time (ms)',
};

interface Measured {
  readonly commands: number;
  readonly bytes: number;
  readonly published: number;
  readonly ms: number;
}

async function measured(campaigns: number): Promise<Measured> {
  const server = await startRedis();
  const redis = new Redis(server.url);
  try {
    const desk = await createHomeDesk(redis);
    await desk.fill(campaigns, 10);
    // Fills the caches of people and channels, and warms up the code.
    for (let round = 0; round < 5; round += 1) await desk.opens();
    const costs = [];
    for (let round = 0; round < rounds; round += 1) costs.push(await desk.cost(() => desk.opens()));
    const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
    return {
      commands: median(costs.map(({ commands }) => commands)),
      bytes: median(costs.map(({ bytes }) => bytes)),
      published: JSON.stringify(desk.published.get(desk.member)).length,
      ms: median(costs.map(({ ms }) => ms)),
    };
  } finally {
    redis.disconnect();
    await server.stop();
  }
}

const few = await measured(10);
const many = await measured(1_000);
for (const what of ['commands', 'bytes', 'published', 'ms'] as const) {
  const digits = what === 'ms' ? 1 : 0;
  report({
    what: `Publishing Home with 1,000 campaigns: ${titles[what]}`,
    against: 'with 10 campaigns',
    value: many[what] / few[what],
    ...(what === 'ms' ? {} : { most: bar }),
    measured: `${many[what].toFixed(digits)}, ${few[what].toFixed(digits)}`,
  });
}
