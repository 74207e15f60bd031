import { hashText, mix } from './hash.ts';
import { compactText } from './normalize.ts';

/** Texts that are shorter once normalized say too little to be compared. */
export const leastCharacters = 12;
/** Texts that are shorter than this are only the same or not: one other word makes them another text. */
const leastForNear = 24;
/** Characters of a shingle, the pieces by which texts are compared. */
const shingleLength = 4;
/**
 * How much of all their shingles two texts must share to be nearly the same (Jaccard), by the length of the shorter one: the
 * shorter they are, the more do honest answers to one question have in common. Short ones that differ in their numbers are most
 * likely two answers of one form.
 */
function leastSharedBy(length: number, haveSameDigits: boolean): number {
  if (length < 50) return haveSameDigits ? 0.75 : 0.85;
  return length < 80 ? 0.65 : 0.6;
}
/**
 * Of a text that is longer than this, some shingles are looked at first: if hardly any of them are in the other text, that is
 * another one. At least as large a share of a text's shingles is in the other as the two share of all.
 */
const longText = 400;
const leastSampled = 0.3;
/** How much of a text must be found in the instructions for it to be only these. */
const leastCopied = 0.9;

/** Two texts that share half of their shingles agree in a band less often than those that share most. */
const bands = 8;
const rowsPerBand = 3;
const seeds = Array.from({ length: bands * rowsPerBand }, (_, index) => mix(index + 1));

/** A text as it is compared with others. */
export interface ComparedText {
  /** Normalized, without spaces. */
  readonly text: string;
  readonly shingles: ReadonlySet<number>;
}

/** Returns a text as it is compared with others; undefined when it says too little. */
export function comparedText(written: string): ComparedText | undefined {
  const text = compactText(written);
  if (text.length < leastCharacters) return undefined;
  let shingles: ReadonlySet<number> | undefined;
  return {
    text,
    // Most texts are told apart without them.
    get shingles() {
      shingles ??= shinglesOf(text);
      return shingles;
    },
  };
}

function shinglesOf(text: string): Set<number> {
  const shingles = new Set<number>();
  for (let at = 0; at + shingleLength <= text.length; at += 1) {
    shingles.add(shingleAt(text, at));
  }
  return shingles;
}

const shingleAt = (text: string, at: number) => hashText(text, 0, at, at + shingleLength);

/** Returns how alike two texts are: `same` once normalized, `near` when they share most; undefined otherwise. */
export function likenessOf(one: ComparedText, other: ComparedText): 'same' | 'near' | undefined {
  if (one.text === other.text) return 'same';
  const length = Math.min(one.text.length, other.text.length);
  if (length < leastForNear) return undefined;
  const isOneLonger =
    one.text.length === other.text.length ? one.text > other.text : one.text.length > other.text.length;
  const [shorter, longer] = isOneLonger ? [other, one] : [one, other];
  if (longer.text.length > longText && sampledShare(shorter.shingles, longer.text) < leastSampled)
    return undefined;
  const shared = sharedOf(one.shingles, other.shingles);
  // The digits matter to short texts only, and take longer.
  if (shared < leastSharedBy(length, true)) return undefined;
  return shared >= leastSharedBy(length, digitsOf(one) === digitsOf(other)) ? 'near' : undefined;
}

/** Returns the share of some shingles of a long text, from all of its parts, that another text has too. */
function sampledShare(shingles: ReadonlySet<number>, text: string): number {
  const sampled = new Set<number>();
  const step = Math.floor((2 * text.length) / longText);
  for (let at = 0; at + shingleLength <= text.length; at += step) sampled.add(shingleAt(text, at));
  let found = 0;
  for (const shingle of sampled) if (shingles.has(shingle)) found += 1;
  return found / sampled.size;
}

/** Returns the digits of a text, in an order of their own: copyists change the order of sentences. */
function digitsOf({ text }: ComparedText): string {
  return [...text.replaceAll(/\D/gu, '')].toSorted().join('');
}

/** Returns the share of all shingles that both have (Jaccard). */
function sharedOf(one: ReadonlySet<number>, other: ReadonlySet<number>): number {
  const [few, many] = one.size <= other.size ? [one, other] : [other, one];
  let both = 0;
  for (const shingle of few) if (many.has(shingle)) both += 1;
  return both / (few.size + many.size - both);
}

/** Returns whether a text consists of the instructions that its worker was given. */
export function isOnlyInstructions({ text, shingles }: ComparedText, instructions: string): boolean {
  if (text.length < leastForNear) return false;
  const given = shinglesOf(compactText(instructions));
  let found = 0;
  for (const shingle of shingles) if (given.has(shingle)) found += 1;
  return found >= shingles.size * leastCopied;
}

/**
 * Returns the bands of a text's MinHash signature, each as two hashes: texts that are nearly the same have a band in common
 * most likely, others hardly ever. Short texts have one, in which only the same text agrees.
 */
export function bandsOf({ text, shingles }: ComparedText): (readonly [number, number])[] {
  if (text.length < leastForNear) return [[hashText(text, 1), hashText(text, 2)]];
  const least = new Uint32Array(seeds.length).fill(0xffffffff);
  for (const shingle of shingles) {
    for (let index = 0; index < seeds.length; index += 1) {
      const value = mix(shingle ^ (seeds[index] ?? 0));
      if (value < (least[index] ?? 0)) least[index] = value;
    }
  }
  return Array.from({ length: bands }, (_, band) => {
    const rows = [...least.subarray(band * rowsPerBand, (band + 1) * rowsPerBand)].join();
    return [hashText(rows, 2 * band + 1), hashText(rows, 2 * band + 2)] as const;
  });
}
