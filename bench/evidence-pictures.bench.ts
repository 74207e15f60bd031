import { bandsOfPrint, probesOfPrint } from '../src/domain/evidence/picture-bands.ts';
import { arePrintsAlike } from '../src/domain/evidence/picture-likeness.ts';
import { createPictureReader } from '../src/features/shared/pictures/reader.ts';
import { type Alteration, alterations, screenshot } from '../test/harness/picture-corpus.ts';
import { seededRandom } from '../test/harness/text-corpus.ts';
import { isQuick, report } from './report.ts';

// Measures how many copies of pictures are found, and how many screens of one app are mistaken for copies, in two corpora.
// The second one was not used for tuning (the short form takes three of its apps). Pictures are decoded, indexed and
// compared as the bot does it. For their memory in Redis and time, see evidence.bench.ts.

const apps = isQuick ? 3 : 5;
const perApp = 60;
const corpora = [
  ['first corpus', 11],
  ['second corpus', 31_337],
] as const;
const reader = createPictureReader({ logger: console, mostWaitMs: 60_000 });

/** Returns the print of a picture; empty if it has none. */
async function printed(picture: Buffer): Promise<string> {
  const reading = reader.begin();
  await reading?.write(picture);
  return (await reading?.end()) ?? '';
}

const placesOf = (print: string) => new Set(bandsOfPrint(print).map((place) => place.join()));
const isFound = (places: ReadonlySet<string>, one: string, other: string, probes: readonly string[]) =>
  probes.some((place) => places.has(place)) && arePrintsAlike(other, one);

for (const [name, seed] of isQuick ? corpora.slice(-1) : corpora) {
  const found = new Map<string, boolean[]>();
  let [pairs, falsePairs] = [0, 0];
  for (let app = 0; app < apps; app += 1) {
    const known: { readonly print: string; readonly places: ReadonlySet<string> }[] = [];
    for (let number = 0; number < perApp; number += 1) {
      const shot = { app, number, seed };
      const print = await printed(await screenshot(shot));
      const probes = [...probesOfPrint(print)].flat().map((place) => place.join());
      for (const other of known) {
        pairs += 1;
        if (isFound(other.places, other.print, print, probes)) falsePairs += 1;
      }
      const places = placesOf(print);
      known.push({ print, places });
      const random = seededRandom(seed + app * 1_000 + number);
      for (const alteration of Object.keys(alterations) as Alteration[]) {
        const copy = await printed(await alterations[alteration](shot, random));
        const copied = [...probesOfPrint(copy)].flat().map((place) => place.join());
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

process.exit(process.exitCode ?? 0);
