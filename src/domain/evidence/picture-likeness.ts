import { type Crop, cropColumns, cropOf, cropRows, steps, topSteps } from './picture-crop.ts';
import { cellsOfPrint, printCells } from './picture-print.ts';
import { strips, stripsOf } from './picture-strips.ts';

const fineSteps = [0.009, 0.009, 0.009, 0.0045, 0.0045, 0.002].map((step) => [-step, 0, step]);
/** Prints with a lower correlation after alignment are of different pictures. */
const leastCorrelation = 0.85;
/**
 * Prints with a lower correlation of their rows, in a few wide strips, are rejected early: most that share a place by
 * chance.
 */
const leastOfStrips = 0.7;
/**
 * Maximum difference of a few adjacent cells: in shades, relative to their variation, and relative to the cells above
 * and below. If a screen's lines are about as frequent as a print's rows, a cropped copy has other parts of them in each
 * row, so that its rows differ most next to dark areas. Texts differ next to empty ones.
 */
const allowed = { shades: 0.7, variation: 0.25, rows: 0.25, left: 3 } as const;

/** An area of cells, from a row and a column to before others. */
interface Area {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** A print aligned with another one: the other's cells, and the area inside its picture. */
interface Laid extends Area {
  readonly cells: Float64Array;
}

/**
 * Returns whether two prints are of one picture. They are aligned for the best correlation; then no place may differ by
 * more than compression and scaling cause. Screens of one app correlate well, but differ in their texts.
 */
export function arePrintsAlike(one: string, other: string): boolean {
  const [cells, against] = [cellsOfPrint(one), cellsOfPrint(other)];
  if (cells === undefined || against === undefined) return false;
  if (one === other) return true;
  if (correlationOfStrips(cells, against) < leastOfStrips) return false;
  return isLaidOver(cells, against) || isLaidOver(against, cells);
}

function isLaidOver(cells: Float64Array, against: Float64Array): boolean {
  const laid = laidOver(cells, against);
  return laid !== undefined && greatestDifference(cells, laid) < 1;
}

/** Returns the best correlation of two prints in strips of their rows, over all crops above and below. */
function correlationOfStrips(cells: Float64Array, against: Float64Array): number {
  const [one, other] = [stripsOf(cells, 0, printCells), stripsOf(against, 0, printCells)];
  const into = new Float64Array(other.length);
  let best = -1;
  for (const top of topSteps) {
    for (const bottom of steps) {
      const crop = cropOf(printCells, top, bottom);
      cropRows(other, strips, crop, into);
      const area = { top: crop.first, bottom: crop.end, left: 0, right: strips };
      best = Math.max(best, correlation(one, into, area, strips));
    }
  }
  return best;
}

/** Returns a print aligned with another one for the best correlation; undefined if they do not correlate. */
function laidOver(cells: Float64Array, against: Float64Array): Laid | undefined {
  const [half, whole] = [new Float64Array(cells.length), new Float64Array(cells.length)];
  const crops = { rows: [0, 0] as readonly [number, number], columns: [0, 0] as readonly [number, number] };
  let best = -1;

  /** Improves the crop of the rows or columns, testing steps at either end. */
  function improve(what: 'rows' | 'columns', first: readonly number[], second: readonly number[]): void {
    const [isRows, from] = [what === 'rows', crops[what]];
    const other = cropOf(printCells, ...(isRows ? crops.columns : crops.rows));
    // The result of the other direction is computed once.
    if (isRows) cropColumns(against, printCells, other, half);
    else cropRows(against, printCells, other, half);
    for (const some of first) {
      for (const more of second) {
        const to = [from[0] + some, from[1] + more] as const;
        const crop = cropOf(printCells, ...to);
        if (isRows) cropRows(half, printCells, crop, whole);
        else cropColumns(half, printCells, crop, whole);
        const found = correlation(cells, whole, isRows ? areaOf(crop, other) : areaOf(other, crop));
        if (found > best) [best, crops[what]] = [found, to];
      }
    }
  }
  improve('rows', topSteps, steps);
  improve('columns', steps, steps);
  if (best < leastCorrelation) return undefined;
  improve('rows', steps, steps);
  improve('columns', steps, steps);
  for (const finer of fineSteps) {
    improve('rows', finer, finer);
    improve('columns', finer, finer);
  }
  const [rows, columns] = [cropOf(printCells, ...crops.rows), cropOf(printCells, ...crops.columns)];
  cropRows(cropColumns(against, printCells, columns, half), printCells, rows, whole);
  return { cells: whole, ...areaOf(rows, columns) };
}

function areaOf(rows: Crop, columns: Crop): Area {
  return { top: rows.first, bottom: rows.end, left: columns.first, right: columns.end };
}

/** Returns the correlation of two prints, or of their strips, in an area. */
function correlation(one: Float64Array, other: Float64Array, area: Area, width = printCells): number {
  const { count, sum, sumOther, squares, squaresOther, products } = sumsOf(one, other, area, width);
  const spread = (squares - sum ** 2 / count) * (squaresOther - sumOther ** 2 / count);
  return spread > 1e-9 ? (products - (sum * sumOther) / count) / Math.sqrt(spread) : 0;
}

function sumsOf(one: Float64Array, other: Float64Array, { top, bottom, left, right }: Area, width: number) {
  let [sum, sumOther, squares, squaresOther, products] = [0, 0, 0, 0, 0];
  for (let row = top; row < bottom; row += 1) {
    for (let index = row * width + left; index < row * width + right; index += 1) {
      const a = one[index] as number;
      const b = other[index] as number;
      sum += a;
      sumOther += b;
      squares += a * a;
      squaresOther += b * b;
      products += a * b;
    }
  }
  return { count: (bottom - top) * (right - left), sum, sumOther, squares, squaresOther, products };
}

/** Returns the largest difference between two prints, except for a few places; 1 and more exceeds the limit. */
function greatestDifference(one: Float64Array, laid: Laid): number {
  const beyond = differenceBeyondRows(one, laid);
  const differences: number[] = [];
  for (let row = 0; row + 2 < printCells; row += 1) {
    for (let column = 0; column + 2 < printCells; column += 1) {
      let [difference, mean, square] = [0, 0, 0];
      for (let at = 0; at < 9; at += 1) {
        const index = (row + Math.floor(at / 3)) * printCells + column + (at % 3);
        const shade = one[index] as number;
        difference += (beyond[index] as number) ** 2 / 9;
        mean += shade / 9;
        square += shade ** 2 / 9;
      }
      const variation = Math.sqrt(Math.max(0, square - mean ** 2));
      differences.push(Math.sqrt(difference) / (allowed.shades + allowed.variation * variation));
    }
  }
  return differences.toSorted((a, b) => b - a)[allowed.left] ?? 0;
}

/**
 * Returns how much each cell of two prints differs beyond what the cells above and below explain; 0 outside their
 * pictures.
 */
function differenceBeyondRows(one: Float64Array, laid: Laid): Float64Array {
  const { cells: other, top, bottom, left, right } = laid;
  const { count, sum, sumOther, squaresOther, products } = sumsOf(one, other, laid, printCells);
  // One may be lighter than the other, and have less contrast.
  const gain = (products - (sum * sumOther) / count) / Math.max(1e-9, squaresOther - sumOther ** 2 / count);
  const offset = sum / count - (gain * sumOther) / count;
  const beyond = new Float64Array(one.length);
  for (let row = top; row < bottom; row += 1) {
    const above = (Math.max(top, row - 1) - row) * printCells;
    const below = (Math.min(bottom - 1, row + 1) - row) * printCells;
    for (let index = row * printCells + left; index < row * printCells + right; index += 1) {
      const range = (of: Float64Array) => {
        const [a, b, c] = [of[index + above] as number, of[index] as number, of[index + below] as number];
        return Math.max(a, b, c) - Math.min(a, b, c);
      };
      const difference = Math.abs((one[index] as number) - gain * (other[index] as number) - offset);
      const explained = allowed.rows * Math.max(range(one), Math.abs(gain) * range(other));
      beyond[index] = Math.max(0, difference - explained);
    }
  }
  return beyond;
}
