import { once } from '../collections.ts';

/** A worker in two countries within so many minutes is told. */
const mostMinutes = 60;

/** A worker in two countries within minutes. */
export interface Travel {
  /** The codes of the countries, sorted. */
  readonly countries: readonly [string, string];
  readonly minutes: number;
}

/** Where and when a worker was, as recorded with a task. */
export interface Whereabouts {
  readonly country: string;
  /** Milliseconds since 1970; absent if unknown. */
  readonly at?: number | undefined;
}

const names = once(() => new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' }));
/** Alternative country names. */
const otherNames: readonly (readonly [name: string, code: string])[] = [
  ['Burma', 'MM'],
  ['Czech Republic', 'CZ'],
  ['Great Britain', 'GB'],
  ['Ivory Coast', 'CI'],
  ['Korea, Republic of', 'KR'],
  ['Macedonia', 'MK'],
  ['Russian Federation', 'RU'],
  ['Turkey', 'TR'],
  ['UAE', 'AE'],
  ['USA', 'US'],
];
const codes = once(() => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const known = letters.flatMap((one) => letters.map((other) => codeIn(one + other) ?? ''));
  const named = [...new Set(known)].map((code) => [nameOf(code) ?? '', code] as const);
  return new Map([...named, ...otherNames].map(([name, code]) => [nameKey(name), code]));
});

const nameOf = (code: string) => (code === '' ? undefined : names().of(code));

/** Returns a text of two letters as the current code of a country: `GB` for `UK`. Undefined if it is none. */
function codeIn(text: string): string | undefined {
  if (!/^[A-Z]{2}$/u.test(text) || text === 'ZZ' || nameOf(text) === undefined) return undefined;
  return new Intl.Locale(`und-${text}`).region;
}

function nameKey(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[^a-z]/giu, '')
    .toLowerCase();
}

/** Returns the code of a country given by code or English name; undefined if unknown. */
export function countryCode(country: string): string | undefined {
  const key = nameKey(country);
  return codeIn(country.trim().toUpperCase()) ?? (key === '' ? undefined : codes().get(key));
}

/** Returns a country's display name, given by name or code; unknown texts are returned unchanged. */
export function countryName(country: string): string {
  const code = countryCode(country);
  return code === undefined ? country : (nameOf(code) ?? country);
}

/** Returns the travel between two places and times; undefined if there was time for it, or something is unknown. */
export function quickTravel(one: Whereabouts, other: Whereabouts): Travel | undefined {
  const [from, to] = [countryCode(one.country), countryCode(other.country)];
  if (from === undefined || to === undefined || from === to) return undefined;
  if (one.at === undefined || other.at === undefined) return undefined;
  const minutes = Math.round(Math.abs(one.at - other.at) / 60_000);
  return minutes <= mostMinutes ? { countries: from < to ? [from, to] : [to, from], minutes } : undefined;
}
