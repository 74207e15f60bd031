/**
 * Where the API's description is silent, and what this client does there. Each choice is named after its question and
 * stands here alone; what is a matter of configuration is an option of the client (`keyHeader`, `excludeMark`,
 * `timeZone`, `concurrency`, `requestsPerSecond`).
 */
import type { Verdict } from '../domain/terms.ts';
import type { MarketplaceErrorCode } from './error-texts.ts';
import type { Targeting } from './types.ts';

/** Which header carries the key? Its real name holds the operator's brand at the place of the word Service. */
export const whichHeaderCarriesTheKey = 'ServiceApiKey';

/** In which zone are datetimes written? */
export const whichTimeZone = 'UTC';

/** How is an excluded country marked in `countries[]`? As a prefix of its code. */
export const howIsAnExcludeMarked = '-';

/** How many requests does the service bear? Unknown, so few. */
export const howManyRequestsAtOnce = 4;
export const howManyRequestsPerSecond = 10;

/** How long to wait after a 429 that does not say? */
export const howLongIsA429WithoutRetryAfterMs = 1000;

/** Which rating may rate_task carry? Its field table allows REVISE and one of its errors forbids it. */
export function mayGoThroughRateTask(verdict: Verdict): boolean {
  return verdict !== 'REVISE';
}

/** Which refusal of a list only says that it is empty? */
export function isAnEmptyList(code: MarketplaceErrorCode): boolean {
  return code === 'NO_CAMPAIGNS' || code === 'NO_MESSAGES' || code === 'NO_CATEGORIES';
}

/** Which HTTP status alone says that the key is wrong, when the body says nothing? A 403 may come from a proxy. */
export function doesTheStatusSayTheKeyIsWrong(status: number): boolean {
  return status === 401;
}

/**
 * Which HTTP status without the service's own shape says that a write was turned away before anything was done? Those
 * that speak of the request itself. A 5xx, a 408 or a redirect after a form may come after the change.
 */
export function wasItTurnedAwayUnread(status: number): boolean {
  return [301, 307, 308, 401, 403, 404, 405, 411, 413, 414, 415, 429, 431].includes(status);
}

/** Countries as `countries[]` wants them: upper-case codes, excludes with the mark before them. */
export function encodeTargeting(targeting: Targeting, mark: string): string[] {
  const code = (country: string) => country.trim().toUpperCase();
  return [...targeting.include.map(code), ...targeting.exclude.map((country) => mark + code(country))];
}

/** The other way round, for `retargeted`. */
export function decodeTargeting(countries: readonly string[], mark: string): Targeting {
  const include: string[] = [];
  const exclude: string[] = [];
  for (const country of countries) {
    if (country.startsWith(mark)) exclude.push(country.slice(mark.length));
    else include.push(country);
  }
  return { include, exclude };
}

/** How does NEXT RETARGET write its timestamp? As a datetime, or as epoch seconds (milliseconds when that long). */
export function readRetargetTimestamp(
  text: string,
  parseDatetime: (text: string) => Date | undefined,
): Date | undefined {
  if (!/^\d{9,13}$/u.test(text)) return parseDatetime(text);
  return new Date(Number(text) * (text.length > 11 ? 1 : 1000));
}

/** How is `<list cc>` separated? By anything that is not part of a code. */
export function readCountryList(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((code) => code !== '');
}

/**
 * How is a file told from an error in download_file_proof? A file comes "under its original file name", so with a
 * Content-Disposition. Without one, a body of these types is looked at before it is handed on.
 */
export function mightBeAnError(contentType: string, disposition: string | undefined): boolean {
  return disposition === undefined && (contentType === '' || /json|text\//iu.test(contentType));
}

/** What is the datetime of creation called in a campaign summary? The description writes a 9 behind it. */
export const whatIsTheCreationFieldCalled = ['created_datetime9', 'created_datetime'] as const;
