import type { Evidence } from './evidence.ts';

/**
 * Returns how many decisions people are told were lost together with Redis: in Home, as long as Redis knows of it, and in the
 * account's channel, once for each loss.
 */
export function toldAsLost({ homes, view }: Pick<Evidence, 'homes' | 'view'>): number {
  const posted = [...view.notices.values()].map(({ text }) => lostIn(text));
  return Math.max(
    posted.reduce((sum, count) => sum + count, 0),
    ...homes.map(({ text }) => lostIn(text)),
  );
}

function lostIn(text: string): number {
  const line = lostLine.exec(text)?.[0] ?? '';
  return line.includes('One decision was lost')
    ? 1
    : Number(/(\d+) decisions were lost/.exec(line)?.[1] ?? 0);
}

/** What is said of records that were lost together with Redis. */
export const lostLine = /^.*(database was (emptied|set back)|lost together with a part of the database).*$/m;
