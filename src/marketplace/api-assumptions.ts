/**
 * This project's assumptions where the description of the marketplace's API leaves a question open: each answer once, so
 * that it can be corrected here when more is known. Every entry names its question and the part of the description that
 * leaves it open. Assumptions that an installation may know better are options of the client (`keyHeader`, `excludeMark`,
 * `timeZone`, `concurrency`, `requestsPerSecond`).
 */
import type { Verdict } from '../domain/terms.ts';
import type { Targeting } from './types.ts';

/**
 * Which header carries the key? *Assumed*: the name as the description prints it, though it says that the real name has the
 * operator's brand in place of the word Service ("Authentication", 1).
 */
export const defaultKeyHeader = 'ServiceApiKey';

/** How is a missing, wrong or disabled key reported? *Assumed*: by these texts, in any shape ("Authentication", 4). */
export const keyErrorTexts = {
  API_KEY_WRONG: 'API KEY WRONG',
  API_NOT_ENABLED: 'API NOT ENABLED',
  API_ACCESS_IP_DENIED: 'API ACCESS IP DENIED',
  API_FUNCTION_DOES_NOT_EXIST: "API FUNCTION DOESN'T EXIST",
} as const;

/**
 * Which HTTP status alone proves that the key is wrong? *Assumed*: 401 only, since a 403 may come from a proxy ("Shape" of
 * errors: the HTTP status codes are not shown).
 */
export function isWrongKeyStatus(status: number): boolean {
  return status === 401;
}

/**
 * Which HTTP status proves, without a body of the service, that a write was rejected before anything was done? *Assumed*:
 * those about the request itself. A 5xx, a 408 or a redirect after a form may follow the change ("Shape" of errors).
 */
export function isRejectedUnprocessed(status: number): boolean {
  return [301, 307, 308, 401, 403, 404, 405, 411, 413, 414, 415, 429, 431].includes(status);
}

/** How many requests does the service take? *Assumed*: few ("Limits": rate limits are not shown). */
export const maxConcurrentRequests = 4;
export const maxRequestsPerSecond = 10;

/** How long is the pause after a 429 without a duration? *Assumed*: a second ("Limits"). */
export const defaultRetryAfterMs = 1000;

/** In which zone are datetimes written? *Assumed*: UTC ("Conventions"). */
export const defaultTimeZone = 'UTC';

/** Which error of a list only means that the list is empty? *Assumed*: these ("Per operation" of the errors). */
export const emptyListCodes = ['NO_CAMPAIGNS', 'NO_MESSAGES', 'NO_CATEGORIES'] as const;

/**
 * Which ratings may rate_task carry? *Assumed*: not REVISE. The field table of section 10 allows it, one of the
 * errors of rate_task forbids it, and "States and transitions" names rate_tasks alone.
 */
export function isAcceptedByRateTask(verdict: Verdict): boolean {
  return verdict !== 'REVISE';
}

/** How is an excluded country marked in `countries[]`? *Assumed*: by a prefix of its code (section 11). */
export const defaultExcludeMark = '-';

/** Writes countries for `countries[]`. *Assumed*: upper-case codes, excludes prefixed with the mark (section 11). */
export function encodeTargeting(targeting: Targeting, mark: string): string[] {
  const code = (country: string) => country.trim().toUpperCase();
  return [...targeting.include.map(code), ...targeting.exclude.map((country) => mark + code(country))];
}

/** Reads `retargeted`. *Assumed*: it has the format of `countries[]` (section 11). */
export function decodeTargeting(countries: readonly string[], mark: string): Targeting {
  const include: string[] = [];
  const exclude: string[] = [];
  for (const country of countries) {
    if (country.startsWith(mark)) exclude.push(country.slice(mark.length));
    else include.push(country);
  }
  return { include, exclude };
}

/**
 * Reads the timestamp of NEXT RETARGET. *Assumed*: a datetime, or epoch seconds ("Per operation" of the errors).
 */
export function parseRetargetTimestamp(
  text: string,
  parseDatetime: (text: string) => Date | undefined,
): Date | undefined {
  return /^\d{10}$/u.test(text) ? new Date(Number(text) * 1000) : parseDatetime(text);
}

/** Splits `<list cc>`. *Assumed*: at anything that is not part of a code ("Per operation" of the errors). */
export function parseCountryList(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((code) => code !== '');
}

/**
 * Returns whether an answer of download_file_proof must be examined before it counts as a file. *Assumed*: a file has a
 * Content-Disposition, being "offered under its original file name" (section 20), and an error is text.
 */
export function mayBeDownloadError(contentType: string, disposition: string | undefined): boolean {
  return disposition === undefined && (contentType === '' || /json|text\//iu.test(contentType));
}

/**
 * Which `status` of file_proof means that the files are in order? *Assumed*: SUCCESS, as everywhere else, NO FILE PROOF
 * where there are none, and no status at all ("Task detail": its values are not described).
 */
export function isFileProofStatusFine(status: string): boolean {
  return ['', 'SUCCESS', 'NO FILE PROOF'].includes(status.trim().toUpperCase().replaceAll('_', ' '));
}

/** What is the creation time called? *Assumed*: as described, or without the odd 9 ("Campaign summary"). */
export function creationTime(createdDatetime9: string, createdDatetime: string): string {
  return createdDatetime9 === '' ? createdDatetime : createdDatetime9;
}

/** What does each value of auto_rate do? *Assumed* (section 1: "Meaning of the auto_rate values: not shown"). */
export const autoRateMeanings = {
  NO: 'People rate every task',
  V: 'Verify a code',
  'V+R': 'Verify a code and rate OK',
} as const;

/**
 * How does a description name a column of the campaign's CSV template? *Assumed*: in double braces, in any case ("Other":
 * the structure of the template is not shown).
 */
export const columnPlaceholder = /\{\{\s*([^{}\n]+?)\s*\}\}/gu;
export const columnPlaceholderExample = '{{column}}';

/**
 * Which `csv_record_nr` does the n-th row of a template have? *Assumed*: n, counted from 1 below the line with the column
 * names ("Task detail": it only says that it is the row's number).
 */
export function templateRowNumber(row: number): string {
  return String(row);
}
