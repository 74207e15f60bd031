import type { Evidence } from './evidence.ts';

/** Returns how many decisions people are told were lost together with Redis. */
export function toldAsLost(homes: Evidence['homes']): number {
  const counts = homes.map(({ text }) => {
    const line = lostLine.exec(text)?.[0] ?? '';
    return line.includes('One decision was lost')
      ? 1
      : Number(/(\d+) decisions were lost/.exec(line)?.[1] ?? 0);
  });
  return Math.max(0, ...counts);
}

/** What Home says of records that were lost together with Redis. */
export const lostLine = /^.*(database was (emptied|set back)|lost together with a part of the database).*$/m;
