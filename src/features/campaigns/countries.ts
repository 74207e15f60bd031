import type { Campaign } from '../../domain/campaign.ts';
import { once } from '../../domain/collections.ts';
import { limits } from '../../slack/blocks.ts';
import { chosenMany, type Values } from '../../slack/form-values.ts';
import { inline } from '../../slack/mrkdwn.ts';

/** Country codes: ISO 3166-1 alpha-2, with names from the runtime's locale data. */
const codes = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO ' +
  'FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE ' +
  'JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO ' +
  'MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW ' +
  'PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM ' +
  'TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
).split(' ');

/** Codes commonly written for a country with another code. */
const commonMistakes: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR', EN: 'GB' };

interface Country {
  readonly code: string;
  readonly name: string;
}

/**
 * Returns every country, by name. Names need no escaping: the few with `&` are written out. Naming and sorting them
 * takes as long as loading fifty modules, so it is done on first use.
 */
const countries: () => readonly Country[] = once(() => {
  const names = new Intl.DisplayNames(['en'], { type: 'region' });
  return codes
    .map((code) => ({ code, name: (names.of(code) ?? code).replaceAll('&', 'and') }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
});

const byCode = once(() => new Map(countries().map((country) => [country.code, country])));

/** Returns whether a text has the form of a country code and is not a common mistake for one. */
const isCode = (text: string): boolean => /^[A-Z]{2}$/u.test(text) && commonMistakes[text] === undefined;

/** Returns whether a text may be a country code missing from this list, such as XK. */
export function isUnlistedCode(text: string): boolean {
  return isCode(text) && !byCode().has(text);
}

/** Returns `Germany (DE)`; an unknown code unchanged. */
export function countryLabel(code: string): string {
  const name = byCode().get(code)?.name;
  return name === undefined ? code : `${name} (${code})`;
}

/** Returns the country a wrong code probably means: a common mistake, or a country's name. */
function suggestCountry(word: string): Country | undefined {
  const code = commonMistakes[word];
  const wanted = normalized(word);
  return code === undefined
    ? countries().find(({ name }) => normalized(name) === wanted)
    : byCode().get(code);
}

/** Returns countries whose name contains the text or whose code begins with it, best match first. */
export function searchCountries(text: string): Country[] {
  const wanted = normalized(text);
  const rank = ({ code, name }: Country) => {
    const [known, plain] = [code.toLowerCase(), normalized(name)];
    const isWithin = plain.includes(wanted) || known.startsWith(wanted);
    return [known === wanted, plain.startsWith(wanted), isWithin].indexOf(true);
  };
  return countries()
    .map((country) => ({ country, order: rank(country) }))
    .filter(({ order }) => order >= 0)
    .sort((a, b) => a.order - b.order)
    .map(({ country }) => country);
}

/** Removes accents and case, so that `cote d'ivoire` finds `Côte d’Ivoire`. */
function normalized(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('’', "'").trim().toLowerCase();
}

/** Country codes of a retarget, separated into includes and excludes. */
export interface Countries {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Longer lists are shown as codes. */
const maxNamed = 12;

/** Returns the audit fields of a country change: the marketplace's own description before, and the codes after. */
export function retargetEntry(
  { id, targetedCountries, excludedCountries }: Campaign,
  { include, exclude }: Countries,
) {
  const text = (included: string, excluded: string) =>
    [included, ...(excluded === '' ? [] : [`except ${excluded}`])].join(' ');
  return {
    what: 'retarget',
    campaign: id,
    before: text(targetedCountries, excludedCountries),
    after: text(include.join(' '), exclude.join(' ')),
  } as const;
}

/**
 * Returns a campaign's current countries, as far as they can be parsed and a select can show them: the marketplace describes
 * them as text for people ("for example a zone or country designation"), which may happen to be a list of codes.
 */
export function currentCountries(campaign: Campaign): Countries {
  return { include: codesIn(campaign.targetedCountries), exclude: codesIn(campaign.excludedCountries) };
}

function codesIn(text: string): string[] {
  const words = [...new Set(text.split(/[\s,;|]+/u).filter((word) => word !== ''))];
  const isList = words.every(isCode) && words.some((word) => byCode().has(word));
  return isList && words.length <= limits.options ? words : [];
}

/** Returns a campaign's countries on one line: by name if they are few, else as the marketplace describes them. */
export function targetingLine(campaign: Campaign): string {
  const { include, exclude } = currentCountries(campaign);
  const included = described(campaign.targetedCountries, include, 600);
  const excluded = described(campaign.excludedCountries, exclude, 300);
  return `Countries: ${included === '' ? 'not restricted' : included}${excluded === '' ? '' : `, except ${excluded}`}`;
}

function described(text: string, codes: readonly string[], max: number): string {
  if (codes.length > 0 && codes.length <= maxNamed) return named(codes, maxNamed);
  if (text === internationalZone) return zoneName(internationalZone);
  // Adds space where the line may break.
  return inline(text.replace(/,\s*/gu, ', '), max);
}

/** The only zone to which the marketplace gives a name. A campaign may be described by its zone. */
const internationalZone = 'int';

/** Returns a zone's name, in mrkdwn. */
export function zoneName(zone: string): string {
  return zone === internationalZone ? 'International zone' : `zone ${inline(zone, 40)}`;
}

/** Returns `Germany (DE), France (FR), except Malta (MT)`, in mrkdwn: up to 40 in each part. */
export function countriesText({ include, exclude }: Countries): string {
  return `${named(include, 40)}${exclude.length === 0 ? '' : `, except ${named(exclude, 40)}`}`;
}

function named(codes: readonly string[], max: number): string {
  // A code without a name came from elsewhere, and may be any text.
  const shown = codes.slice(0, max).map((one) => (byCode().has(one) ? countryLabel(one) : inline(one, 40)));
  return shown.join(', ') + (codes.length > max ? ` and ${codes.length - max} more` : '');
}

/** The inputs of the form. */
export const includeInput = 'include';
export const excludeInput = 'exclude';

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
  const include = new Set<string>();
  const exclude = new Set<string>();
  const marks = ['-', '–', '−', excludeMark].filter((mark) => mark !== '');
  for (const word of text
    .toUpperCase()
    .split(/[\s,;]+/u)
    .filter((part) => part !== '')) {
    const mark = marks.find((one) => word.startsWith(one.toUpperCase()));
    if (mark === undefined) include.add(word);
    else exclude.add(word.slice(mark.length));
  }
  return { include: [...include], exclude: [...exclude] };
}

/**
 * Validates the rules by which the marketplace would refuse a change (section 11) before anything is sent. A well-formed
 * code that is only missing from our list is accepted: the marketplace decides. Returns errors by input, in plain text.
 */
export function validateCountries({ include, exclude }: Countries): Readonly<Record<string, string>> {
  const both = exclude.filter((code) => include.includes(code));
  const noneIncluded = include.length === 0 && 'No country is included. Include at least one.';
  const tooMany =
    exclude.length > maxExcludes &&
    `${exclude.length} countries are excluded. Exclude at most ${maxExcludes}.`;
  const inBoth =
    both.length > 0 &&
    `${both.map(countryLabel).join(', ')} cannot be both included and excluded. Remove ${both.length === 1 ? 'it' : 'them'} from one of the two.`;
  const includeProblem = malformedCodes(include) || noneIncluded;
  const excludeProblem = malformedCodes(exclude) || tooMany || inBoth;
  return {
    ...(includeProblem ? { [includeInput]: includeProblem } : {}),
    ...(excludeProblem ? { [excludeInput]: excludeProblem } : {}),
  };
}

function malformedCodes(codes: readonly string[]): string | undefined {
  const malformed = codes.filter((code) => !isCode(code));
  const [first] = malformed;
  if (first === undefined) return undefined;
  const meant = suggestCountry(first);
  const advice = meant ? `Did you mean ${meant.code} (${meant.name})?` : 'Use two-letter codes, such as US.';
  return `Not a country code: ${malformed.slice(0, 5).join(', ') || 'a mark alone'}. ${advice}`;
}
