import { Redis } from 'ioredis';
import { bandsOfPrint, probesOfPrint } from '../src/domain/evidence/picture-bands.ts';
import { arePrintsAlike } from '../src/domain/evidence/picture-likeness.ts';
import { printCells } from '../src/domain/evidence/picture-print.ts';
import type { AccountRef, TaskId } from '../src/domain/terms.ts';
import { createPictureReader } from '../src/features/shared/pictures/reader.ts';
import { createEvidence } from '../src/store/evidence.ts';
import { asId } from '../test/harness/ids.ts';
import { type Alteration, alterations, screenshot } from '../test/harness/picture-corpus.ts';
import { startRedis } from '../test/harness/redis.ts';
import { seededRandom } from '../test/harness/text-corpus.ts';
import { percentile } from './machine.ts';
import { isQuick, report } from './report.ts';

// Which copies of a picture are found, and which screens of one app are taken for copies, in two corpora of which the second one
// has other seeds: decoded, indexed and compared as the bot does it. And what pictures take of Redis, and of the time of a look.

const apps = 5;
const perApp = isQuick ? 12 : 60;
const reader = createPictureReader({ logger: console, mostWaitMs: 60_000 });

/** Returns the print of a picture; empty where it has none. */
async function printed(picture: Buffer): Promise<string> {
  const reading = reader.begin();
  reading?.write(picture);
  return (await reading?.end()) ?? '';
}

const placesOf = (print: string) => new Set(bandsOfPrint(print).map((place) => place.join()));
const isFound = (places: ReadonlySet<string>, one: string, other: string, probes: readonly string[]) =>
  probes.some((place) => places.has(place)) && arePrintsAlike(other, one);

for (const [name, seed] of [
  ['first corpus', 11],
  ['second corpus', 90_210],
] as const) {
  const found = new Map<string, boolean[]>();
  let [pairs, falsePairs] = [0, 0];
  for (let app = 0; app < apps; app += 1) {
    const known: { readonly print: string; readonly places: ReadonlySet<string> }[] = [];
    for (let number = 0; number < perApp; number += 1) {
      const shot = { app, number, seed };
      const print = await printed(await screenshot(shot));
      const probes = probesOfPrint(print).map((place) => place.join());
      for (const other of known) {
        pairs += 1;
        if (isFound(other.places, other.print, print, probes)) falsePairs += 1;
      }
      const places = placesOf(print);
      known.push({ print, places });
      const random = seededRandom(seed + app * 1_000 + number);
      for (const alteration of Object.keys(alterations) as Alteration[]) {
        const copy = await printed(await alterations[alteration](shot, random));
        const copied = probesOfPrint(copy).map((place) => place.join());
        found.set(alteration, [...(found.get(alteration) ?? []), isFound(places, print, copy, copied)]);
      }
    }
  }
  for (const [alteration, results] of found)
    report({
      what: `Pictures ${alteration}, ${name}: recall`,
      against: 'the pictures they are made of',
      value: results.filter(Boolean).length / results.length,
      least: 0.95,
    });
  report({
    what: `Different screens of one app, ${name}: share of pairs that count as the same (%)`,
    against: 'all pairs',
    value: (100 * falsePairs) / pairs,
    most: 0.1,
    measured: `${falsePairs} of ${pairs}`,
  });
}

const [few, many] = isQuick ? [1_000, 20_000] : [10_000, 1_000_000];
const rounds = 200;
const ref: AccountRef = { workspace: asId('T01BENCH'), account: asId('a1b2c3d4e5f6') };

/** Returns a print that its number determines: blocks of shades, as screens have. */
function printOfNumber(number: number): string {
  const random = seededRandom(number * 7 + 3);
  const shades = Array.from({ length: printCells ** 2 / 4 }, () => random.below(16));
  const bytes = Uint8Array.from({ length: printCells ** 2 / 2 }, (_, index) => {
    const shade = shades[index >> 1] ?? 0;
    return (shade << 4) | shade;
  });
  return Buffer.from(bytes).toString('base64url');
}

const server = await startRedis();
const redis = new Redis(server.url);
try {
  const { index } = createEvidence(redis);
  const usedBytes = async () => Number(/used_memory:(\d+)/u.exec(await redis.info('memory'))?.[1]);
  const idOf = (number: number): TaskId => asId(`${(number + 0x1000000).toString(16)}`);
  const postings = (number: number) =>
    bandsOfPrint(printOfNumber(number)).map((place) => ({ kind: 'picture' as const, place }));

  async function fill(from: number, to: number, hasPictures: boolean): Promise<void> {
    for (let start = from; start < to; start += 64)
      await Promise.all(
        Array.from({ length: Math.min(64, to - start) }, (_, at) =>
          index.put(ref, idOf(start + at), hasPictures ? postings(start + at) : []),
        ),
      );
  }
  async function timed(from: number): Promise<number> {
    const times: number[] = [];
    for (let number = from; number < from + rounds; number += 1) {
      const began = performance.now();
      await index.put(ref, idOf(number), postings(number), probesOfPrint(printOfNumber(number)));
      times.push(performance.now() - began);
    }
    return percentile(times, 0.95);
  }

  // The same tasks, first without pictures: what is more afterwards is the pictures'.
  await fill(0, few, false);
  const before = await usedBytes();
  await fill(0, few, true);
  const bytes = ((await usedBytes()) - before) / few;
  const stored = JSON.stringify({ print: printOfNumber(1) }).length - 1;
  report({
    what: 'Redis for evidence, per picture more: bytes',
    against: 'tasks without a picture',
    value: bytes + stored,
    most: 400,
    measured: `the index ${bytes.toFixed(0)}, its print ${stored}`,
  });
  const atFew = await timed(few);
  await fill(few + rounds, many, true);
  const atMany = await timed(many);
  report({
    what: 'One new picture looked for among all known ones: p95 in ms',
    against: `${many.toLocaleString('en')} known pictures`,
    value: atMany,
    most: 50,
  });
  report({
    what: 'The same, by how much longer than with few',
    against: `${few.toLocaleString('en')} known pictures`,
    value: atMany / atFew,
    most: 2,
    measured: `${atFew.toFixed(1)} ms`,
  });
} finally {
  redis.disconnect();
  await server.stop();
}
process.exit(process.exitCode ?? 0);
