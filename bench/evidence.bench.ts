import { Redis } from 'ioredis';
import { hashText } from '../src/domain/evidence/hash.ts';
import { comparedTask, hashOfUserAgent, postingsOf } from '../src/domain/evidence/print.ts';
import { bandsOf, comparedText, likenessOf } from '../src/domain/evidence/similarity.ts';
import type { Task } from '../src/domain/task.ts';
import type { AccountRef, TaskId } from '../src/domain/terms.ts';
import { createEvidenceSearch } from '../src/features/shared/evidence.ts';
import { createEvidence } from '../src/store/evidence.ts';
import { accountKey } from '../src/store/keys.ts';
import { createTasks, taskCodec } from '../src/store/tasks.ts';
import { type Told, toldTask } from '../test/harness/compared-task.ts';
import { asId } from '../test/harness/ids.ts';
import { startRedis } from '../test/harness/redis.ts';
import { disguises, honestText, seededRandom, textCorpus } from '../test/harness/text-corpus.ts';
import { percentile } from './machine.ts';
import { isQuick, report } from './report.ts';

// A new task is compared with all that are known, of all kinds, as it arrives: the look at the index, the records of what it
// finds, and what is stored of it. One task in 20 is a copy, one in 20 comes from an address that is known. And how many
// near-duplicates are found, in two corpora, of which the second one tuned nothing.

const [few, many] = isQuick ? [1_000, 20_000] : [10_000, 1_000_000];
const rounds = isQuick ? 200 : 1_000;
const ref: AccountRef = { workspace: asId('T01BENCH'), account: asId('a1b2c3d4e5f6') };
const browsers = Array.from(
  { length: 400 },
  (_, index) => hashOfUserAgent(`Mozilla/5.0 (browser ${index})`) ?? '',
);

/** Returns the nth task of the corpus: what it says follows from its number alone. */
function taskOf(number: number): Task {
  const random = seededRandom(number * 7 + 1);
  const source = number > 100 && number % 20 === 0 ? number - 1 - random.below(100) : number;
  const text = honestText(seededRandom(source * 13 + 5));
  const names = Object.keys(disguises);
  const disguise = disguises[names[number % names.length] ?? ''];
  const home = number % 20 === 7 ? random.below(number + 1) : number;
  const told: Told = {
    id: `${(number + 0x1000000).toString(16)}`,
    worker: `w${hashText(String(number % 200_000)).toString(36)}`,
    campaign: `c${number % 300}`,
    country: 'KE',
    ip: `${10 + (hashText(`${home}`) % 200)}.${hashText(`${home}b`) % 256}.${hashText(`${home}c`) % 256}.7`,
    browser: browsers[random.below(browsers.length)] ?? '',
    slots: [source === number || disguise === undefined ? text : disguise(text, random)],
    at: 1_700_000_000_000 + number * 1_000,
  };
  return toldTask(told);
}

/** Stores the record of a task as its first import does, without what other features keep of it. */
async function known(redis: Redis, from: number, to: number): Promise<void> {
  for (let start = from; start < to; start += 500) {
    const pipeline = redis.pipeline();
    for (let number = start; number < Math.min(to, start + 500); number += 1) {
      const task = taskOf(number);
      pipeline.hset(
        accountKey(ref, 'task', task.id),
        'version',
        1,
        'value',
        taskCodec.encode(task),
        'face',
        1,
      );
    }
    await pipeline.exec();
  }
}

const usedBy = async (redis: Redis) => Number(/used_memory:(\d+)/u.exec(await redis.info('memory'))?.[1]);

const server = await startRedis();
const redis = new Redis(server.url);
try {
  const evidence = createEvidence(redis);
  const tasks = createTasks(redis);
  const none = { add: async () => undefined, warn: () => undefined, get: async () => ({}) };
  const { search } = createEvidenceSearch({
    tasks,
    evidence,
    jobs: none,
    briefs: none,
    logger: none,
    faults: () => undefined,
  } as never);

  /** Returns the times of looks at new tasks (ms). */
  async function timed(from: number): Promise<number[]> {
    await known(redis, from, from + rounds);
    const times: number[] = [];
    for (let number = from; number < from + rounds; number += 1) {
      const task = taskOf(number);
      const began = performance.now();
      await search(ref, task);
      times.push(performance.now() - began);
    }
    return times;
  }

  /** Makes tasks known without measuring. Returns the bytes that the index takes for them. */
  async function fill(from: number, to: number): Promise<number> {
    await known(redis, from, to);
    const before = await usedBy(redis);
    for (let start = from; start < to; start += 64) {
      const numbers = Array.from({ length: Math.min(64, to - start) }, (_, index) => start + index);
      await Promise.all(
        numbers.map((number) => {
          const task = taskOf(number);
          return evidence.index.put(ref, task.id as TaskId, postingsOf(comparedTask(task)));
        }),
      );
    }
    return (await usedBy(redis)) - before;
  }

  /** Returns the bytes of what the measured tasks have in common with others. */
  async function linkBytes(): Promise<number> {
    let bytes = 0;
    for await (const keys of redis.scanStream({ match: '*:evidence-links:*', count: 1_000 }))
      for (const key of keys as string[]) bytes += Number(await redis.memory('USAGE', key));
    return bytes;
  }

  const firstBytes = await fill(0, few);
  const atFew = await timed(few);
  const bytes = await fill(few + rounds, many);
  const atMany = await timed(many);
  const p95 = { few: percentile(atFew, 0.95), many: percentile(atMany, 0.95) };
  report({
    what: 'One new task compared with all known ones: p95 in ms',
    against: `${many.toLocaleString('en')} known tasks`,
    value: p95.many,
    most: 50,
    measured: `p50 ${percentile(atMany, 0.5).toFixed(1)} ms`,
  });
  report({
    what: 'The same, by how much longer than with few',
    against: `${few.toLocaleString('en')} known tasks`,
    value: p95.many / p95.few,
    most: 2,
    measured: `${p95.few.toFixed(1)} ms`,
  });
  const index = (firstBytes + bytes) / (many - rounds);
  const links = (await linkBytes()) / (2 * rounds);
  report({
    what: 'Redis for evidence, per known task: bytes',
    against: 'records of tasks, which are there anyway',
    value: index + links,
    most: 200,
    measured: `the index ${index.toFixed(0)}, what is alike ${links.toFixed(0)}`,
  });
} finally {
  redis.disconnect();
  await server.stop();
}

for (const [name, seed] of [
  ['first corpus', 11],
  ['second corpus', 90_210],
] as const) {
  const corpus = textCorpus(seed, isQuick ? 1_000 : 5_000, isQuick ? 600 : 3_000);
  const texts = corpus.map(({ text }) => comparedText(text));
  const places = new Map<string, number[]>();
  const found = new Set<string>();
  for (const [index, text] of texts.entries()) {
    if (text === undefined) continue;
    for (const band of bandsOf(text)) {
      const there = places.get(band.join()) ?? [];
      for (const other of there) {
        const against = texts[other];
        if (against && likenessOf(text, against)) found.add(`${other} ${index}`);
      }
      places.set(band.join(), [...there, index]);
    }
  }
  const sourceOf = (index: number) => corpus[index]?.copyOf ?? index;
  const copies = corpus.flatMap(({ copyOf }, index) =>
    copyOf === undefined || texts[copyOf] === undefined ? [] : [`${copyOf} ${index}`],
  );
  const right = [...found].filter((pair) => {
    const [one = 0, other = 0] = pair.split(' ').map(Number);
    return sourceOf(one) === sourceOf(other);
  });
  report({
    what: `Near-duplicate texts, ${name}: recall`,
    against: 'copies under 12 disguises',
    value: copies.filter((copy) => found.has(copy)).length / copies.length,
    least: 0.95,
  });
  report({
    what: `Near-duplicate texts, ${name}: precision`,
    against: 'texts of honest workers',
    value: right.length / found.size,
    least: 0.99,
  });
}
