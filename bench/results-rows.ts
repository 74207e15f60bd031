import type { Rating } from '../src/domain/terms.ts';

/** The browser of every worker. */
export const agent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Gecko/20100101 Chrome/130.0 Safari/537.36 of some length';

/** Returns the id of a task in the benchmarks' campaigns. */
export const idOf = (index: number) => (0x5f3a0000000 + index * 0x1d).toString(16);

/** Returns the rating of a task: as in large campaigns, most are rated; one in seven waits. */
export function ratingOf(index: number): Rating {
  if (index % 7 === 0) return 'NOTRATED';
  return index % 11 === 0 ? 'NOK' : index % 23 === 0 ? 'REVISE' : 'OK';
}
