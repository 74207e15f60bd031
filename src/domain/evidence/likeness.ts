import { once } from '../collections.ts';
import type { Task } from '../task.ts';
import type { CampaignId, WorkerId } from '../terms.ts';
import { networkOf } from '../worker.ts';
import {
  bandsOf,
  type ComparedText,
  codesIn,
  comparedText,
  hashText,
  likenessOf,
  linksToCompare,
} from './texts.ts';

/** Kinds of likeness between two tasks, most telling first. */
export const likenessKinds = [
  'same-text',
  'near-text',
  'same-file',
  'same-picture',
  'same-code',
  'same-link',
  'same-address',
  'same-network',
  'travel',
] as const;
export type LikenessKind = (typeof likenessKinds)[number];

/** Maximum number of alike tasks shown with a task. */
export const mostAlike = 30;

/** What a task has in common with another one; stored for both tasks. */
export interface Likeness {
  readonly kinds: readonly LikenessKind[];
  /** The other task's worker. */
  readonly worker: WorkerId;
  readonly campaign: CampaignId;
  readonly travel?: Travel;
}

/** What two tasks have in common; the store adds their identities. */
export type Shared = Pick<Likeness, 'kinds'> & Partial<Pick<Likeness, 'travel'>>;

/**
 * Returns what two tasks have in common; undefined if nothing.
 * @param isCommon whether so many tasks share a kind with this one that it says nothing
 */
export function sharedBy(
  one: ComparedTask,
  other: ComparedTask,
  isCommon: (kind: 'code' | 'link') => boolean,
): Shared | undefined {
  const text = textLikeness(one, other);
  const isSameFile = haveCommon(one.files, other.files);
  const isSameWorker = one.task.worker.id === other.task.worker.id;
  const found: readonly (readonly [isFound: boolean, kind: LikenessKind])[] = [
    [text === 'same', 'same-text'],
    [text === 'near', 'near-text'],
    [isSameFile, 'same-file'],
    [!isSameFile && haveAlikePrints(one.prints, other.prints), 'same-picture'],
    [!isCommon('code') && haveCommon(one.codes, other.codes), 'same-code'],
    [!isCommon('link') && haveCommon(one.links, other.links), 'same-link'],
    ...(isSameWorker ? [] : betweenWorkers(one, other)),
  ];
  const travel = isSameWorker ? quickTravel(whereaboutsOf(one.task), whereaboutsOf(other.task)) : undefined;
  const kinds = [
    ...found.filter(([isFound]) => isFound).map(([, kind]) => kind),
    ...(travel ? ['travel' as const] : []),
  ];
  if (kinds.length === 0) return undefined;
  return { kinds, ...(travel ? { travel } : {}) };
}

function textLikeness(one: ComparedTask, other: ComparedTask): 'same' | 'near' | undefined {
  const pairs = one.texts.flatMap((text) => other.texts.map((against) => [text, against] as const));
  if (pairs.some(([text, against]) => text.text === against.text)) return 'same';
  return pairs.some(([text, against]) => likenessOf(text, against) !== undefined) ? 'near' : undefined;
}

function betweenWorkers(one: ComparedTask, other: ComparedTask): (readonly [boolean, LikenessKind])[] {
  const isSameAddress = one.address !== undefined && one.address === other.address;
  return [
    [isSameAddress, 'same-address'],
    [!isSameAddress && one.network !== undefined && one.network === other.network, 'same-network'],
  ];
}

function haveAlikePrints(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => arePrintsAlike(one, other)));
}

function haveCommon(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.includes(one));
}

function whereaboutsOf({ worker, proof, submittedAt }: Task) {
  return { country: worker.country, at: submittedAt ?? proof.finishedAt };
}

/** Maximum number of a proof's texts indexed in bands. */
const mostTexts = 3;

/** A task's entry in the index; alike tasks share its place. */
export interface Posting {
  readonly kind: PostingKind;
  /** The hash of the kind and the indexed feature: 16 hexadecimal digits. */
  readonly place: string;
}

/** The kind of the indexed feature. */
type PostingKind = 'file' | 'picture' | 'text' | 'code' | 'link' | 'network' | 'worker';

/** The features of a task for comparison. */
interface ComparedTask {
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
  const at = (kind: PostingKind, feature: string): Posting => ({
    kind,
    place: [1, 2].map((seed) => hashText(`${kind} ${feature}`, seed).toString(16).padStart(8, '0')).join(''),
  });
  const all = [
    at('worker', task.worker.id),
    ...texts.flatMap((text) => bandsOf(text).map((band) => at('text', band))),
    ...codes.map((code) => at('code', code)),
    ...links.map((link) => at('link', link)),
    ...files.map((file) => at('file', file)),
    ...prints.flatMap((print) => bandsOfPrint(print).map((band) => at('picture', band))),
    ...(network === undefined ? [] : [at('network', network)]),
  ];
  return [...new Map(all.map((posting) => [posting.place, posting])).values()];
}

/** Returns whether two states of a task have equal index entries and features. */
export function isSamePrint(one: Task, other: Task): boolean {
  const told = ({ round, proof, pictures = [], worker: { id, ip } }: Task) =>
    JSON.stringify([round, id, ip, proof.slots, pictures.map(({ bytesHash, print }) => [bytesHash, print])]);
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

/** A worker in two countries within so many minutes is told. */
const mostMinutes = 60;

/** A worker in two countries within minutes. */
export interface Travel {
  /** The codes of the countries, sorted. */
  readonly countries: readonly [string, string];
  readonly minutes: number;
}

/** Where and when a worker was, as recorded with a task. */
interface Whereabouts {
  readonly country: string;
  /** Milliseconds since 1970; absent if unknown. */
  readonly at?: number | undefined;
}

const names = once(() => new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' }));
/** Alternative country names. */
const otherNames: readonly (readonly [name: string, code: string])[] = [
  ['Burma', 'MM'],
  ['Czech Republic', 'CZ'],
  ['Great Britain', 'GB'],
  ['Ivory Coast', 'CI'],
  ['Korea, Republic of', 'KR'],
  ['Macedonia', 'MK'],
  ['Russian Federation', 'RU'],
  ['Turkey', 'TR'],
  ['UAE', 'AE'],
  ['USA', 'US'],
];
const codes = once(() => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const known = letters.flatMap((one) => letters.map((other) => codeIn(one + other) ?? ''));
  const named = [...new Set(known)].map((code) => [nameOf(code) ?? '', code] as const);
  return new Map([...named, ...otherNames].map(([name, code]) => [nameKey(name), code]));
});

const nameOf = (code: string) => (code === '' ? undefined : names().of(code));

/** Returns a text of two letters as the current code of a country: `GB` for `UK`. Undefined if it is none. */
function codeIn(text: string): string | undefined {
  if (!/^[A-Z]{2}$/u.test(text) || text === 'ZZ' || nameOf(text) === undefined) return undefined;
  return new Intl.Locale(`und-${text}`).region;
}

function nameKey(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[^a-z]/giu, '')
    .toLowerCase();
}

/** Returns the code of a country given by code or English name; undefined if unknown. */
export function countryCode(country: string): string | undefined {
  const key = nameKey(country);
  return codeIn(country.trim().toUpperCase()) ?? (key === '' ? undefined : codes().get(key));
}

/** Returns a country's display name, given by name or code; unknown texts are returned unchanged. */
export function countryName(country: string): string {
  const code = countryCode(country);
  return code === undefined ? country : (nameOf(code) ?? country);
}

/** Returns the travel between two places and times; undefined if there was time for it, or something is unknown. */
export function quickTravel(one: Whereabouts, other: Whereabouts): Travel | undefined {
  const [from, to] = [countryCode(one.country), countryCode(other.country)];
  if (from === undefined || to === undefined || from === to) return undefined;
  if (one.at === undefined || other.at === undefined) return undefined;
  const minutes = Math.round(Math.abs(one.at - other.at) / 60_000);
  return minutes <= mostMinutes ? { countries: from < to ? [from, to] : [to, from], minutes } : undefined;
}
