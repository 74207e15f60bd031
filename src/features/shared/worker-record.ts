import type { ShownRecord } from '../../domain/worker.ts';

/** Returns a worker's record in one line; undefined if none of their tasks has been seen. */
export function workerRecordLine({ counts, campaigns, here }: ShownRecord): string | undefined {
  if (campaigns === 0) return undefined;
  const facts: readonly (readonly [count: number, words: string])[] = [
    [counts.OK, 'OK'],
    [counts.NOK, 'NOK'],
    [counts.REVISE, 'to be corrected'],
    [counts.NOTRATED, 'waiting'],
    [counts.NOTREVIEWED, 'not reviewed yet'],
    [campaigns, campaigns === 1 ? 'campaign' : 'campaigns'],
  ];
  const line = counted(facts).join(' · ');
  if (here === undefined) return line;
  const rated = ratedWords(here);
  return `${line}, here ${rated === '' ? 'none rated yet' : rated}`;
}

/** Returns the number of tasks per rating, in words; '' for none. */
export function ratedWords({ OK, NOK, REVISE }: NonNullable<ShownRecord['here']>): string {
  return counted([
    [OK, 'OK'],
    [NOK, 'NOK'],
    [REVISE, 'REVISE'],
  ]).join(', ');
}

function counted(facts: readonly (readonly [count: number, words: string])[]): string[] {
  return facts
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count.toLocaleString('en')} ${words}`);
}
