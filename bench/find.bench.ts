import { Redis } from 'ioredis';
import { hashText } from '../src/domain/evidence/hash.ts';
import { packedTerms, queryOf, termsOf } from '../src/domain/find/terms.ts';
import type { Task } from '../src/domain/task.ts';
import type { AccountRef } from '../src/domain/terms.ts';
import { createSearch } from '../src/features/find/search.ts';
import { createFindIndex } from '../src/store/find-index.ts';
import { accountKey } from '../src/store/keys.ts';
import { packed } from '../src/store/stored-record.ts';
import { taskDictionary } from '../src/store/task-dictionary.ts';
import { createTasks, taskCodec } from '../src/store/tasks.ts';
import { toldTask } from '../test/harness/compared-task.ts';
import { asId } from '../test/harness/ids.ts';
import { startRedis } from '../test/harness/redis.ts';
import { writeRecords } from '../test/harness/stored-task.ts';
import { honestText, seededRandom } from '../test/harness/text-corpus.ts';
import { percentile } from './machine.ts';
import { isQuick, report } from './report.ts';

// Measures `/proofdesk find` without Slack: the index lookup, and reading the records found. The searches are for something
// unique to one task (an id, a code), a worker, a network, one common word, several common words, and something without a
// match.

const [few, many] = isQuick ? [2_000, 20_000] : [10_000, 100_000];
const rounds = isQuick ? 140 : 1_400;
const ref: AccountRef = { workspace: asId('T01BENCH'), account: asId('a1b2c3d4e5f6') };

const codeOf = (number: number) => `AB-${(number * 7919) % 1_000_000}-${number % 97}`;
const workerOf = (number: number) => `w${hashText(String(number % 9_000)).toString(36)}`;

/** Returns the nth task of the corpus. Its content is determined by the number. */
function taskOf(number: number): Task {
  return toldTask({
    id: (number + 0x1000000).toString(16),
    worker: workerOf(number),
    campaign: `c${number % 300}`,
    ip: `10.${hashText(`${number}`) % 256}.${hashText(`${number}b`) % 256}.7`,
    slots: [honestText(seededRandom(number * 13 + 5)), `Code: ${codeOf(number)}`],
    at: 1_700_000_000_000 + number * 1_000,
  });
}

/** Returns the query of the nth search among `known` tasks. */
function asked(number: number, known: number): string {
  const random = seededRandom(number * 31 + 7);
  const task = random.below(known);
  const words = honestText(seededRandom(task * 13 + 5)).split(/\W+/u);
  const word = () => random.pick(words) || 'the';
  const kinds = [
    () => codeOf(task),
    () => workerOf(task),
    () => (task + 0x1000000).toString(16),
    () => `10.${hashText(`${task}`) % 256}.${hashText(`${task}b`) % 256}.…`,
    word,
    () => `${word()} ${word()} ${word()}`,
    () => `${word()} unheard${number}`,
  ];
  return kinds[number % kinds.length]?.() ?? '';
}

const server = await startRedis();
const redis = new Redis(server.url);
try {
  const findIndex = createFindIndex(redis);
  const notes = { on: async () => [] };
  const search = createSearch({ findIndex, notes, tasks: createTasks(redis) } as never);
  const used = async () => Number(/used_memory:(\d+)/u.exec(await redis.info('memory'))?.[1]);

  /** Stores the records of tasks, then indexes them. Returns the bytes that the index takes for them. */
  async function fill(from: number, to: number): Promise<number> {
    for (let start = from; start < to; start += 500) {
      const tasks = Array.from({ length: Math.min(to, start + 500) - start }, (_, at) => taskOf(start + at));
      await writeRecords(
        redis,
        tasks.map((task) => [
          accountKey(ref, 'task', task.id),
          packed(taskCodec.encode(task), taskDictionary),
        ]),
      );
    }
    const before = await used();
    for (let start = from; start < to; start += 64) {
      const numbers = Array.from({ length: Math.min(64, to - start) }, (_, index) => start + index);
      await Promise.all(
        numbers.map((number) => findIndex.put(ref, { version: 1, value: taskOf(number) }, [])),
      );
    }
    return (await used()) - before;
  }

  async function timed(known: number): Promise<number[]> {
    const times: number[] = [];
    for (let number = 0; number < rounds; number += 1) {
      const query = queryOf(asked(number, known), { seesAddresses: true });
      const began = performance.now();
      await search.find(ref, query, undefined);
      times.push(performance.now() - began);
    }
    return times;
  }

  const firstBytes = await fill(0, few);
  await timed(few);
  const atFew = await timed(few);
  const bytes = firstBytes + (await fill(few, many));
  const atMany = await timed(many);
  const p95 = { few: percentile(atFew, 0.95), many: percentile(atMany, 0.95) };
  report({
    what: 'Find: p95 with many tasks, by how much longer than with few',
    against: `${few.toLocaleString('en')} and ${many.toLocaleString('en')} tasks`,
    value: p95.many / p95.few,
    most: 2,
    measured: `${p95.few.toFixed(1)} and ${p95.many.toFixed(1)} ms`,
  });
  const terms = packedTerms(termsOf(taskOf(1), [])).length / 3;
  report({
    what: 'Redis for finding, per task: bytes',
    against: `records of tasks, each found by about ${terms} words`,
    value: bytes / many,
    most: 1_000,
  });
} finally {
  redis.disconnect();
  await server.stop();
}
