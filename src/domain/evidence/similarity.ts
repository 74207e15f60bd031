import { hashText, mix } from './hash.ts';
import { compactText, normalizeText } from './normalize.ts';

/** Minimum length of a normalized text for comparison. */
export const leastCharacters = 12;
/** Only the shingles of so many characters are compared, so that no text takes long. */
const mostCharacters = 1_500;
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
      shingles ??= shinglesOf(text.slice(0, mostCharacters));
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
