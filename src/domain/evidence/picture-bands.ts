import { hashText } from './hash.ts';
import { cropped, outside, steps, topSteps } from './picture-likeness.ts';
import { cellsOfPrint, printCells } from './picture-print.ts';

/** Columns of a print as they are indexed: wide, so that it matters little what is cropped at the sides. */
const strips = 4;
/** A strip is darker than the row below it from so many shades on. */
const darker = 0.8;
const bands = 8;
const bitsPerBand = 18;
/** Which of all differences between neighboring rows each band has. */
const bandBits = Array.from({ length: bands }, (_, band) =>
  Array.from({ length: strips * (printCells - 2) * 2 }, (_bit, index) => index)
    .toSorted((a, b) => hashText(`${a}`, band + 1) - hashText(`${b}`, band + 1))
    .slice(0, bitsPerBand),
);

/** Returns under which places of the index a print is found: two hashes for each band. */
export function bandsOfPrint(print: string): (readonly [number, number])[] {
  const cells = cellsOfPrint(print);
  return cells === undefined ? [] : placesOf(cells, false);
}

/**
 * Returns all places where a picture may be that looks like this one: with more or less at its top and bottom, and with what
 * may be read either way read the other way.
 */
export function probesOfPrint(print: string): (readonly [number, number])[] {
  const cells = cellsOfPrint(print);
  if (cells === undefined) return [];
  const all = topSteps.flatMap((top) =>
    steps.flatMap((bottom) => placesOf(cropped(cells, [0, 0, top, bottom]), true)),
  );
  return [...new Map(all.map((place) => [place.join(), place])).values()];
}

function placesOf(cells: Float64Array, isProbe: boolean): (readonly [number, number])[] {
  const margins = marginsOf(cells);
  return bandBits.flatMap((bits, band) => {
    const values = bits.map((bit) => margins[bit] ?? 0);
    const read = values.map((margin) => (margin > 0 ? '1' : '0')).join('');
    const place = (text: string) => [hashText(text, 2 * band + 1), hashText(text, 2 * band + 2)] as const;
    if (!isProbe) return [place(read)];
    const [weakest = 0] = values
      .map((_, at) => at)
      .toSorted((a, b) => Math.abs(values[a] ?? 0) - Math.abs(values[b] ?? 0));
    const flipped = `${read.slice(0, weakest)}${read[weakest] === '1' ? '0' : '1'}${read.slice(weakest + 1)}`;
    return [place(read), place(flipped)];
  });
}

/** Returns by how much each strip of a row is darker, and then lighter, than the row below, beyond what counts. */
function marginsOf(cells: Float64Array): number[] {
  const width = printCells / strips;
  const means = Array.from({ length: printCells * strips }, (_, index) => {
    const from = Math.floor(index / strips) * printCells + (index % strips) * width;
    const strip = cells.subarray(from, from + width).filter((cell) => cell !== outside);
    return strip.length === 0 ? 0 : strip.reduce((sum, cell) => sum + cell, 0) / strip.length;
  });
  return Array.from({ length: strips * (printCells - 2) }, (_, index) => {
    const difference = (means[index + 2 * strips] ?? 0) - (means[index + strips] ?? 0);
    return [difference - darker, -difference - darker];
  }).flat();
}
