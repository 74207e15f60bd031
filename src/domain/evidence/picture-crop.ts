/** How much more or less of a picture another one may show at each side: left and right, top, bottom. */
export const steps = [-0.035, -0.0175, 0, 0.0175, 0.035] as const;
export const topSteps = [-0.0875, -0.07, -0.0525, ...steps, 0.0525, 0.07, 0.0875] as const;

/** How to read a row or column of a print whose picture is cropped, or extended, at its ends. */
export interface Crop {
  /** The four source cells of each cell, and their weights. */
  readonly cells: Int16Array;
  readonly weights: Float64Array;
  /** Cells from `first` to before `end` are inside the picture. */
  readonly first: number;
  readonly end: number;
}

const taps = 4;
/** Cache of all requested crops: they are few, and requested again and again. */
const known = new Map<number, Crop>();
/** Crops are distinguished to a ten-thousandth of a picture. */
const precision = 10_000;

/** Returns how to read `count` cropped rows or columns: a share at either end, negative for an extension. */
export function cropOf(count: number, before: number, after: number): Crop {
  const [from, to] = [Math.round(before * precision), Math.round(after * precision)];
  const key = ((from + precision) * 3 * precision + to + precision) * 64 + count;
  const found = known.get(key);
  if (found !== undefined) return found;
  const crop = newCrop(count, from / precision, to / precision);
  known.set(key, crop);
  return crop;
}

function newCrop(count: number, before: number, after: number): Crop {
  const cells = new Int16Array(count * taps);
  const weights = new Float64Array(count * taps);
  let [first, end] = [count, 0];
  for (let index = 0; index < count; index += 1) {
    const share = before + (1 - before - after) * ((index + 0.5) / count);
    const position = share * count - 0.5;
    if (position < -0.6 || position > count - 0.4) continue;
    first = Math.min(first, index);
    end = index + 1;
    const cell = Math.floor(position);
    const t = position - cell;
    // A cubic curve: linear interpolation would be smoother than the print it is compared with.
    weights.set(
      [
        (-t + 2 * t ** 2 - t ** 3) / 2,
        (2 - 5 * t ** 2 + 3 * t ** 3) / 2,
        (t + 4 * t ** 2 - 3 * t ** 3) / 2,
        (-(t ** 2) + t ** 3) / 2,
      ],
      index * taps,
    );
    for (let tap = 0; tap < taps; tap += 1)
      cells[index * taps + tap] = Math.min(count - 1, Math.max(0, cell - 1 + tap));
  }
  return { cells, weights, first, end };
}

/** Reads the cropped rows of a grid; rows outside the picture are left unchanged. Returns `into`. */
export function cropRows(
  grid: Float64Array,
  width: number,
  { cells, weights, first, end }: Crop,
  into: Float64Array,
): Float64Array {
  for (let row = first; row < end; row += 1) {
    const at = row * taps;
    const [a, b] = [(cells[at] as number) * width, (cells[at + 1] as number) * width];
    const [c, d] = [(cells[at + 2] as number) * width, (cells[at + 3] as number) * width];
    const [wa, wb] = [weights[at] as number, weights[at + 1] as number];
    const [wc, wd] = [weights[at + 2] as number, weights[at + 3] as number];
    for (let column = 0; column < width; column += 1) {
      const value =
        (grid[a + column] as number) * wa +
        (grid[b + column] as number) * wb +
        (grid[c + column] as number) * wc +
        (grid[d + column] as number) * wd;
      into[row * width + column] = Math.max(value, 0);
    }
  }
  return into;
}

/** Reads the cropped columns of a grid with as many rows. Returns `into`. */
export function cropColumns(
  grid: Float64Array,
  width: number,
  { cells, weights, first, end }: Crop,
  into: Float64Array,
): Float64Array {
  for (let column = first; column < end; column += 1) {
    const at = column * taps;
    const [a, b] = [cells[at] as number, cells[at + 1] as number];
    const [c, d] = [cells[at + 2] as number, cells[at + 3] as number];
    const [wa, wb] = [weights[at] as number, weights[at + 1] as number];
    const [wc, wd] = [weights[at + 2] as number, weights[at + 3] as number];
    for (let start = 0; start < grid.length; start += width) {
      const value =
        (grid[start + a] as number) * wa +
        (grid[start + b] as number) * wb +
        (grid[start + c] as number) * wc +
        (grid[start + d] as number) * wd;
      into[start + column] = Math.max(value, 0);
    }
  }
  return into;
}
