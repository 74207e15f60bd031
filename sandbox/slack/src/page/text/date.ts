/**
 * Slack's date format (`<!date^seconds^Posted {date_short} at {time}|fallback>`) for a reader in one time zone.
 * Tokens: https://docs.slack.dev/messaging/formatting-message-text#date-formatting
 */

/**
 * Replaces each `{token}` of the format. Unknown tokens stay as they are. `Today` and its like are capitalized only at
 * the beginning of the format.
 */
export function formatDate(format: string, seconds: number, zone: string, now: Date = new Date()): string {
  const date = new Date(seconds * 1000);
  return format.replace(/\{(\w+)\}/g, (whole, token: string, at: number) => {
    if (token.endsWith('_pretty')) {
      const near = nearDay(date, zone, now);
      if (near !== undefined) return at === 0 ? near : near.toLowerCase();
      return formatToken(token.replace('_pretty', ''), date, zone, now) ?? whole;
    }
    return formatToken(token, date, zone, now) ?? whole;
  });
}

/** Returns the time of day as shown beside a message: `6:39 AM`. */
export function formatTime(date: Date, zone: string): string {
  return parts(date, zone, { hour: 'numeric', minute: '2-digit' });
}

/** Returns the local time in a zone in the format of datetime inputs: `2026-12-24T17:30`. */
export function wallTime(seconds: number, zone: string): string {
  const format = formatFor('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  return format.format(new Date(seconds * 1000)).replace(' ', 'T');
}

/** Returns the seconds of such a local time. A time skipped by a clock change counts as one hour later. */
export function fromWallTime(text: string, zone: string): number {
  const wanted = Date.parse(`${text}Z`) / 1000;
  const shown = (seconds: number): number => Date.parse(`${wallTime(seconds, zone)}Z`) / 1000;
  const first = wanted - (shown(wanted) - wanted);
  // The offset at that time may differ from the one at the first guess.
  return first - (shown(first) - wanted);
}

const dayNamesOf = new Map<string, { today: string; nameOf: (ts: string) => string }>();

/** Returns a function that names a timestamp's day. It is cached per zone until the day ends there. */
export function dayNames(zone: string): (ts: string) => string {
  const today = dayNumber(new Date(), zone);
  const known = dayNamesOf.get(zone);
  if (known?.today === today) return known.nameOf;
  const nameOf = createDayNames(zone);
  dayNamesOf.set(zone, { today, nameOf });
  return nameOf;
}

/** Returns a function that names days, cached per quarter of an hour: in every zone, days begin at one. */
function createDayNames(zone: string): (ts: string) => string {
  const known = new Map<number, string>();
  return (ts) => {
    const quarter = Math.floor(Number(ts) / 900);
    const name = known.get(quarter) ?? formatDate('{date_long_pretty}', quarter * 900, zone);
    known.set(quarter, name);
    return name;
  };
}

function formatToken(token: string, date: Date, zone: string, now: Date): string | undefined {
  switch (token) {
    case 'date_num':
      return dayNumber(date, zone);
    case 'date_slash':
      return parts(date, zone, { year: 'numeric', month: '2-digit', day: '2-digit' });
    case 'date':
      return withOrdinal(parts(date, zone, { month: 'long', day: 'numeric', year: 'numeric' }));
    case 'date_short':
      return parts(date, zone, { month: 'short', day: 'numeric', year: 'numeric' });
    case 'date_long':
    case 'date_long_full':
    case 'day_divider':
      return withOrdinal(
        parts(date, zone, { weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' }),
      );
    case 'time':
      return formatTime(date, zone);
    case 'time_secs':
      return parts(date, zone, { hour: 'numeric', minute: '2-digit', second: '2-digit' });
    case 'ago':
      return ago(date, now);
    default:
      return undefined;
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns a cached format, because creating one takes much longer than using it. */
function formatFor(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = locale + JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(key, format);
  return format;
}

function parts(date: Date, zone: string, options: Intl.DateTimeFormatOptions): string {
  return formatFor('en-US', { timeZone: zone, ...options }).format(date);
}

/** Returns the date in the zone, as `2026-11-20`. */
function dayNumber(date: Date, zone: string): string {
  return formatFor('en-CA', { timeZone: zone }).format(date);
}

const ordinals = new Intl.PluralRules('en-US', { type: 'ordinal' });
const distances = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' });

/** February 18, 2014 → February 18th, 2014 */
function withOrdinal(text: string): string {
  return text.replace(/(\d+),/, (_, day: string) => {
    const rule = ordinals.select(Number(day));
    return `${day}${{ one: 'st', two: 'nd', few: 'rd', other: 'th', many: 'th', zero: 'th' }[rule]},`;
  });
}

function nearDay(date: Date, zone: string, now: Date): string | undefined {
  const dayMs = 86_400_000;
  const day = dayNumber(date, zone);
  if (day === dayNumber(now, zone)) return 'Today';
  if (day === dayNumber(new Date(now.getTime() - dayMs), zone)) return 'Yesterday';
  if (day === dayNumber(new Date(now.getTime() + dayMs), zone)) return 'Tomorrow';
  return undefined;
}

function ago(date: Date, now: Date): string {
  const format = distances;
  const seconds = (date.getTime() - now.getTime()) / 1000;
  const size = Math.abs(seconds);
  if (size < 60) return format.format(Math.round(seconds), 'second');
  if (size < 3_600) return format.format(Math.round(seconds / 60), 'minute');
  if (size < 86_400) return format.format(Math.round(seconds / 3_600), 'hour');
  return format.format(Math.round(seconds / 86_400), 'day');
}
