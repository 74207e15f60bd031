import { cropColumns, cropOf, cropRows } from './picture-crop.ts';
import { cellsOfPrint, printCells } from './picture-print.ts';

/** How much more or less of a picture another one may show at each side: left and right, top, bottom. */
export const steps = [-0.035, -0.0175, 0, 0.0175, 0.035] as const;
export const topSteps = [-0.0875, -0.07, -0.0525, ...steps, 0.0525, 0.07, 0.0875] as const;
const fineSteps = [0.009, 0.009, 0.009, 0.0045, 0.0045, 0.002].map((step) => [-step, 0, step]);
/** Prints that correlate less after a first look are of different pictures. */
const leastCorrelation = 0.85;
/** By how much a few cells that stand together may differ: in shades, and in relation to how much they vary. */
const allowed = { shades: 0.7, variation: 0.25, most: 1.55, left: 3 } as const;

/** How a print lies over another one: the other's cells, those of them that are in its picture, and how well they correlate. */
interface Laid {
  readonly cells: Float64Array;
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
  readonly correlation: number;
}

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
  const laid = laidOver(cells, against);
  return laid !== undefined && greatestDifference(cells, laid) < allowed.most;
}

/** Returns a print as it correlates best with another one, laid over that; undefined when it does not. */
function laidOver(cells: Float64Array, against: Float64Array): Laid | undefined {
  const [half, whole] = [new Float64Array(cells.length), new Float64Array(cells.length)];
  let [left, right, top, bottom] = [0, 0, 0, 0];
  let best = -1;

  function lay(): Laid {
    const [columns, rows] = [cropOf(printCells, left, right), cropOf(printCells, top, bottom)];
    cropRows(cropColumns(against, printCells, columns, half), printCells, rows, whole);
    const area = { top: rows.first, bottom: rows.end, left: columns.first, right: columns.end };
    return { cells: whole, ...area, correlation: correlation(cells, whole, area) };
  }
  function improveRows(first: readonly number[], second: readonly number[]): void {
    const columns = cropOf(printCells, left, right);
    cropColumns(against, printCells, columns, half);
    const from = [top, bottom] as const;
    for (const some of first) {
      for (const more of second) {
        const rows = cropOf(printCells, from[0] + some, from[1] + more);
        cropRows(half, printCells, rows, whole);
        const area = { top: rows.first, bottom: rows.end, left: columns.first, right: columns.end };
        const found = correlation(cells, whole, area);
        if (found > best) [best, top, bottom] = [found, from[0] + some, from[1] + more];
      }
    }
  }
  function improveColumns(first: readonly number[], second: readonly number[]): void {
    const rows = cropOf(printCells, top, bottom);
    cropRows(against, printCells, rows, half);
    const from = [left, right] as const;
    for (const some of first) {
      for (const more of second) {
        const columns = cropOf(printCells, from[0] + some, from[1] + more);
        cropColumns(half, printCells, columns, whole);
        const area = { top: rows.first, bottom: rows.end, left: columns.first, right: columns.end };
        const found = correlation(cells, whole, area);
        if (found > best) [best, left, right] = [found, from[0] + some, from[1] + more];
      }
    }
  }
  improveRows(topSteps, steps);
  improveColumns(steps, steps);
  if (best < leastCorrelation) return undefined;
  improveRows(steps, steps);
  improveColumns(steps, steps);
  for (const finer of fineSteps) {
    improveRows(finer, finer);
    improveColumns(finer, finer);
  }
  return lay();
}

type Area = Pick<Laid, 'top' | 'bottom' | 'left' | 'right'>;

/** Returns the correlation of two prints in an area. */
function correlation(one: Float64Array, other: Float64Array, area: Area): number {
  const { count, sum, sumOther, squares, squaresOther, products } = sumsOf(one, other, area);
  const spread = (squares - sum ** 2 / count) * (squaresOther - sumOther ** 2 / count);
  return spread > 1e-9 ? (products - (sum * sumOther) / count) / Math.sqrt(spread) : 0;
}

function sumsOf(one: Float64Array, other: Float64Array, { top, bottom, left, right }: Area) {
  let [sum, sumOther, squares, squaresOther, products] = [0, 0, 0, 0, 0];
  for (let row = top; row < bottom; row += 1) {
    for (let index = row * printCells + left; index < row * printCells + right; index += 1) {
      const [a, b] = [one[index] as number, other[index] as number];
      sum += a;
      sumOther += b;
      squares += a * a;
      squaresOther += b * b;
      products += a * b;
    }
  }
  return { count: (bottom - top) * (right - left), sum, sumOther, squares, squaresOther, products };
}

/** Returns by how much the places of two prints differ that differ most, but for a few. */
function greatestDifference(one: Float64Array, laid: Laid): number {
  const { cells: other, top, bottom, left, right } = laid;
  const { count, sum, sumOther, squaresOther, products } = sumsOf(one, other, laid);
  // One may be lighter than the other, and of less contrast.
  const gain = (products - (sum * sumOther) / count) / Math.max(1e-9, squaresOther - sumOther ** 2 / count);
  const offset = sum / count - (gain * sumOther) / count;
  const isInside = (row: number, column: number) =>
    row >= top && row < bottom && column >= left && column < right;
  const differences: number[] = [];
  for (let row = 0; row + 2 < printCells; row += 1) {
    for (let column = 0; column + 2 < printCells; column += 1) {
      let [difference, mean, square] = [0, 0, 0];
      for (let at = 0; at < 9; at += 1) {
        const [y, x] = [row + Math.floor(at / 3), column + (at % 3)];
        const a = one[y * printCells + x] as number;
        if (isInside(y, x))
          difference += (a - (gain * (other[y * printCells + x] as number) + offset)) ** 2 / 9;
        mean += a / 9;
        square += a ** 2 / 9;
      }
      const variation = Math.sqrt(Math.max(0, square - mean ** 2));
      differences.push(Math.sqrt(difference) / (allowed.shades + allowed.variation * variation));
    }
  }
  return differences.toSorted((a, b) => b - a)[allowed.left] ?? 0;
}
