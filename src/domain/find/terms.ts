import { codesIn } from '../evidence/codes.ts';
import { hashText } from '../evidence/hash.ts';
import { normalizeText } from '../evidence/normalize.ts';
import { networkOf } from '../ip.ts';
import type { Task } from '../task.ts';

/**
 * A **term** is one thing that a task is found by: a word, normalized as texts are compared; an address or its network, behind
 * a mark that no word has.
 */
export type Term = string;

/** A task is found by so many different terms at the most: ids and names first, then notes, comments, files and the proof. */
export const mostTerms = 256;
/** So many terms of a query are looked for. */
export const mostQueryTerms = 8;
/** How many characters a query takes. */
export const maxQuery = 200;

const addressMark = 'ip:';
const networkMark = 'net:';

/** Scripts that write words without spaces between them: their letters are found in pairs. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

/** A text of a task that is searched, and what it is. */
export interface FoundText {
  readonly kind: 'note' | 'comment' | 'file' | 'proof';
  readonly text: string;
}

/** Returns the texts of a task that are searched. @param notes their texts, newest first */
export function textsOf({ proof, comment, decision, before }: Task, notes: readonly string[]): FoundText[] {
  const of = (kind: FoundText['kind'], texts: readonly string[]) =>
    [...new Set(texts)].filter((text) => text.trim() !== '').map((text) => ({ kind, text }));
  const comments = [decision?.comment ?? '', comment, before?.comment ?? ''];
  return [
    ...of('note', notes),
    ...of('comment', comments),
    ...of(
      'file',
      proof.files.map(({ filename }) => filename),
    ),
    ...of('proof', [...proof.slots, ...(before?.slots ?? [])]),
  ];
}

/** Returns what a task is found by. @param notes the texts of its notes, newest first */
export function termsOf(task: Task, notes: readonly string[]): Term[] {
  const { id, worker, proof } = task;
  const network = networkOf(worker.ip);
  const terms = new Set<Term>([
    ...wordsOf(id),
    ...wordsOf(task.campaign),
    ...wordsOf(worker.id),
    ...wordsOf(worker.name ?? ''),
    ...(network ? [addressMark + network.address, networkMark + network.network] : []),
    ...codesIn(proof.slots),
  ]);
  for (const { text } of textsOf(task, notes)) {
    for (const word of wordsOf(text)) {
      if (terms.size >= mostTerms) return [...terms];
      terms.add(word);
    }
  }
  return [...terms].slice(0, mostTerms);
}

/** Returns the words of a text, normalized, each as often as it stands there. */
export function wordsOf(text: string): Term[] {
  return normalizeText(text)
    .split(' ')
    .flatMap((word) => (word === '' ? [] : partsOf(word)));
}

/** Returns a word, or where it has letters of scripts without spaces the pairs of those. */
function partsOf(word: string): Term[] {
  const runs = word.match(unspaced);
  if (runs === null) return [word];
  const others = word
    .replace(unspaced, ' ')
    .split(' ')
    .filter((part) => part !== '');
  return [...others, ...runs.flatMap(pairsOf)];
}

function pairsOf(run: string): Term[] {
  const letters = [...run];
  if (letters.length === 1) return letters;
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}

/** What somebody looks for. */
export interface Query {
  /** A task has all of them. */
  readonly terms: readonly Term[];
  /** A whole address was given, and its network is looked for: the reader does not see whole addresses. */
  readonly isWidened: boolean;
}

/**
 * Returns what a text asks for; words, ids, codes, and addresses as they are given or shown (`203.0.113.…`).
 * @param seesAddresses whether the reader may see whole addresses: for anybody else, tasks of its network are found, so that
 * the hidden part cannot be guessed
 */
export function queryOf(text: string, { seesAddresses }: { readonly seesAddresses: boolean }): Query {
  const terms = new Set<Term>();
  let isWidened = false;
  for (const part of text.slice(0, maxQuery * 2).split(/\s+/u)) {
    const whole = networkOf(part);
    const network = whole?.network ?? networkShown(part);
    if (whole && seesAddresses) terms.add(addressMark + whole.address);
    else if (network) terms.add(networkMark + network);
    else for (const word of wordsOf(part)) terms.add(word);
    isWidened ||= whole !== undefined && !seesAddresses;
  }
  return { terms: [...terms].slice(0, mostQueryTerms), isWidened };
}

/** Returns the network of an address whose last part is hidden, or of a range as evidence names it. */
function networkShown(part: string): string | undefined {
  const v4 = /^(\d{1,3}(?:\.\d{1,3}){2})\.(?:…|\.\.\.|\*|x|0\/24)?$/u.exec(part);
  if (v4) return networkOf(`${v4[1]}.0`)?.network;
  const v6 = /^([\da-f]{1,4}(?::[\da-f]{1,4}){2,3}):(?:…|\.\.\.|\*|:\/48)$/iu.exec(part);
  return v6 ? networkOf(`${v6[1]}::`)?.network : undefined;
}

/** Returns whether a term is an address or a network. */
export function isAddressTerm(term: Term): boolean {
  return term.startsWith(addressMark) || term.startsWith(networkMark);
}

/** Returns what stands for a term in the index: 24 bits. What is found is compared with the terms themselves. */
export function hashOfTerm(term: Term): number {
  return hashText(term, 900) & 0xffffff;
}

/** Returns terms as the index has them: 3 bytes each. */
export function packedTerms(terms: readonly Term[]): Buffer {
  const hashes = [...new Set(terms.map(hashOfTerm))];
  const packed = Buffer.alloc(hashes.length * 3);
  for (const [index, hash] of hashes.entries()) packed.writeUIntBE(hash, index * 3, 3);
  return packed;
}

/** Characters of a text that are shown around what was found. */
const shownAround = 70;

/** Returns the part of a task's texts in which a term stands first; undefined when it stands in none of them. */
export function excerptOf(texts: readonly FoundText[], terms: readonly Term[]): FoundText | undefined {
  const wanted = new Set(terms);
  for (const { kind, text } of texts) {
    for (const match of text.matchAll(/\S+/gu)) {
      if (!wordsOf(match[0]).some((word) => wanted.has(word))) continue;
      return { kind, text: cutAround(text, match.index, match[0].length) };
    }
  }
  return undefined;
}

function cutAround(text: string, at: number, length: number): string {
  const from = Math.max(0, at - shownAround);
  const to = Math.min(text.length, at + Math.min(length, shownAround) + shownAround);
  // Whole characters: a half of a pair at either end is left out.
  const shown = text.slice(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/gu, '');
  return `${from > 0 ? '…' : ''}${shown.trim()}${to < text.length ? '…' : ''}`;
}
