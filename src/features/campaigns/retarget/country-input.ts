import { chosenMany, type Values } from '../../../slack/form-values.ts';
import { countryLabel, countryOf, isUnlistedCode, suggestCountry } from '../countries.ts';
import type { Countries } from '../targeting.ts';

/** The inputs of the form. */
export const includeInput = 'include';
export const excludeInput = 'exclude';

/** Errors per list of countries, in plain text; absent if valid. */
export interface CountryProblems {
  readonly include?: string;
  readonly exclude?: string;
}

/** Section 11 of the marketplace API: at most 10 entries may be excludes. */
export const maxExcludes = 10;

/** Returns the countries chosen in the form. */
export function countriesIn(values: Values): Countries {
  return { include: chosenMany(values, includeInput), exclude: chosenMany(values, excludeInput) };
}

/**
 * Parses `US GB -IN`, also with commas. An exclude starts with a minus (or a keyboard's variant of it), or with the
 * marketplace's own mark.
 */
export function parseCountries(text: string, excludeMark: string): Countries {
  const include: string[] = [];
  const exclude: string[] = [];
  const marks = [...new Set(['-', '–', '−', excludeMark])].filter((mark) => mark !== '');
  for (const word of text.split(/[\s,;]+/u).filter((part) => part !== '')) {
    const mark = marks.find((one) => word.startsWith(one));
    if (mark === undefined) include.push(word.toUpperCase());
    else exclude.push(word.slice(mark.length).toUpperCase());
  }
  return { include: [...new Set(include)], exclude: [...new Set(exclude)] };
}

/**
 * Validates the rules by which the marketplace would refuse a change (section 11) before anything is sent. A well-formed
 * code that is only missing from our list is accepted: the marketplace decides, and {@link unlistedNote} warns about it.
 */
export function validateCountries({ include, exclude }: Countries): CountryProblems {
  const both = exclude.filter((code) => include.includes(code));
  const includeProblem =
    malformedCodes(include) ??
    (include.length === 0 ? 'No country is included. Include at least one.' : undefined);
  const excludeProblem =
    malformedCodes(exclude) ??
    (exclude.length > maxExcludes
      ? `${exclude.length} countries are excluded. Exclude at most ${maxExcludes}.`
      : both.length > 0
        ? `${both.map(countryLabel).join(', ')} cannot be both included and excluded. Remove ${both.length === 1 ? 'it' : 'them'} from one of the two.`
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
  const suggestion = suggestCountry(first);
  const list = malformed.slice(0, 5).join(', ') + (malformed.length > 5 ? ' and more' : '');
  return `${list === '' ? 'A mark without a code' : list} ${malformed.length === 1 ? 'is not a country code' : 'are not country codes'}. ${
    suggestion === undefined
      ? 'Use two-letter codes, such as US.'
      : `Did you mean ${suggestion.code} (${suggestion.name})?`
  }`;
}

/** Returns the well-formed codes missing from our list. */
export function unlistedCodes({ include, exclude }: Countries): string[] {
  return [...include, ...exclude].filter(isUnlistedCode);
}

/** Returns a warning about unlisted codes, to follow another sentence; empty if there are none. */
export function unlistedNote(countries: Countries): string {
  const codes = unlistedCodes(countries);
  if (codes.length === 0) return '';
  const [are, they] = codes.length === 1 ? ['is', 'it is'] : ['are', 'they are'];
  return ` ${codes.join(', ')} ${are} not in Proofdesk’s list of country codes. Check that ${they} what you meant.`;
}
