import { networkOf } from '../ip.ts';
import type { Task } from '../task.ts';
import { codesIn, linksToCompare } from './codes.ts';
import { hashText } from './hash.ts';
import { bandsOfPrint, probesOfPrint } from './picture-bands.ts';
import { bandsOf, type ComparedText, comparedText } from './similarity.ts';

/** Of a proof with many slots, so many are indexed in bands. */
const mostTexts = 3;

/** Where a task is found in the index: under the same place as those that may be alike. */
export interface Posting {
  readonly kind: PostingKind;
  /** Two hashes of what it is about, 32 bits each. */
  readonly place: readonly [number, number];
}

/** What a posting is about; each kind has places of its own. */
export type PostingKind = 'file' | 'picture' | 'text' | 'code' | 'link' | 'network' | 'browser' | 'worker';

/** The number that begins the hashes of a kind. Stored: changing one loses what is indexed. */
const seedOf: Readonly<Record<Exclude<PostingKind, 'picture'>, number>> = {
  text: 100,
  code: 200,
  link: 300,
  network: 400,
  browser: 500,
  worker: 600,
  file: 700,
};

/** A task as it is compared with others. */
export interface ComparedTask {
  readonly task: Task;
  readonly texts: readonly ComparedText[];
  readonly codes: readonly string[];
  readonly links: readonly string[];
  /** Hashes of the bytes of its pictures. */
  readonly files: readonly string[];
  /** What its pictures look like. */
  readonly prints: readonly string[];
  readonly address?: string;
  readonly network?: string;
}

/** Returns a task as it is compared with others. */
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

/** Returns where a task is found in the index. */
export function postingsOf({ task, texts, codes, links, files, prints, network }: ComparedTask): Posting[] {
  const { id, userAgentHash } = task.worker;
  const at = (kind: keyof typeof seedOf, text: string): Posting => ({
    kind,
    place: [hashText(text, seedOf[kind]), hashText(text, seedOf[kind] + 1)],
  });
  const all = [
    at('worker', id),
    ...texts.flatMap((text) => bandsOf(text).map((place): Posting => ({ kind: 'text', place }))),
    ...codes.map((code) => at('code', code)),
    ...links.map((link) => at('link', link)),
    ...files.map((file) => at('file', file)),
    ...prints.flatMap((print) => bandsOfPrint(print).map((place): Posting => ({ kind: 'picture', place }))),
    ...(network === undefined ? [] : [at('network', network)]),
    ...(userAgentHash === undefined ? [] : [at('browser', userAgentHash)]),
  ];
  return [...new Map(all.map((posting) => [posting.place.join(), posting])).values()];
}

/** Returns the places, besides its own, where tasks with pictures like a task's may be: some at a time, as they are asked for. */
export function* probesOf({ prints }: ComparedTask): Generator<Posting['place'][], void, undefined> {
  for (const print of prints) yield* probesOfPrint(print);
}

/** Returns what stands for a browser in the index: texts of browsers are not stored. */
export function hashOfUserAgent(userAgent: string): string | undefined {
  const text = userAgent.trim();
  if (text === '') return undefined;
  return [1, 2].map((seed) => hashText(text, seed).toString(36)).join('');
}

/** Returns whether two states of a task are found, and compared, in the same way. */
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
