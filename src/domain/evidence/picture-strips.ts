import { printCells } from './picture-print.ts';

/** Parts of each row of a print; wide, so that crops at the sides matter little. */
export const strips = 4;

/** Returns the mean of each strip of each row, between two columns. */
export function stripsOf(cells: Float64Array, first: number, end: number): Float64Array {
  const width = printCells / strips;
  const means = new Float64Array(printCells * strips);
  for (let row = 0; row < printCells; row += 1) {
    for (let strip = 0; strip < strips; strip += 1) {
      const [from, to] = [Math.max(first, strip * width), Math.min(end, (strip + 1) * width)];
      let sum = 0;
      for (let column = from; column < to; column += 1) sum += cells[row * printCells + column] as number;
      means[row * strips + strip] = sum / (to - from);
    }
  }
  return means;
}
