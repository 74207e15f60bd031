import type { Evidence } from './evidence.ts';

/**
 * Returns the number of decisions that people are told were lost with Redis: in Home, while Redis has that information, and
 * in the account's channel, once per loss.
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

/** Matches the lines about records that were lost with Redis. */
export const lostLine = /^.*(database was (emptied|set back)|lost together with a part of the database).*$/m;
