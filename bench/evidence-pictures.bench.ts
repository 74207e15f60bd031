import { arePrintsAlike, bandsOfPrint } from '../src/domain/evidence/likeness.ts';
import { createPictureReader } from '../src/features/evidence/picture-reader.ts';
import { type Alteration, alterations, screenshot } from '../test/harness/picture-corpus.ts';
import { seededRandom } from '../test/harness/text-corpus.ts';
import { isQuick, report } from './report.ts';

// Measures how many copies of pictures are found, and how many screens of one app are mistaken for copies (the short form takes
// three of the five apps). Pictures are decoded, indexed and compared as the bot does it.

const apps = isQuick ? 3 : 5;
const perApp = 60;
const seed = 31_337;
const reader = createPictureReader({ logger: console, mostWaitMs: 60_000 });

/** Returns the print of a picture; empty if it has none. */
async function printed(picture: Buffer): Promise<string> {
  const reading = reader.begin();
  await reading?.write(picture);
  return (await reading?.end()) ?? '';
}

const isFound = (one: string, other: string) => {
  const bands = new Set(bandsOfPrint(one));
  return bandsOfPrint(other).some((band) => bands.has(band)) && arePrintsAlike(one, other);
};

const found = new Map<string, boolean[]>();
let [pairs, falsePairs] = [0, 0];
for (let app = 0; app < apps; app += 1) {
  const known: string[] = [];
  for (let number = 0; number < perApp; number += 1) {
    const shot = { app, number, seed };
    const print = await printed(await screenshot(shot));
    pairs += known.length;
    falsePairs += known.filter((other) => isFound(other, print)).length;
    known.push(print);
    const random = seededRandom(seed + app * 1_000 + number);
    for (const alteration of Object.keys(alterations) as Alteration[]) {
      const copy = await printed(await alterations[alteration](shot, random));
      found.set(alteration, [...(found.get(alteration) ?? []), isFound(print, copy)]);
    }
  }
}
for (const [alteration, results] of found)
  report({
    what: `Pictures ${alteration}: recall`,
    against: 'the pictures they are made of',
    value: results.filter(Boolean).length / results.length,
    least: 0.9,
  });
report({
  what: `Different screens of one app: share of pairs that count as the same (%)`,
  against: 'all pairs',
  value: (100 * falsePairs) / pairs,
  most: 0.1,
  measured: `${falsePairs} of ${pairs}`,
});
process.exit(process.exitCode ?? 0);
