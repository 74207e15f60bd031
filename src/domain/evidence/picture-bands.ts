import { hashBits, hashText } from './hash.ts';
import { cropColumns, cropOf, cropRows, steps, topSteps } from './picture-crop.ts';
import { cellsOfPrint, printCells } from './picture-print.ts';
import { strips, stripsOf } from './picture-strips.ts';

/** Minimum difference, in shades, for a strip to count as darker than the row below it. */
const darker = 0.8;
const bands = 8;
const bitsPerBand = 18;
/** The differences between neighboring rows that belong to each band. */
const bandBits = Array.from({ length: bands }, (_, band) =>
  Array.from({ length: strips * (printCells - 2) * 2 }, (_bit, index) => index)
    .toSorted((a, b) => hashText(`${a}`, band + 1) - hashText(`${b}`, band + 1))
    .slice(0, bitsPerBand),
);
/** Possible crops, or additions, at the left and right of a picture searched for. */
const sides = [
  [0, 0],
  [0.03, 0],
  [0, 0.03],
  [0.03, 0.03],
  [-0.03, 0],
  [0, -0.03],
  [-0.03, -0.03],
] as const;

type Place = readonly [number, number];

/** Returns a print's places in the index: two hashes per band. */
export function bandsOfPrint(print: string): Place[] {
  const cells = cellsOfPrint(print);
  if (cells === undefined) return [];
  const margins = new Float64Array(2 * strips * (printCells - 2));
  readMargins(stripsOf(cells, 0, printCells), margins);
  return bandBits.map((bits, band) => placeOf(band, readingOf(bits, margins)));
}

/**
 * Yields the places where a picture that looks like this one may be: with more or less at its sides, and with ambiguous
 * bits flipped. In batches, each place once, because computing them takes a while.
 */
export function* probesOfPrint(print: string): Generator<Place[], void, undefined> {
  const cells = cellsOfPrint(print);
  if (cells === undefined) return;
  const readings = bandBits.map(() => new Set<number>());
  const [wide, high] = [new Float64Array(cells.length), new Float64Array(printCells * strips)];
  const margins = new Float64Array(2 * strips * (printCells - 2));
  for (const [left, right] of sides) {
    const columns = cropOf(printCells, left, right);
    const all = stripsOf(cropColumns(cells, printCells, columns, wide), columns.first, columns.end);
    const places: Place[] = [];
    for (const top of topSteps) {
      for (const bottom of steps) {
        high.fill(0);
        readMargins(cropRows(all, strips, cropOf(printCells, top, bottom), high), margins);
        for (let band = 0; band < bands; band += 1)
          addReadings(readings[band] as Set<number>, band, margins, places);
      }
    }
    yield places;
  }
}

/** Returns a band's values as the bits of a number. */
function readingOf(bits: readonly number[], margins: Float64Array): number {
  let reading = 0;
  for (let at = 0; at < bits.length; at += 1)
    if ((margins[bits[at] as number] as number) > 0) reading |= 1 << at;
  return reading;
}

/** Adds the places of a band's values, and of each variant with one of the three least certain bits flipped. */
function addReadings(known: Set<number>, band: number, margins: Float64Array, to: Place[]): void {
  const bits = bandBits[band] as readonly number[];
  let [reading, first, second, third] = [0, 0, 0, 0];
  let [least, less, little] = [Infinity, Infinity, Infinity];
  for (let at = 0; at < bits.length; at += 1) {
    const margin = margins[bits[at] as number] as number;
    const [bit, certainty] = [1 << at, Math.abs(margin)];
    if (margin > 0) reading |= bit;
    if (certainty >= little) continue;
    [third, little] = [bit, certainty];
    if (little < less) [second, third, less, little] = [third, second, little, less];
    if (less < least) [first, second, least, less] = [second, first, less, least];
  }
  for (const turned of [0, first, second, third]) {
    if (known.has(reading ^ turned)) continue;
    known.add(reading ^ turned);
    to.push(placeOf(band, reading ^ turned));
  }
}

function placeOf(band: number, reading: number): Place {
  return [hashBits(reading, bitsPerBand, 2 * band + 1), hashBits(reading, bitsPerBand, 2 * band + 2)];
}

/** Computes how much darker, and then lighter, each strip of a row is than the row below, beyond the threshold. */
function readMargins(means: Float64Array, margins: Float64Array): void {
  for (let index = 0; 2 * index < margins.length; index += 1) {
    const difference = (means[index + 2 * strips] as number) - (means[index + strips] as number);
    margins[2 * index] = difference - darker;
    margins[2 * index + 1] = -difference - darker;
  }
}
