/** How much more or less of a picture another one may show at each side: left and right, top, bottom. */
export const steps = [-0.035, -0.0175, 0, 0.0175, 0.035] as const;
export const topSteps = [-0.0875, -0.07, -0.0525, ...steps, 0.0525, 0.07, 0.0875] as const;

/** How a row or column of a print is read when some of its picture is left out, or added, at its ends. */
export interface Crop {
  /** Which cells of the print each cell is made of, four each, and the weight of each of these. */
  readonly cells: Int16Array;
  readonly weights: Float64Array;
  /** Those from `first` to before `end` are in the picture. */
  readonly first: number;
  readonly end: number;
}

const taps = 4;
/** All that were asked for: they are few, and asked for again and again. */
const known = new Map<number, Crop>();
/** Crops are told apart by ten-thousandths of a picture. */
const precision = 10_000;

/** Returns how to read rows or columns, so many of them, that are cropped: a share at either end, negative where there is more. */
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
    // A cubic curve: a straight line between two cells would be smoother than what it is compared with.
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

/** Reads the rows of a grid as they are cropped; those beside the picture are left as they are. Returns `into`. */
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

/** Reads the columns of a grid, which has as many rows, as they are cropped. Returns `into`. */
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
