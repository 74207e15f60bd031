import { cellsOfPrint, printCells } from './picture-print.ts';

/** How much more or less of a picture another one may show at each side: left and right, top, bottom. */
export const steps = [-0.035, -0.0175, 0, 0.0175, 0.035] as const;
export const topSteps = [-0.0875, -0.07, -0.0525, ...steps, 0.0525, 0.07, 0.0875] as const;
const fineSteps = [-0.009, 0, 0.009] as const;
const finestSteps = [-0.0045, 0, 0.0045] as const;
/** Prints that correlate less after a first look are of different pictures. */
const leastCorrelation = 0.85;
/** By how much a few cells that stand together may differ: in shades, and in relation to how much they vary. */
const allowed = { shades: 0.7, variation: 0.25, most: 1.5, left: 3 } as const;
/** What is not in the other picture. */
export const outside = -1;

/** How much of a picture is left out at each side; negative where another one shows more. */
type Crop = readonly [left: number, right: number, top: number, bottom: number];

/**
 * Returns whether two prints are of one picture. The prints are laid over each other as they correlate best; then no place may
 * differ by more than compression and scaling do. Screens of one app correlate well, but differ where their texts are.
 */
export function arePrintsAlike(one: string, other: string): boolean {
  const [cells, against] = [cellsOfPrint(one), cellsOfPrint(other)];
  if (cells === undefined || against === undefined) return false;
  if (one === other) return true;
  return isLaidOver(cells, against) || isLaidOver(against, cells);
}

function isLaidOver(cells: Float64Array, against: Float64Array): boolean {
  const aligned = alignedWith(cells, against);
  return aligned !== undefined && greatestDifference(cells, aligned) < allowed.most;
}

/** Returns a print as it correlates best with another one, laid over that; undefined when it does not. */
function alignedWith(cells: Float64Array, against: Float64Array): Float64Array | undefined {
  let crop: Crop = [0, 0, 0, 0];
  let best = correlation(cells, against);

  function improve(first: readonly number[], second: readonly number[], isVertical: boolean): void {
    const from = crop;
    for (const some of first) {
      for (const more of second) {
        const [left, right, top, bottom] = from;
        const tried: Crop = isVertical
          ? [left, right, top + some, bottom + more]
          : [left + some, right + more, top, bottom];
        const found = correlation(cells, cropped(against, tried));
        if (found > best) [best, crop] = [found, tried];
      }
    }
  }
  improve(topSteps, steps, true);
  improve(steps, steps, false);
  if (best < leastCorrelation) return undefined;
  improve(steps, steps, true);
  improve(steps, steps, false);
  for (const finer of [fineSteps, fineSteps, finestSteps]) {
    improve(finer, finer, true);
    improve(finer, finer, false);
  }
  return cropped(against, crop);
}

/** Returns the correlation of two prints where both show something. */
function correlation(one: Float64Array, other: Float64Array): number {
  let [count, sum, sumOther, squares, squaresOther, products] = [0, 0, 0, 0, 0, 0];
  for (let index = 0; index < one.length; index += 1) {
    const [a = 0, b = 0] = [one[index], other[index]];
    if (b === outside) continue;
    count += 1;
    sum += a;
    sumOther += b;
    squares += a * a;
    squaresOther += b * b;
    products += a * b;
  }
  const spread = (squares - sum ** 2 / count) * (squaresOther - sumOther ** 2 / count);
  return spread > 1e-9 ? (products - (sum * sumOther) / count) / Math.sqrt(spread) : 0;
}

/** Returns the cells of a print when so much of its picture is left out, or added, at each side. */
export function cropped(cells: Float64Array, [left, right, top, bottom]: Crop): Float64Array {
  const columns = tapsOf(left, right);
  const rows = tapsOf(top, bottom);
  const between = new Float64Array(cells.length);
  for (let row = 0; row < printCells; row += 1)
    for (const [column, taps] of columns.entries())
      between[row * printCells + column] =
        taps === undefined ? outside : blend(cells, taps, row * printCells, 1);
  const result = new Float64Array(cells.length);
  for (const [row, taps] of rows.entries())
    for (let column = 0; column < printCells; column += 1) {
      const isOutside = taps === undefined || columns[column] === undefined;
      result[row * printCells + column] = isOutside ? outside : blend(between, taps, column, printCells);
    }
  return result;
}

/** Four neighboring cells, and the weight of each. */
interface Taps {
  readonly at: readonly number[];
  readonly weights: readonly number[];
}

/** All that were asked for: they are few, and asked for again and again. */
const known = new Map<string, readonly (Taps | undefined)[]>();

function tapsOf(before: number, after: number): readonly (Taps | undefined)[] {
  const key = `${Math.round(before * 10_000)} ${Math.round(after * 10_000)}`;
  const found = known.get(key) ?? positions(before, after);
  known.set(key, found);
  return found;
}

/** Returns where in a print each cell lies once it is cropped; undefined beside it. */
function positions(before: number, after: number): (Taps | undefined)[] {
  return Array.from({ length: printCells }, (_, index) => {
    const share = before + (1 - before - after) * ((index + 0.5) / printCells);
    const position = share * printCells - 0.5;
    if (position < -0.6 || position > printCells - 0.4) return undefined;
    const cell = Math.floor(position);
    const t = position - cell;
    const inside = (at: number) => Math.min(printCells - 1, Math.max(0, at));
    return {
      at: [cell - 1, cell, cell + 1, cell + 2].map(inside),
      // Catmull–Rom: a line between two cells would be smoother than what it is compared with.
      weights: [
        (-t + 2 * t ** 2 - t ** 3) / 2,
        (2 - 5 * t ** 2 + 3 * t ** 3) / 2,
        (t + 4 * t ** 2 - 3 * t ** 3) / 2,
        (-(t ** 2) + t ** 3) / 2,
      ],
    };
  });
}

function blend(cells: Float64Array, { at, weights }: Taps, offset: number, stride: number): number {
  let value = 0;
  for (let tap = 0; tap < 4; tap += 1)
    value += (cells[offset + (at[tap] ?? 0) * stride] ?? 0) * (weights[tap] ?? 0);
  return Math.max(0, value);
}

/** Returns by how much the places of two prints differ that differ most, but for a few. */
function greatestDifference(one: Float64Array, other: Float64Array): number {
  let [count, sum, sumOther, squaresOther, products] = [0, 0, 0, 0, 0];
  for (const [index, b] of other.entries()) {
    const a = one[index] ?? 0;
    if (b === outside) continue;
    count += 1;
    sum += a;
    sumOther += b;
    squaresOther += b * b;
    products += a * b;
  }
  // One may be lighter than the other, and of less contrast.
  const gain = (products - (sum * sumOther) / count) / Math.max(1e-9, squaresOther - sumOther ** 2 / count);
  const offset = sum / count - (gain * sumOther) / count;
  const left = other.map((b, index) => (b === outside ? 0 : (one[index] ?? 0) - (gain * b + offset)));
  const differences: number[] = [];
  for (let row = 0; row + 2 < printCells; row += 1) {
    for (let column = 0; column + 2 < printCells; column += 1) {
      let [difference, mean, square] = [0, 0, 0];
      for (let at = 0; at < 9; at += 1) {
        const index = (row + Math.floor(at / 3)) * printCells + column + (at % 3);
        difference += (left[index] ?? 0) ** 2 / 9;
        mean += (one[index] ?? 0) / 9;
        square += (one[index] ?? 0) ** 2 / 9;
      }
      const variation = Math.sqrt(Math.max(0, square - mean ** 2));
      differences.push(Math.sqrt(difference) / (allowed.shades + allowed.variation * variation));
    }
  }
  return differences.toSorted((a, b) => b - a)[allowed.left] ?? 0;
}
