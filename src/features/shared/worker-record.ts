import type { ShownRecord } from '../../domain/worker.ts';

/** Returns a worker's record in one line; undefined when no task of theirs has been seen. */
export function workerRecordLine({ counts, campaigns }: ShownRecord): string | undefined {
  if (campaigns === 0) return undefined;
  const facts: readonly (readonly [count: number, words: string])[] = [
    [counts.OK, 'OK'],
    [counts.NOK, 'NOK'],
    [counts.REVISE, 'to be corrected'],
    [counts.NOTRATED, 'waiting'],
    [counts.NOTREVIEWED, 'not reviewed yet'],
    [campaigns, campaigns === 1 ? 'campaign' : 'campaigns'],
  ];
  return facts
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count.toLocaleString('en')} ${words}`)
    .join(' · ');
}
