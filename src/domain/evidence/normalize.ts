/**
 * Letters that look like a Latin one, each group behind the letter that stands for it. NFKC has dealt with full-width, circled
 * and mathematical letters before; what is left are letters of other scripts, and a few Latin ones of their own.
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

/** What is not shown: zero-width and directional characters, soft hyphens, variation selectors, tags. */
const hidden = /\p{Cf}|\p{Variation_Selector}|\u034f|\u115f|\u1160|\u3164/gu;
/** Accents on letters that have them; the vowel signs of other scripts are no such marks. */
const accents = /[\u0300-\u036f]/gu;
const separators = /[^\p{L}\p{N}\p{M}]+/gu;
/** Most texts consist of these characters alone, of which there is nothing to normalize but case and separators. */
const onlyAscii = /^\p{ASCII}*$/u;
const asciiSeparators = /[^a-z0-9]+/g;

/** Texts are compared by so many characters at the most. */
const mostCharacters = 8_000;

/**
 * Returns a text as it is compared: without case, accents, punctuation, hidden characters and differences that nobody sees,
 * its words separated by single spaces.
 */
export function normalizeText(text: string): string {
  const start = text.slice(0, mostCharacters);
  if (onlyAscii.test(start)) return start.toLowerCase().replace(asciiSeparators, ' ').trim();
  const visible = start.normalize('NFKC').replace(hidden, '').toLowerCase();
  const plain = visible.normalize('NFD').replace(accents, '').normalize('NFC');
  const latin = plain.replace(lookAlike, (character) => latinOf.get(character) ?? character);
  return latin.replace(separators, ' ').trim();
}

/** Returns the same without its spaces: where words end says nothing of who wrote them. */
export function compactText(text: string): string {
  return normalizeText(text).replaceAll(' ', '');
}
