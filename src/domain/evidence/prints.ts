import { networkOf } from '../ip.ts';
import type { Task } from '../task.ts';
import { bandsOf, type ComparedText, codesIn, comparedText, hashText, linksToCompare } from './texts.ts';

/** Maximum number of a proof's texts indexed in bands. */
const mostTexts = 3;

/** A task's entry in the index; alike tasks share its place. */
export interface Posting {
  readonly kind: PostingKind;
  /** The hash of the kind and the indexed feature: 16 hexadecimal digits. */
  readonly place: string;
}

/** The kind of the indexed feature. */
export type PostingKind = 'file' | 'picture' | 'text' | 'code' | 'link' | 'network' | 'browser' | 'worker';

/** The features of a task for comparison. */
export interface ComparedTask {
  readonly task: Task;
  readonly texts: readonly ComparedText[];
  readonly codes: readonly string[];
  readonly links: readonly string[];
  /** Hashes of the bytes of its pictures. */
  readonly files: readonly string[];
  /** Prints of its pictures. */
  readonly prints: readonly string[];
  readonly address?: string;
  readonly network?: string;
}

/** Returns a task's features for comparison. */
export function comparedTask(task: Task): ComparedTask {
  const { slots } = task.proof;
  return {
    task,
    texts: slots.flatMap((slot) => comparedText(slot) ?? []).slice(0, mostTexts),
    codes: codesIn(slots),
    links: linksToCompare(slots),
    files: (task.pictures ?? []).flatMap(({ bytesHash }) => bytesHash ?? []),
    prints: (task.pictures ?? []).flatMap(({ print }) => print ?? []),
    ...networkOf(task.worker.ip),
  };
}

/** Returns a task's index entries. */
export function postingsOf({ task, texts, codes, links, files, prints, network }: ComparedTask): Posting[] {
  const { id, userAgentHash } = task.worker;
  const at = (kind: PostingKind, feature: string): Posting => ({
    kind,
    place: [1, 2].map((seed) => hashText(`${kind} ${feature}`, seed).toString(16).padStart(8, '0')).join(''),
  });
  const all = [
    at('worker', id),
    ...texts.flatMap((text) => bandsOf(text).map((band) => at('text', band))),
    ...codes.map((code) => at('code', code)),
    ...links.map((link) => at('link', link)),
    ...files.map((file) => at('file', file)),
    ...prints.flatMap((print) => bandsOfPrint(print).map((band) => at('picture', band))),
    ...(network === undefined ? [] : [at('network', network)]),
    ...(userAgentHash === undefined ? [] : [at('browser', userAgentHash)]),
  ];
  return [...new Map(all.map((posting) => [posting.place, posting])).values()];
}

/** Returns a browser's hash for the index; user agents are not stored. */
export function hashOfUserAgent(userAgent: string): string | undefined {
  const text = userAgent.trim();
  if (text === '') return undefined;
  return [1, 2].map((seed) => hashText(text, seed).toString(36)).join('');
}

/** Returns whether two states of a task have equal index entries and features. */
export function isSamePrint(one: Task, other: Task): boolean {
  const told = ({ round, proof, pictures = [], worker: { id, ip, userAgentHash = '' } }: Task) =>
    JSON.stringify([
      round,
      id,
      ip,
      userAgentHash,
      proof.slots,
      pictures.map(({ bytesHash, print }) => [bytesHash, print]),
    ]);
  return told(one) === told(other);
}

/*
 * The print of a picture: a difference hash of 256 bits. A copy that was saved again or resized has nearly the same one; one
 * that was cropped, or has a border, does not.
 */

/** Each cell of a row is compared with the next one. */
const columns = 17;
const rows = 16;
/** Width and height of a cell in pixels: its mean depends less on how a picture is scaled than one pixel would. */
const cell = 8;
/** The size to which a picture is scaled for its print. */
export const scaledSize = { width: columns * cell, height: rows * cell } as const;
/** A cell is lighter than the one before it when it differs by more shades than compression explains. */
const leastLighter = 2;
/** Pictures with fewer bits are nearly empty, so their prints say nothing. */
const leastBits = 16;
/** Maximum number of bits in which the prints of copies differ. */
const mostDifferent = 12;
/** Copies rarely differ in so many parts. Each is long enough to hardly be found in other pictures. */
const bands = 10;

/** Returns the print of a scaled picture, by the shades of its pixels; undefined if it shows too little. */
export function printOf(shades: Uint8Array): string | undefined {
  const means = new Float64Array(columns * rows);
  for (const [at, shade] of shades.entries()) {
    const [x, y] = [at % scaledSize.width, Math.floor(at / scaledSize.width)];
    const index = Math.floor(y / cell) * columns + Math.floor(x / cell);
    means[index] = (means[index] ?? 0) + shade / cell ** 2;
  }
  const print = Buffer.alloc(((columns - 1) * rows) / 8);
  let bit = 0;
  for (const [at, mean] of means.entries()) {
    if (at % columns === 0) continue;
    if (mean - (means[at - 1] ?? 0) > leastLighter)
      print[bit >> 3] = (print[bit >> 3] ?? 0) | (1 << (bit & 7));
    bit += 1;
  }
  return bitsOf(print) < leastBits ? undefined : print.toString('base64url');
}

/** Returns parts of a print, one of which a copy very likely has too. */
export function bandsOfPrint(print: string): string[] {
  const found = Array.from({ length: bands }, (_, band) => `${band}: `);
  for (const [at, byte] of Buffer.from(print, 'base64url').entries()) {
    for (let bit = 0; bit < 8; bit += 1) found[(8 * at + bit) % bands] += String((byte >> bit) & 1);
  }
  return found;
}

/** Returns whether two pictures look the same, by their prints. */
export function arePrintsAlike(one: string, other: string): boolean {
  const [bytes, against] = [Buffer.from(one, 'base64url'), Buffer.from(other, 'base64url')];
  return bitsOf(bytes.map((byte, at) => byte ^ (against[at] ?? 0))) <= mostDifferent;
}

function bitsOf(bytes: Uint8Array): number {
  let count = 0;
  for (let left of bytes) for (; left > 0; left &= left - 1) count += 1;
  return count;
}
