import { once } from '../once.ts';
import { countries } from './countries.ts';

/** Maximum speed of a traveler (km/h), from border to border. */
const fastest = 1_000;
/** Countries closer to each other than this (km) are crossed by commuters, and by networks at the border. */
const leastKm = 300;
const earthKm = 6_371;

/** A worker in two countries within an impossible travel time. */
export interface Travel {
  /** Straight-line distance between the borders. */
  readonly km: number;
  readonly minutes: number;
}

/** Where and when a worker was, as recorded with a task. */
export interface Whereabouts {
  readonly country: string;
  /** Milliseconds since 1970; absent if unknown. */
  readonly at?: number | undefined;
}

const names = once(() => new Intl.DisplayNames(['en'], { type: 'region' }));
/** Alternative country names. */
const otherNames: readonly (readonly [name: string, code: string])[] = [
  ['Czech Republic', 'CZ'],
  ['Macedonia', 'MK'],
  ['Turkey', 'TR'],
  ['Burma', 'MM'],
  ['Ivory Coast', 'CI'],
  ['Russian Federation', 'RU'],
  ['Korea, Republic of', 'KR'],
  ['UAE', 'AE'],
  ['USA', 'US'],
  ['Great Britain', 'GB'],
  ['UK', 'GB'],
];
const codes = once(() => {
  const namesOfCodes = Object.keys(countries).map((code) => [names().of(code) ?? code, code] as const);
  return new Map([...namesOfCodes, ...otherNames].map(([name, code]) => [nameKey(name), code]));
});

function nameKey(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[^a-z]/giu, '')
    .toLowerCase();
}

/** Returns the code of a country given by code or English name; undefined if unknown. */
export function countryCode(country: string): string | undefined {
  const code = country.trim().toUpperCase();
  return Object.hasOwn(countries, code) ? code : codes().get(nameKey(country));
}

/** Returns a country's display name, given by name or code; unknown texts are returned unchanged. */
export function countryName(country: string): string {
  const code = countryCode(country);
  return code === undefined ? country : (names().of(code) ?? country);
}

/** Returns the impossible travel between two places and times; undefined if it was possible. */
export function impossibleTravel(one: Whereabouts, other: Whereabouts): Travel | undefined {
  const [from, to] = [countryCode(one.country), countryCode(other.country)];
  if (from === undefined || to === undefined || from === to) return undefined;
  if (one.at === undefined || other.at === undefined) return undefined;
  const km = gapBetween(from, to);
  const minutes = Math.abs(one.at - other.at) / 60_000;
  return km >= leastKm && minutes < (km / fastest) * 60
    ? { km: Math.round(km), minutes: Math.round(minutes) }
    : undefined;
}

/** Returns the minimum distance between two countries (km): between their centers, less both radii. */
export function gapBetween(from: string, to: string): number {
  const [one, other] = [countries[from], countries[to]];
  if (one === undefined || other === undefined) return 0;
  return Math.max(0, distance(one, other) - one[2] - other[2]);
}

type Place = readonly [latitude: number, longitude: number, reach: number];

function distance([lat1, lon1]: Place, [lat2, lon2]: Place): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const half =
    Math.sin(radians(lat2 - lat1) / 2) ** 2 +
    Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * Math.sin(radians(lon2 - lon1) / 2) ** 2;
  return 2 * earthKm * Math.asin(Math.sqrt(Math.min(1, half)));
}
