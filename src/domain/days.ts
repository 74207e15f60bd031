import { DateTime } from 'luxon';

/**
 * Returns the span from the start of one day to the last second of another, for the marketplace's date filters.
 * @param from `YYYY-MM-DD`; if absent or invalid, the span is open at this end
 * @param to like `from`
 * @param zone the IANA zone of the days
 */
export function daysSpan(
  from: string | undefined,
  to: string | undefined,
  zone: string,
): { readonly from?: Date; readonly to?: Date } {
  const first = day(from, zone)?.startOf('day');
  const last = day(to, zone)?.endOf('day').startOf('second');
  return { ...(first ? { from: first.toJSDate() } : {}), ...(last ? { to: last.toJSDate() } : {}) };
}

function day(text: string | undefined, zone: string): DateTime | undefined {
  const read = text === undefined ? undefined : DateTime.fromISO(text, { zone });
  return read?.isValid ? read : undefined;
}

/** Returns the day of a time (ms) in a zone, as `YYYY-MM-DD`. */
export function dayIn(at: number, zone: string): string {
  return DateTime.fromMillis(at, { zone }).toFormat('yyyy-MM-dd');
}
