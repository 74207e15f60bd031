/** How many rows are read at once. */
const windowSize = 100;

/** Returns the tasks after one that may be worked on, in the order of the queue, and then from its beginning. */
export function freeAfter(
  order: readonly string[],
  from: number,
  isFree: (task: string) => boolean,
  most: number,
): string[] {
  const found: string[] = [];
  for (let step = 1; step <= order.length && found.length < most; step++) {
    const at = (from + step) % order.length;
    const task = order[at];
    if (at !== from && task !== undefined && isFree(task)) found.push(task);
  }
  return found;
}

/** Returns the tasks of whole windows around a part of the queue whose rows are not known yet, a list for each window. */
export function missingRows(
  order: readonly string[],
  [first, last]: readonly [number, number],
  isKnown: (task: string) => boolean,
): string[][] {
  const windows: string[][] = [];
  for (let at = Math.floor(Math.max(0, first) / windowSize); at * windowSize <= last; at++) {
    const missing = order.slice(at * windowSize, (at + 1) * windowSize).filter((task) => !isKnown(task));
    if (missing.length > 0) windows.push(missing);
  }
  return windows;
}
