import { networkOf } from '../ip.ts';
import type { Task } from '../task.ts';
import { codesIn, linksToCompare } from './codes.ts';
import { hashText } from './hash.ts';
import { bandsOfPrint } from './picture-print.ts';
import { bandsOf, type ComparedText, comparedText } from './similarity.ts';

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
