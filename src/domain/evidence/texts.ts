/** Normalizes white space, which not every round trip preserves. */
export function normalizeSpace(text: string): string {
  return text.trim().replace(/\s+/gu, ' ');
}

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

/** Maximum number of characters normalized, and searched for codes, per text. */
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

/**
 * Mixes the bits of a number, so that each depends on all others (the last step of MurmurHash3). Returns an unsigned
 * 32-bit number.
 */
function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/**
 * Returns an unsigned 32-bit hash of a text, or of its part between two positions (end exclusive). For indexes whose
 * matches are verified; not for security.
 */
export function hashText(text: string, seed = 0, from = 0, to = text.length): number {
  let hash = 0x811c9dc5 ^ mix(seed);
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix(hash ^ (to - from));
}

/** Maximum number of words with digits in which codes are searched for. */
const mostWords = 200;
/** Maximum number of codes, and of links, compared per task. */
const mostCodes = 3;
const candidates = /[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)*/gu;
const digits = /(?:\p{N}\P{N}*){3}/u;
/** Matches every text that may contain an address. */
const maybeLink = /:\/\/|www\./iu;
const months = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/u;

/**
 * Returns the normalized codes in texts: words that mix letters and at least three digits, and numbers of at least six
 * digits. Dates are excluded.
 */
export function codesIn(texts: readonly string[]): string[] {
  const codes = new Set<string>();
  for (const word of wordsOf(texts.join('\n'))) {
    if (isCode(word)) codes.add(word);
    if (codes.size >= mostCodes) break;
  }
  return [...codes];
}

/** Returns the codes that are not in the instructions; codes given there identify nobody. */
export function codesNotGiven(codes: readonly string[], instructions: string): string[] {
  if (codes.length === 0) return [];
  const given = new Set(wordsOf(instructions));
  return codes.filter((code) => !given.has(code));
}

/** Returns the normalized words of a text that have three digits. */
function* wordsOf(text: string): Generator<string, void, undefined> {
  if (!digits.test(text)) return;
  let left = mostWords;
  const withoutLinks = text.slice(0, mostCharacters).replace(/(?:https?:\/\/|www\.)\S+/giu, ' ');
  for (const [word] of withoutLinks.matchAll(candidates)) {
    if (!digits.test(word)) continue;
    yield normalizeText(word).replaceAll(' ', '');
    left -= 1;
    if (left === 0) return;
  }
}

function isCode(word: string): boolean {
  const count = word.replace(/\D/gu, '').length;
  if (word.length < 6 || word.length > 64) return false;
  if (/^(?:19|20)\d{6}$|^\d{2}\d{2}(?:19|20)\d{2}$/u.test(word)) return false;
  if (count === word.length) return count >= 6;
  return count >= 3 && !months.test(word.replace(/\d/gu, ''));
}

/** Returns the addresses in texts for comparison, without parts that only track a visit. They are never fetched. */
export function linksToCompare(texts: readonly string[]): string[] {
  return [
    ...new Set(
      linksIn(texts.filter((text) => maybeLink.test(text))).map(({ address }) => normalizedLink(address)),
    ),
  ].slice(0, mostCodes);
}

function normalizedLink(address: string): string {
  const url = new URL(address);
  const kept = [...url.searchParams].filter(([name]) => !/^(?:utm_|fbclid$|gclid$|si$)/u.test(name));
  const query = kept
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join('&');
  const path = url.pathname.replace(/\/+$/u, '');
  return `${url.host.replace(/^www\./u, '')}${path}${query === '' ? '' : `?${query}`}`;
}

/** Minimum length of a normalized text for comparison. */
const leastCharacters = 12;
/** Only the shingles of so many characters are compared, so that no text takes long. */
const mostShingled = 1_500;
/** Shorter texts can only be equal: with one other word they are different texts. */
const leastForNear = 24;
/** Length of a shingle in characters. */
const shingleLength = 4;
/**
 * Returns the share of shingles (Jaccard) two texts must have in common to be nearly the same, by the length of the
 * shorter one: the shorter they are, the more honest answers to one question have in common. Short ones that differ in
 * their numbers are most likely two answers from one form.
 */
function leastSharedBy(length: number, one: ComparedText, other: ComparedText): number {
  if (length < 50) return digitsOf(one) === digitsOf(other) ? 0.75 : 0.85;
  return length < 80 ? 0.65 : 0.6;
}
/** Minimum share of a text found in the instructions for it to be only a copy of them. */
const leastCopied = 0.9;

/** Two texts that share half of their shingles agree in a band less often than those that share most. */
const bands = 8;
const rowsPerBand = 3;
const seeds = Array.from({ length: bands * rowsPerBand }, (_, index) => mix(index + 1));

/** A text's features for comparison. */
export interface ComparedText {
  /** Normalized, without spaces. */
  readonly text: string;
  readonly shingles: ReadonlySet<number>;
}

/** Returns a text's features for comparison; undefined if it is too short. */
export function comparedText(written: string): ComparedText | undefined {
  const text = compactText(written);
  if (text.length < leastCharacters) return undefined;
  let shingles: ReadonlySet<number> | undefined;
  return {
    text,
    // Lazy, because most texts differ without them.
    get shingles() {
      shingles ??= shinglesOf(text.slice(0, mostShingled));
      return shingles;
    },
  };
}

function shinglesOf(text: string): Set<number> {
  const shingles = new Set<number>();
  for (let at = 0; at + shingleLength <= text.length; at += 1)
    shingles.add(hashText(text, 0, at, at + shingleLength));
  return shingles;
}

/** Returns how alike two texts are: `same` once normalized, `near` if they share most; undefined otherwise. */
export function likenessOf(one: ComparedText, other: ComparedText): 'same' | 'near' | undefined {
  if (one.text === other.text) return 'same';
  const length = Math.min(one.text.length, other.text.length);
  if (length < leastForNear) return undefined;
  const isNear = sharedOf(one.shingles, other.shingles) >= leastSharedBy(length, one, other);
  return isNear ? 'near' : undefined;
}

/** Returns the sorted digits of a text, because copyists reorder sentences. */
function digitsOf({ text }: ComparedText): string {
  return [...text.replaceAll(/\D/gu, '')].toSorted().join('');
}

/** Returns the Jaccard index of two sets of shingles. */
function sharedOf(one: ReadonlySet<number>, other: ReadonlySet<number>): number {
  const [few, many] = one.size <= other.size ? [one, other] : [other, one];
  let both = 0;
  for (const shingle of few) if (many.has(shingle)) both += 1;
  return both / (few.size + many.size - both);
}

/** Returns whether a text consists of the worker's instructions. */
export function isOnlyInstructions({ text, shingles }: ComparedText, instructions: string): boolean {
  if (text.length < leastForNear) return false;
  const given = shinglesOf(normalizeText(instructions).replaceAll(' ', ''));
  let found = 0;
  for (const shingle of shingles) if (given.has(shingle)) found += 1;
  return found >= shingles.size * leastCopied;
}

/**
 * Returns the bands of a text's MinHash signature: nearly equal texts very likely have a band in common, others hardly
 * ever. Short texts have one band, which only the same text shares.
 */
export function bandsOf({ text, shingles }: ComparedText): string[] {
  if (text.length < leastForNear) return [text];
  const least = new Uint32Array(seeds.length).fill(0xffffffff);
  for (const shingle of shingles) {
    for (let index = 0; index < seeds.length; index += 1) {
      const value = mix(shingle ^ (seeds[index] ?? 0));
      if (value < (least[index] ?? 0)) least[index] = value;
    }
  }
  return Array.from({ length: bands }, (_, band) => {
    const rows = least.subarray(band * rowsPerBand, (band + 1) * rowsPerBand);
    return `${band}: ${rows.join()}`;
  });
}

export interface ProofLink {
  /** The host with its port; names in other scripts in the ASCII form a browser looks up. */
  readonly host: string;
  /** The whole address, as a browser would open it. */
  readonly address: string;
}

const addresses = /(?:https?:\/\/|\bwww\.)[^\s<>"'`“”„«»]+/giu;
const trailing = /[.,;:!?…*_~]$/u;
const brackets = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
] as const;

/** Returns the distinct web addresses in texts, in order. */
export function linksIn(texts: readonly string[]): ProofLink[] {
  const found = new Map<string, ProofLink>();
  for (const text of texts) {
    for (const [candidate] of text.matchAll(addresses)) {
      const link = linkOf(withoutEnd(candidate));
      if (link && !found.has(link.address)) found.set(link.address, link);
    }
  }
  return [...found.values()];
}

function linkOf(text: string): ProofLink | undefined {
  const address = /^www\./iu.test(text) ? `https://${text}` : text;
  if (!URL.canParse(address)) return undefined;
  const { host, href } = new URL(address);
  return host === '' ? undefined : { host, address: href };
}

/** Strips trailing punctuation and brackets that are not part of the address. */
function withoutEnd(text: string): string {
  let rest = text;
  for (;;) {
    const last = rest.at(-1) ?? '';
    const pair = brackets.find(([, close]) => close === last);
    const isUnopened = pair !== undefined && rest.split(pair[0]).length < rest.split(pair[1]).length;
    if (!isUnopened && !trailing.test(rest)) return rest;
    rest = rest.slice(0, -last.length);
  }
}

/** Returns the known word with the fewest changes, or undefined when none is similar. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, changes: distance(word, candidate) }))
    .sort((a, b) => a.changes - b.changes);
  const [best] = ranked;
  return best && best.changes <= Math.max(2, Math.ceil(best.candidate.length / 2))
    ? best.candidate
    : undefined;
}

/** Counts the letters that must be inserted, removed or replaced (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      next.push(
        Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)),
      );
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
