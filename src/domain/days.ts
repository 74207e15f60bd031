import { DateTime } from 'luxon';

/**
 * The span from the first moment of one day to the last second of another, as the marketplace's filters by date take
 * it. @param from, to `YYYY-MM-DD`, in `zone` (IANA); what is absent or no day is left open
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
