import type { Campaign } from '../../domain/campaign.ts';
import { inline } from '../../slack/mrkdwn.ts';
import { countryLabel, countryOf, isUnlistedCode } from './countries.ts';

/** Country codes of a retarget, separated into includes and excludes. */
export interface Countries {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Known zone names ("Category catalogue" of the marketplace API): a campaign may be described by its zone. */
const zones: ReadonlySet<string> = new Set(['asia1', 'caribbean1', 'europe1', 'europe2', 'int', 'west1']);

/** Longer lists are shown as codes. */
const maxNamed = 12;

/** Returns the audit fields of a country change: the marketplace's own description before, and the codes after. */
export function retargetEntry(
  {
    id,
    targetedCountries,
    excludedCountries,
  }: Pick<Campaign, 'id' | 'targetedCountries' | 'excludedCountries'>,
  countries: Countries,
) {
  const before = [targetedCountries, ...(excludedCountries === '' ? [] : [`except ${excludedCountries}`])];
  return {
    what: 'retarget',
    campaign: id,
    before: before.join(' '),
    after: codesText(countries),
  } as const;
}

/** Returns `US GB except IN`. */
function codesText({ include, exclude }: Countries): string {
  return [...include, ...(exclude.length === 0 ? [] : ['except', ...exclude])].join(' ');
}

/**
 * Returns a campaign's current countries, as far as they can be parsed: the marketplace describes them as text for
 * people ("for example a zone or country designation"), which may happen to be a list of codes.
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

/** Returns a campaign's countries on one line: by name if they are few, else as the marketplace describes them. */
export function targetingLine(campaign: Campaign): string {
  const { include, exclude } = currentCountries(campaign);
  const included = described(campaign.targetedCountries, include, 600);
  const excluded = described(campaign.excludedCountries, exclude, 300);
  return `Countries: ${included === '' ? 'not restricted' : included}${excluded === '' ? '' : `, except ${excluded}`}`;
}

function described(text: string, codes: readonly string[], max: number): string {
  if (codes.length > 0 && codes.length <= maxNamed) return named(codes, maxNamed);
  if (zones.has(text.trim())) return `zone ${text.trim()}`;
  // Adds space where the line may break.
  return inline(text.replace(/,\s*/gu, ', '), max);
}

/**
 * Returns `Germany (DE), France (FR), except Malta (MT)`, in mrkdwn. @param max maximum number of countries named in
 * each part
 */
export function countriesText({ include, exclude }: Countries, max = 40): string {
  return `${named(include, max)}${exclude.length === 0 ? '' : `, except ${named(exclude, max)}`}`;
}

/** Returns all countries without omissions: by name, or by code if there are too many. */
export function allCountriesText(codes: readonly string[]): string {
  return codes.length > 40 ? inline(codes.join(', '), 1_500) : named(codes, codes.length);
}

function named(codes: readonly string[], max: number): string {
  // A code without a name came from elsewhere, and may be any text.
  const shown = codes.slice(0, max).map((one) => (countryOf(one) ? countryLabel(one) : inline(one, 40)));
  return shown.join(', ') + (codes.length > shown.length ? ` and ${codes.length - shown.length} more` : '');
}
