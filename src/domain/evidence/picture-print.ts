/*
 * The print of a picture, in 200 bytes: 20 by 20 cells of 16 shades. Computed without the picture's borders and status
 * bar, so that copies of one picture have nearly the same print.
 */

/** Cells of a print in each direction. */
export const printCells = 20;
/** Shades of a cell. */
const shades = 16;
/** Maximum difference between pixels of a row or column of one shade, except for outliers. */
const sameShade = 14;
/** Maximum share of outliers in such a row, left by compression. */
const leastOutliers = 0.012;
/** Share of a picture, at its top, that may be a status bar. */
const statusBar = 0.06;
/** Radius of a cell's window, in cells; nearer pixels weigh more, so that a small shift changes little. */
const reach = 1;
/** Number of pixels into which a border's color bleeds. */
const runsInto = 2;
/** Minimum size of a picture without its borders. */
const leastPixels = 16;
/** Pictures with less contrast are empty. */
const leastContrast = 24;

/** The shades of a picture, 0 to 255, row by row. */
export interface GrayPicture {
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** A part of a picture, from a pixel to before another one. */
interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Returns the print of a picture; undefined if it shows too little to be compared. */
export function printOf(picture: GrayPicture): string | undefined {
  const { left, right, top: upper, bottom } = withoutBorders(picture);
  const top = upper + (bottom - upper) * statusBar;
  if (right - left < leastPixels || bottom - top < leastPixels) return undefined;
  const cells = cellsOf(picture, { left, right, top, bottom });
  const [darkest, lightest] = [Math.min(...cells), Math.max(...cells)];
  if (lightest - darkest < leastContrast) return undefined;
  const packed = Buffer.alloc(cells.length / 2);
  for (const [index, cell] of cells.entries()) {
    const shade = Math.round(((cell - darkest) / (lightest - darkest)) * (shades - 1));
    packed[index >> 1] = (packed[index >> 1] ?? 0) | (shade << (index % 2 === 0 ? 4 : 0));
  }
  return packed.toString('base64url');
}

/** Decodes a print's cells, row by row: 0 is the picture's darkest shade. Undefined if the text is no print. */
export function cellsOfPrint(print: string): Float64Array | undefined {
  const packed = Buffer.from(print, 'base64url');
  if (packed.length * 2 !== printCells ** 2) return undefined;
  const cells = new Float64Array(packed.length * 2);
  for (const [index, pair] of packed.entries()) {
    cells[2 * index] = pair >> 4;
    cells[2 * index + 1] = pair & 15;
  }
  return cells;
}

/**
 * Returns a picture's area without its borders: rows and columns of one shade at its edges, removed repeatedly, because
 * a page inside a border may end in blank rows itself. At the top, only the shade of another edge counts as a border: an
 * app's header may start there too, and its extent depends on the crop.
 */
function withoutBorders({ pixels, width, height }: GrayPicture): Area {
  let [left, right, top, bottom] = [0, width, 0, height];
  const line = new Uint8Array(Math.max(width, height));

  function shadeOf(count: number): number | undefined {
    const sorted = line.subarray(0, count).sort();
    const outliers = Math.floor(count * leastOutliers);
    for (let skipped = 0; skipped <= outliers; skipped += 1) {
      const [low = 0, high = 255] = [sorted[skipped], sorted[count - 1 - outliers + skipped]];
      if (high - low <= sameShade) return sorted[count >> 1];
    }
    return undefined;
  }
  const ofRow = (y: number) => {
    line.set(pixels.subarray(y * width + left, y * width + right));
    return shadeOf(right - left);
  };
  const ofColumn = (x: number) => {
    for (let y = top; y < bottom; y += 1) line[y - top] = pixels[y * width + x] ?? 0;
    return shadeOf(bottom - top);
  };
  const isWide = () => right - left > leastPixels;
  const isHigh = () => bottom - top > leastPixels;

  for (let isChanged = true; isChanged; ) {
    const before = { left, right, top, bottom };
    const edges = [ofRow(bottom - 1), ofColumn(left), ofColumn(right - 1)].filter(
      (shade) => shade !== undefined,
    );
    while (isHigh() && ofRow(bottom - 1) !== undefined) bottom -= 1;
    while (isWide() && ofColumn(left) !== undefined) left += 1;
    while (isWide() && ofColumn(right - 1) !== undefined) right -= 1;
    while (isHigh()) {
      const shade = ofRow(top);
      if (shade === undefined || !edges.some((edge) => Math.abs(edge - shade) <= sameShade)) break;
      top += 1;
    }
    isChanged = false;
    // A border's color bleeds into the next pixels.
    if (left > before.left) [left, isChanged] = [left + runsInto, true];
    if (right < before.right) [right, isChanged] = [right - runsInto, true];
    if (top > before.top) [top, isChanged] = [top + runsInto, true];
    if (bottom < before.bottom) [bottom, isChanged] = [bottom - runsInto, true];
    if (!isWide() || !isHigh()) break;
  }
  return { left, right, top, bottom };
}

/** Returns the mean shade around the middle of each cell of an area. */
function cellsOf({ pixels, width }: GrayPicture, { left, right, top, bottom }: Area): number[] {
  const columns = weightsOf(left, right);
  const rows = weightsOf(top, bottom);
  const cells: number[] = [];
  for (const row of rows) {
    for (const column of columns) {
      let sum = 0;
      for (const [dy, high] of row.weights.entries()) {
        const start = (row.from + dy) * width + column.from;
        for (const [dx, wide] of column.weights.entries()) sum += (pixels[start + dx] ?? 0) * wide * high;
      }
      cells.push(sum);
    }
  }
  return cells;
}

/** Returns the pixels of each cell between two ends, and their weights, which sum to 1. */
function weightsOf(start: number, end: number): { readonly from: number; readonly weights: number[] }[] {
  const size = (end - start) / printCells;
  return Array.from({ length: printCells }, (_, cell) => {
    const middle = start + (cell + 0.5) * size;
    const from = Math.max(Math.floor(start), Math.floor(middle - reach * size));
    const to = Math.min(Math.ceil(end), Math.ceil(middle + reach * size));
    const weights = Array.from({ length: to - from }, (_weight, index) => {
      const covered = Math.min(end, from + index + 1) - Math.max(start, from + index);
      return Math.max(0, 1 - Math.abs(from + index + 0.5 - middle) / (reach * size)) * covered;
    });
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    return { from, weights: weights.map((weight) => weight / all) };
  });
}
