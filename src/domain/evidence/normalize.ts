/**
 * Letters that look like a Latin one, grouped behind that letter. NFKC has already normalized full-width, circled and
 * mathematical letters; the rest are letters of other scripts, and a few Latin ones.
 */
const lookAlikes: readonly (readonly [latin: string, others: string])[] = [
  ['a', 'аαɑа'],
  ['b', 'ьƅ'],
  ['c', 'сϲᴄ'],
  ['d', 'ԁɗ'],
  ['e', 'еєҽ'],
  ['g', 'ɡց'],
  ['h', 'һհн'],
  ['i', 'іιıɩ'],
  ['j', 'јϳ'],
  ['k', 'кκ'],
  ['l', 'ӏⅼ'],
  ['m', 'м'],
  ['n', 'ոη'],
  ['o', 'оοօσ'],
  ['p', 'рρ'],
  ['q', 'ԛգ'],
  ['r', 'гᴦ'],
  ['s', 'ѕꜱ'],
  ['t', 'тτ'],
  ['u', 'υսμ'],
  ['v', 'νѵ'],
  ['w', 'ԝѡω'],
  ['x', 'хχ'],
  ['y', 'уүγ'],
  ['z', 'ᴢ'],
];
const latinOf = new Map(lookAlikes.flatMap(([latin, others]) => [...others].map((other) => [other, latin])));
const lookAlike = new RegExp(`[${[...latinOf.keys()].join('')}]`, 'gu');

/** Invisible characters: zero-width and directional characters, soft hyphens, variation selectors, tags. */
const hidden = /\p{Cf}|\p{Variation_Selector}|\u034f|\u115f|\u1160|\u3164/gu;
/** Combining accents; vowel signs of other scripts are not included. */
const accents = /[\u0300-\u036f]/gu;
const separators = /[^\p{L}\p{N}\p{M}]+/gu;
/** Most texts consist only of these characters, in which only case and separators need normalizing. */
const onlyAscii = /^\p{ASCII}*$/u;
const asciiSeparators = /[^a-z0-9]+/g;

/** Maximum number of characters normalized per text. */
const mostCharacters = 8_000;
/** The same for texts of which many are compared at once. */
const mostCompared = 3_000;

/**
 * Returns a text normalized for comparison: without case, accents, punctuation, hidden characters and invisible
 * differences, its words separated by single spaces.
 */
export function normalizeText(text: string, most = mostCharacters): string {
  const start = text.slice(0, most);
  if (onlyAscii.test(start)) return start.toLowerCase().replace(asciiSeparators, ' ').trim();
  // Some characters become 18.
  const visible = start.normalize('NFKC').slice(0, most).replace(hidden, '').toLowerCase();
  const plain = visible.normalize('NFD').replace(accents, '').normalize('NFC');
  const latin = plain.replace(lookAlike, (character) => latinOf.get(character) ?? character);
  return latin.replace(separators, ' ').trim();
}

/** Returns the same without spaces, because word boundaries do not identify an author. */
export function compactText(text: string): string {
  return normalizeText(text, mostCompared).replaceAll(' ', '');
}
