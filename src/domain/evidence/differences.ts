import { normalizeText } from './texts.ts';

/** A piece of a text, of one or more words, and whether the other text lacks it. */
export interface MarkedPiece {
  readonly text: string;
  readonly isDifferent: boolean;
}

/** Maximum number of words compared per text; the rest is ignored. */
export const mostWords = 150;

/**
 * Returns two texts with their differences marked, word by word (longest common subsequence). Words that differ only
 * invisibly are equal.
 */
export function markDifferences(one: string, other: string): readonly [MarkedPiece[], MarkedPiece[]] {
  const [left, right] = [wordsOf(one), wordsOf(other)];
  const [leftKeys, rightKeys] = [left, right].map((words) =>
    words.map((word) => normalizeText(word) || word),
  ) as [string[], string[]];
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  const at = (row: number, column: number) => lengths[row]?.[column] ?? 0;
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      const isSame = leftKeys[row] === rightKeys[column];
      const length = isSame
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
      const line = lengths[row];
      if (line) line[column] = length;
    }
  }
  const common = { left: new Set<number>(), right: new Set<number>() };
  let [row, column] = [0, 0];
  while (row < left.length && column < right.length) {
    if (leftKeys[row] === rightKeys[column]) {
      common.left.add(row);
      common.right.add(column);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return [piecesOf(left, common.left), piecesOf(right, common.right)];
}

function wordsOf(text: string): string[] {
  return text
    .split(/\s+/u)
    .filter((word) => word !== '')
    .slice(0, mostWords);
}

/** Joins neighboring words with equal marks. */
function piecesOf(words: readonly string[], common: ReadonlySet<number>): MarkedPiece[] {
  const pieces: { text: string; isDifferent: boolean }[] = [];
  for (const [index, word] of words.entries()) {
    const isDifferent = !common.has(index);
    const last = pieces.at(-1);
    if (last?.isDifferent === isDifferent) last.text += ` ${word}`;
    else pieces.push({ text: word, isDifferent });
  }
  return pieces;
}
