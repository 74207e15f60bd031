import type { Campaign } from '../../domain/campaign.ts';
import { inline } from '../../slack/mrkdwn.ts';
import { countryLabel, countryOf } from './countries.ts';
import type { Countries } from './targeting.ts';

/** The countries as the marketplace describes them. */
export function targetingLine({ targetedCountries, excludedCountries }: Campaign): string {
  const included = inline(spaced(targetedCountries), 600);
  const excluded = inline(spaced(excludedCountries), 300);
  return `Countries: ${included === '' ? 'not restricted' : included}${excluded === '' ? '' : ` · without ${excluded}`}`;
}

/** `US,GB` with room to break the line. */
function spaced(codes: string): string {
  return codes.replace(/,\s*/gu, ', ');
}

/** `Germany (DE), France (FR), without Malta (MT)`, in mrkdwn. */
export function inWords({ include, exclude }: Countries, most = 40): string {
  return `${named(include, most)}${exclude.length === 0 ? '' : `, without ${named(exclude, most)}`}`;
}

function named(codes: readonly string[], most: number): string {
  // A code without a name came from somewhere else, and may be any text.
  const shown = codes.slice(0, most).map((code) => (countryOf(code) ? countryLabel(code) : inline(code, 40)));
  return shown.join(', ') + (codes.length > shown.length ? ` and ${codes.length - shown.length} more` : '');
}

/** Countries of which none may go unnamed: by their names, or where those are too many by their codes. */
export function allNamed(codes: readonly string[]): string {
  return codes.length > 40 ? inline(codes.join(', '), 1_500) : named(codes, codes.length);
}
