import { once } from '../../domain/once.ts';

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

export interface Country {
  readonly code: string;
  readonly name: string;
}

/**
 * Returns every country, by name. Names need no escaping: the few with `&` are written out. Naming and sorting them
 * takes as long as loading fifty modules, so it is done on first use.
 */
export const countries: () => readonly Country[] = once(() => {
  const names = new Intl.DisplayNames(['en'], { type: 'region' });
  return codes
    .map((code) => ({ code, name: (names.of(code) ?? code).replaceAll('&', 'and') }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
});

const byCode = once(() => new Map(countries().map((country) => [country.code, country])));

/** Returns the country of a code in upper case, or undefined when there is none. */
export function countryOf(code: string): Country | undefined {
  return byCode().get(code);
}

/**
 * Returns whether a text may be a country code missing from this list, such as XK: two letters that are neither a listed
 * code nor a common mistake for one.
 */
export function isUnlistedCode(text: string): boolean {
  return /^[A-Z]{2}$/u.test(text) && !byCode().has(text) && commonMistakes[text] === undefined;
}

/** Returns `Germany (DE)`; an unknown code unchanged. */
export function countryLabel(code: string): string {
  const country = byCode().get(code);
  return country === undefined ? code : `${country.name} (${country.code})`;
}

/** Returns the country a wrong code probably means: a common mistake, or a country's name. */
export function suggestCountry(word: string): Country | undefined {
  const code = commonMistakes[word.toUpperCase()];
  const wanted = normalized(word);
  return code === undefined
    ? countries().find(({ name }) => normalized(name) === wanted)
    : byCode().get(code);
}

/** Returns countries whose name contains the text or whose code begins with it, best match first. */
export function searchCountries(text: string): Country[] {
  const wanted = normalized(text);
  const rank = ({ code, name }: Country) => {
    const plain = normalized(name);
    if (code.toLowerCase() === wanted) return 0;
    if (plain.startsWith(wanted)) return 1;
    if (plain.split(/[\s(-]+/u).some((word) => word.startsWith(wanted))) return 2;
    return plain.includes(wanted) || code.toLowerCase().startsWith(wanted) ? 3 : -1;
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
