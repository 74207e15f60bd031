import { DateTime, IANAZone } from 'luxon';

/** Parses and formats the service's datetimes (`YYYY-MM-DD hh:mm:ss`, "Conventions") in one zone. */
export interface Datetimes {
  /** Returns undefined when the text is empty, all zeros or not a valid time. */
  parse(text: string): Date | undefined;
  format(date: Date): string;
}

const shape = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/u;
const zero = '0'.charCodeAt(0);
const cacheLimit = 20_000;

/**
 * Takes an IANA name. Throws RangeError when there is no such zone.
 *
 * A results file has a datetime per row, and looking up a zone's offset is the expensive part: it is done once per quarter
 * of an hour, the smallest step in which zones change.
 */
export function createDatetimes(zone: string): Datetimes {
  if (!IANAZone.isValidZone(zone)) throw new RangeError(`no such time zone: ${zone}`);
  const offsets = new Map<number, number>();

  /** Returns the minutes between `local` (a wall clock read as if it were UTC, in ms) and UTC. */
  function offsetAt(local: number): number {
    const quarter = Math.floor(local / 900_000);
    const cached = offsets.get(quarter);
    if (cached !== undefined) return cached;
    const wall = DateTime.fromMillis(quarter * 900_000, { zone: 'utc' });
    const offset = wall.setZone(zone, { keepLocalTime: true }).offset;
    if (offsets.size >= cacheLimit) offsets.clear();
    offsets.set(quarter, offset);
    return offset;
  }

  return {
    parse(text) {
      const written = text.trim();
      if (!shape.test(written)) return undefined;
      // Capture groups would cost more than everything else.
      const two = (at: number) => (written.charCodeAt(at) - zero) * 10 + written.charCodeAt(at + 1) - zero;
      const [year, month, day] = [two(0) * 100 + two(2), two(5), two(8)];
      const [hour, minute, second] = [two(11), two(14), two(17)];
      const local = Date.UTC(year, month - 1, day, hour, minute, second);
      // Date.UTC lets 31 February roll over into March; such a text is not a valid time.
      const date = new Date(local);
      const exists =
        date.getUTCMonth() === month - 1 &&
        date.getUTCDate() === day &&
        hour < 24 &&
        minute < 60 &&
        second < 60;
      return exists ? new Date(local - offsetAt(local) * 60_000) : undefined;
    },
    format: (date) => DateTime.fromJSDate(date, { zone }).toFormat('yyyy-MM-dd HH:mm:ss'),
  };
}
