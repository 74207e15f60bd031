import { Redis } from 'ioredis';
import { bandsOf, comparedText, likenessOf } from '../src/domain/evidence/similarity.ts';
import type { AccountRef } from '../src/domain/terms.ts';
import { createThreadComparison } from '../src/features/shared/comparison/in-thread.ts';
import { createEvidenceSearch } from '../src/features/shared/evidence.ts';
import { createEvidence } from '../src/store/evidence.ts';
import { createTasks } from '../src/store/tasks.ts';
import { asId } from '../test/harness/ids.ts';
import { startRedis } from '../test/harness/redis.ts';
import { textCorpus } from '../test/harness/text-corpus.ts';
import { fillIndex, hasPicture, printOfNumber, storeRecords, taskOfNumber } from './evidence-corpus.ts';
import { percentile } from './machine.ts';
import { isQuick, report } from './report.ts';

// A new task is compared with all that are known, of all kinds, as it arrives: the look at the index, the records of what it
// finds, and what is stored of it. What is known was put into the index by the functions of its own script, many tasks at a
// time. And how many near-duplicates are found, in two corpora, of which the second one tuned nothing.

const [few, many] = isQuick ? [5_000, 50_000] : [10_000, 1_000_000];
const rounds = isQuick ? 200 : 1_000;
const ref: AccountRef = { workspace: asId('T01BENCH'), account: asId('a1b2c3d4e5f6') };

const server = await startRedis();
const redis = new Redis(server.url);
const comparison = createThreadComparison({ redisUrl: server.url, logger: console });
try {
  const evidence = createEvidence(redis);
  const tasks = createTasks(redis);
  const none = { add: async () => undefined, warn: () => undefined, get: async () => ({}) };
  const { search } = createEvidenceSearch({
    tasks,
    evidence,
    comparison,
    jobs: none,
    briefs: none,
    logger: none,
    faults: () => undefined,
  } as never);
  const usedBytes = async () => Number(/used_memory:(\d+)/u.exec(await redis.info('memory'))?.[1]);
  const countIn = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => from + at).filter(hasPicture).length;

  /** Makes tasks known without measuring how long it takes. Returns the bytes that their texts and the like, and their pictures take. */
  async function fill(
    from: number,
    to: number,
  ): Promise<{ readonly index: number; readonly pictures: number }> {
    await storeRecords(redis, ref, from, to);
    const before = await usedBytes();
    await fillIndex(redis, ref, from, to, 'all but pictures');
    const between = await usedBytes();
    await fillIndex(redis, ref, from, to, 'pictures');
    return { index: between - before, pictures: (await usedBytes()) - between };
  }

  /** Returns the times of looks at new tasks (ms), and the bytes of what these have in common with others. */
  async function timed(
    from: number,
  ): Promise<{ readonly p50: number; readonly p95: number; readonly links: number }> {
    await storeRecords(redis, ref, from, from + rounds);
    const times: number[] = [];
    for (let number = from; number < from + rounds; number += 1) {
      const task = taskOfNumber(number);
      const began = performance.now();
      await search(ref, task);
      times.push(performance.now() - began);
    }
    let links = 0;
    for await (const keys of redis.scanStream({ match: '*:evidence-links:*', count: 10_000 }))
      for (const key of keys as string[]) links += Number(await redis.memory('USAGE', key));
    return { p50: percentile(times, 0.5), p95: percentile(times, 0.95), links };
  }

  const first = await fill(0, few - rounds);
  // The first ones warm up this process.
  await timed(few - rounds);
  const atFew = await timed(few);
  const rest = await fill(few + rounds, many);
  const atMany = await timed(many);
  report({
    what: 'One new task compared with all known ones: p95 in ms',
    against: `${many.toLocaleString('en')} known tasks`,
    value: atMany.p95,
    most: 50,
    measured: `p50 ${atMany.p50.toFixed(1)} ms`,
  });
  report({
    what: 'The same, by how much longer than with few',
    against: `${few.toLocaleString('en')} known tasks`,
    value: atMany.p95 / atFew.p95,
    most: 2,
    measured: `${atFew.p95.toFixed(1)} ms`,
  });
  const index = (first.index + rest.index) / (many - 2 * rounds);
  const links = atMany.links / (3 * rounds);
  report({
    what: 'Redis for evidence, per known task: bytes',
    against: 'records of tasks, which are there anyway',
    value: index + links,
    most: 200,
    measured: `the index ${index.toFixed(0)}, what is alike ${links.toFixed(0)}`,
  });
  const ofPicture = (first.pictures + rest.pictures) / countIn(0, many - 2 * rounds);
  const stored = JSON.stringify({ print: printOfNumber(1) }).length - 1;
  report({
    what: 'Redis for evidence, per picture more: bytes',
    against: 'tasks without a picture',
    value: ofPicture + stored,
    most: 400,
    measured: `the index ${ofPicture.toFixed(0)}, its print ${stored}`,
  });
} finally {
  await comparison.stop();
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
