import { Redis } from 'ioredis';
import { comparedTask, postingsOf } from '../src/domain/evidence/likeness.ts';
import type { AccountRef } from '../src/domain/terms.ts';
import { type Told, toldTask } from '../test/harness/compared-task.ts';
import { evidenceProcess } from '../test/harness/evidence-process.ts';
import { asId } from '../test/harness/ids.ts';
import { startRedis } from '../test/harness/redis.ts';
import { textCorpus } from '../test/harness/text-corpus.ts';
import { percentile } from './machine.ts';
import { isQuick, report } from './report.ts';

// Compares tasks one after the other with 50,000 others (short form: 10,000), of which one in 20 is a copy and one in 20 comes
// from a known address; then hostile ones, which all have as many and as long texts as are compared, and hardly differ.

const known = isQuick ? 10_000 : 50_000;
/** The last of these have records, so that what is found is compared. */
const withRecords = 2_000;
const measured = 300;
const hostileKnown = 60;
const mostMs = 50;

const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const server = await startRedis();
const redis = new Redis(server.url, { enableAutoPipelining: true });
const { evidence, arrives, search } = evidenceProcess(redis, ref);

const texts = textCorpus(7, Math.round(0.95 * (known + measured)), Math.round(0.05 * (known + measured)) + 9);
// In an order of their own, so that copies are everywhere.
const order = texts.map((_, index) => (index * 7_919) % texts.length);

function taskAt(index: number): Told & { readonly id: string } {
  return {
    id: `task${index}`,
    worker: `worker${index % Math.ceil(known / 12)}`,
    slots: [texts[order[index] ?? 0]?.text ?? '', `code ${(index * 7_919 + 100_003).toString(36)}${index}`],
    ip: index % 20 === 0 ? '203.0.113.7' : `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
    at: index * 1_000,
  };
}

/** A text in which no part repeats, in letters that have to be normalized; each one differs in a few words. */
const hostileText = (slot: number, number: number) =>
  Array.from({ length: 4_000 }, (_, at) =>
    ((at + 1) * (slot + 3) * 48_271 + (at % 97 === number % 97 ? number : 0))
      .toString(36)
      .replace(/a/g, 'ａ'),
  )
    .join(' ')
    .slice(0, 20_000);
const hostileAt = (index: number): Told & { readonly id: string } => ({
  id: `hostile${index}`,
  worker: `stranger${index}`,
  slots: [0, 1, 2, 3].map((slot) => hostileText(slot, index)),
  at: 0,
});

async function timed(told: Told & { readonly id: string }): Promise<number> {
  const task = await arrives(told);
  const began = performance.now();
  await search(ref, task);
  return performance.now() - began;
}

for (let from = 0; from < known - withRecords; from += 100) {
  const some = Array.from({ length: 100 }, (_, at) => toldTask(taskAt(from + at)));
  await Promise.all(some.map((task) => evidence.index.put(ref, task.id, postingsOf(comparedTask(task)))));
}
for (let index = known - withRecords; index < known; index += 1)
  await search(ref, await arrives(taskAt(index)));

const honest: number[] = [];
for (let index = known; index < known + measured; index += 1) honest.push(await timed(taskAt(index)));
const hostile: number[] = [];
for (let index = 0; index < hostileKnown; index += 1) await timed(hostileAt(index));
for (let index = hostileKnown; index < hostileKnown + 20; index += 1)
  hostile.push(await timed(hostileAt(index)));

const figures = [
  ['A task', honest],
  ['A hostile task', hostile],
] as const;
for (const [what, times] of figures)
  report({
    what: `${what} compared among ${known.toLocaleString('en')} (ms, median)`,
    against: 'a bar',
    value: percentile(times, 0.5),
    most: mostMs,
    measured: `95 of 100 within ${percentile(times, 0.95).toFixed(1)} ms`,
  });
redis.disconnect();
await server.stop();
process.exit(process.exitCode ?? 0);
