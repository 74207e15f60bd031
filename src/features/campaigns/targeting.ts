import type { Campaign } from '../../domain/campaign.ts';
import { countryLabel, countryOf, isUnlistedCode, meantBy } from './countries.ts';

/** Country codes, includes and excludes apart, as a retarget sends them. */
export interface Countries {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** What is wrong with each, in plain text; neither: nothing is. */
export interface CountryProblems {
  readonly include?: string;
  readonly exclude?: string;
}

/** Section 11 of the marketplace API: at most 10 entries may be excludes. */
export const mostExcludes = 10;

/**
 * Reads `US GB -IN`, also with commas. An exclude has a minus before it (or what keyboards make of one), or the mark
 * that the marketplace itself wants.
 */
export function readCountries(words: string, excludeMark: string): Countries {
  const include: string[] = [];
  const exclude: string[] = [];
  const marks = [...new Set(['-', '–', '−', excludeMark])].filter((mark) => mark !== '');
  for (const word of words.split(/[\s,;]+/u).filter((part) => part !== '')) {
    const mark = marks.find((known) => word.startsWith(known));
    if (mark === undefined) include.push(word.toUpperCase());
    else exclude.push(word.slice(mark.length).toUpperCase());
  }
  return { include: [...new Set(include)], exclude: [...new Set(exclude)] };
}

/**
 * Checks what the marketplace would refuse (the rules of section 11) before anything is sent. A well-formed code that
 * is only missing from our list is no problem: the marketplace decides, and {@link unlistedNote} warns about it.
 */
export function problemsOf({ include, exclude }: Countries): CountryProblems {
  const wrongInclude = malformedCodes(include);
  const wrongExclude = malformedCodes(exclude);
  const both = exclude.filter((code) => include.includes(code));
  const includeProblem =
    wrongInclude ?? (include.length === 0 ? 'No country is included. Include at least one.' : undefined);
  const excludeProblem =
    wrongExclude ??
    (exclude.length > mostExcludes
      ? `${exclude.length} countries are excluded. Exclude ${mostExcludes} at the most.`
      : both.length > 0
        ? `${both.map(countryLabel).join(', ')} cannot be included and excluded at once. Take it out of one of the two.`
        : undefined);
  return {
    ...(includeProblem === undefined ? {} : { include: includeProblem }),
    ...(excludeProblem === undefined ? {} : { exclude: excludeProblem }),
  };
}

function malformedCodes(codes: readonly string[]): string | undefined {
  const malformed = codes.filter((code) => countryOf(code) === undefined && !isUnlistedCode(code));
  const [first] = malformed;
  if (first === undefined) return undefined;
  const meant = meantBy(first);
  const list = malformed.slice(0, 5).join(', ') + (malformed.length > 5 ? ' and more' : '');
  return `${list === '' ? 'An empty word' : list} ${malformed.length === 1 ? 'is no country code' : 'are no country codes'}. ${
    meant === undefined
      ? 'Use codes of two letters, such as US.'
      : `Did you mean ${meant.code} (${meant.name})?`
  }`;
}

/** Returns the codes that are well-formed but missing from our list. */
export function unlistedCodes({ include, exclude }: Countries): string[] {
  return [...include, ...exclude].filter(isUnlistedCode);
}

/** Returns a warning about codes that our list lacks, to follow another sentence; empty when there are none. */
export function unlistedNote(countries: Countries): string {
  const codes = unlistedCodes(countries);
  if (codes.length === 0) return '';
  const [are, they] = codes.length === 1 ? ['is', 'it is'] : ['are', 'they are'];
  return ` ${codes.join(', ')} ${are} not in Proofdesk’s list of country codes. Check that ${they} what you meant.`;
}

/**
 * The countries that a campaign has now, as far as they can be told: the marketplace describes them as text for people
 * ("for example a zone or country designation"), which may happen to be a list of codes.
 */
export function currentCountries(campaign: Campaign): Countries {
  return { include: codesIn(campaign.targetedCountries), exclude: codesIn(campaign.excludedCountries) };
}

function codesIn(text: string): string[] {
  const words = text.split(/[\s,;|]+/u).filter((word) => word !== '');
  const isList =
    words.every((word) => countryOf(word) !== undefined || isUnlistedCode(word)) &&
    words.some((word) => countryOf(word) !== undefined);
  return isList ? [...new Set(words)] : [];
}
