import { codesIn, hashText, normalizeText } from '../evidence/texts.ts';
import type { Task } from '../task.ts';
import { networkOf } from '../worker.ts';

/**
 * A **term** is one key a task is found by: a normalized word; or an address or its network, behind a mark that no word
 * has.
 */
export type Term = string;

/** Maximum number of terms per task: ids and names first, then notes, comments, files and the proof. */
export const mostTerms = 256;
/** Maximum number of terms searched per query. */
export const mostQueryTerms = 8;
/** Maximum number of characters in a query. */
export const maxQuery = 200;

const addressMark = 'ip:';
const networkMark = 'net:';

/** Scripts that write words without spaces; their letters are indexed in pairs. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

/** A searchable text of a task, and its kind. */
export interface FoundText {
  readonly kind: 'note' | 'comment' | 'file' | 'proof';
  readonly text: string;
}

/** Returns a task's searchable texts. @param notes their texts, newest first */
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

/** Returns a task's terms. @param notes the texts of its notes, newest first */
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

/** Returns the normalized words of a text, including duplicates. */
export function wordsOf(text: string): Term[] {
  return normalizeText(text)
    .split(' ')
    .flatMap((word) => (word === '' ? [] : partsOf(word)));
}

/** Returns a word, or its letter pairs in scripts without spaces. */
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

/** A parsed search query. */
export interface Query {
  /** A task must have all of them. */
  readonly terms: readonly Term[];
  /** Whether an address was widened to its network, because the reader may not see whole addresses. */
  readonly isWidened: boolean;
}

/**
 * Parses a query: words, ids, codes, and addresses in full or as displayed (`203.0.113.…`).
 * @param seesAddresses whether the reader may see whole addresses; for others, the search covers the whole network, so
 *   that the hidden part cannot be guessed
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

/** Returns the network of a masked address, or of a range as displayed by evidence. */
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

/** Returns a term's hash for the index: 24 bits. Matches are verified against the terms themselves. */
export function hashOfTerm(term: Term): number {
  return hashText(term, 900) & 0xffffff;
}

/** Returns terms in the index format: 3 bytes each. */
export function packedTerms(terms: readonly Term[]): Buffer {
  const hashes = [...new Set(terms.map(hashOfTerm))];
  const packed = Buffer.alloc(hashes.length * 3);
  for (const [index, hash] of hashes.entries()) packed.writeUIntBE(hash, index * 3, 3);
  return packed;
}
