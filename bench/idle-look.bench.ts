import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { percentile, startMachine } from './machine.ts';
import { cpuOf, isQuick, megabytes, milliseconds, report } from './report.ts';

// An idle look must cost as many marketplace requests and bytes from Redis with 10,000 campaigns as with one, and little
// more CPU than parsing the same answer.

const sizes = isQuick ? [1, 10_000] : [1, 100, 10_000];
const looks = isQuick ? 5 : 20;
/** Warm-up looks: they store the list, find nothing to do, and get the code compiled. Bots run for weeks. */
const looksBefore = isQuick ? 10 : 20;

interface Look {
  readonly requests: number;
  readonly redisBytes: number;
  readonly cpuMs: number;
  readonly parseMs: number;
  readonly answerBytes: number;
}

async function lookAt(campaigns: number): Promise<Look> {
  const machine = await startMachine();
  const redis = new Redis(machine.redisUrl);
  try {
    const { marketplace } = machine;
    await marketplace.reset({
      campaigns: [{ title: 'Photo of a shelf', status: 'RUNNING', repeat: campaigns }],
    });
    const bot = await machine.startBot();
    const lists = async () =>
      (await marketplace.requests()).filter(({ path }) => path.includes('list_extend')).map(({ n }) => n);
    const listsUntil = async (count: number) => {
      while ((await lists()).length < count) await delay(200);
    };
    const sent = async () => Number(/total_net_output_bytes:(\d+)/.exec(await redis.info('stats'))?.[1]);
    await listsUntil(looksBefore);
    await marketplace.clearRequests();
    await listsUntil(1);
    const [bytes, cpuMs] = [await sent(), await bot.cpu()];
    await listsUntil(1 + looks);
    const [bytesAfter, cpuAfter] = [await sent(), await bot.cpu()];
    const starts = await lists();
    const [first = 0, last = 0] = [starts[0], starts.at(-1)];
    const between = (await marketplace.requests()).filter(({ n }) => n >= first && n < last);
    const answer = await fetch(`${machine.marketplaceUrl}/campaigns_b/list_extend`, {
      headers: { ServiceApiKey: 'employer-demo-key' },
    });
    const text = await answer.text();
    const parses: number[] = [];
    for (let round = 0; round < 15; round += 1) parses.push(await cpuOf(() => JSON.parse(text)));
    return {
      requests: between.length / (starts.length - 1),
      redisBytes: (bytesAfter - bytes) / looks,
      cpuMs: (cpuAfter - cpuMs) / looks,
      parseMs: percentile(parses, 0.5),
      answerBytes: text.length,
    };
  } finally {
    redis.disconnect();
    await machine.stop();
  }
}

// In parallel, because looks rarely overlap, and their cost is not measured in wall-clock time.
const found = new Map(await Promise.all(sizes.map(async (size) => [size, await lookAt(size)] as const)));
const one = found.get(1);
for (const [size, look] of found) {
  if (one === undefined || size === 1) continue;
  const isLargest = size === sizes.at(-1);
  const at = `An idle look at ${size.toLocaleString('en')} campaigns`;
  report({ what: `${at}: requests`, against: 'the same at 1', value: look.requests / one.requests, most: 1 });
  report({
    what: `${at}: bytes from Redis`,
    against: 'the same at 1',
    value: look.redisBytes / one.redisBytes,
    most: 1.1,
    measured: `${look.redisBytes.toFixed(0)}, ${one.redisBytes.toFixed(0)}`,
  });
  // With few campaigns the answer is almost empty, and a look consists of its two requests.
  report({
    what: `${at}: CPU`,
    against: 'JSON.parse of the same answer',
    value: look.cpuMs / look.parseMs,
    ...(isLargest ? { most: 3 } : {}),
    measured: `${milliseconds(look.cpuMs)}, ${look.parseMs.toFixed(2)} ms, an answer of ${megabytes(look.answerBytes)}; at 1 campaign ${milliseconds(one.cpuMs)}`,
  });
}
if (one?.requests !== 2) process.exitCode = 1;
