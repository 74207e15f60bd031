import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Trail } from '../../domain/audit.ts';
import { createCodec } from '../codec.ts';
import { type AuditKey, hmac, nameOfTrail } from './signatures.ts';

/** An entry of a trail as Redis stores it: its id in the stream, and its text. */
export interface StoredEntry {
  readonly id: string;
  readonly text: string;
}

/** A reference to a seal: its number, its code, and the last entry that it covered. */
const SealRef = z.object({ n: z.number(), mac: z.string(), to: z.string() }).readonly();
export type SealRef = z.infer<typeof SealRef>;

const place = {
  /** Counts the seals of a trail from 1. */
  n: z.number(),
  /** When it was made (ms). */
  at: z.number(),
  /** It covers the entries after this id, up to and including `to`. Each seal begins where the previous one ended. */
  after: z.string(),
  to: z.string(),
  /** The name of its key. */
  key: z.string(),
  /** The code of the previous seal; '' for the first. */
  prev: z.string(),
};
/** The HMAC of all the rest, and of the trail's name. */
const mac = z.string();

/**
 * What chains a trail together. `entries` covers some of its entries: the field `entries` names each with a short hash, to
 * tell which one was changed; `hash` is over all of them. Two other kinds are checkpoints, which cover no entries: `expired`
 * says that everything through another seal was removed after its time · `older copy`: that seals which a process knew of
 * are missing, as after a restored copy.
 */
const Seal = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('entries'), ...place, entries: z.string(), hash: z.string(), mac }),
  z.object({ kind: z.literal('expired'), ...place, through: SealRef, count: z.number(), mac }),
  z.object({ kind: z.literal('older copy'), ...place, lost: SealRef, mac }),
]);
export type Seal = z.infer<typeof Seal>;

export const sealCodec = createCodec('audit-seal', Seal);

type Without<T, Keys extends PropertyKey> = T extends unknown ? Omit<T, Keys> : never;
type SealContent = Without<Seal, 'key' | 'mac'>;

/** Returns where the next seal continues: at the end of the last one. */
export function nextPlace(last: Seal | undefined): Pick<Seal, 'n' | 'after' | 'to' | 'prev'> {
  const { n = 0, to = '0-0', mac: prev = '' } = last ?? {};
  return { n: n + 1, after: to, to, prev };
}

/** Returns the content of a seal over entries, which follow the last seal. There must be at least one. */
export function sealOf(last: Seal | undefined, entries: readonly StoredEntry[], at: number): SealContent {
  const { prev, n, after } = nextPlace(last);
  const to = entries.at(-1)?.id ?? after;
  const named = entries.map(({ id, text }) => `${id}=${shortHash(text)}`).join(' ');
  return { kind: 'entries', n, at, after, to, prev, entries: named, hash: hashOf(entries) };
}

/** Returns the stored text of a seal, with its code. */
export function closeSeal(key: AuditKey, trail: Trail, content: SealContent): string {
  const text = JSON.stringify({ ...content, key: key.name });
  return `${text.slice(0, -1)},"mac":"${codeOf(key, trail, text)}"}`;
}

function codeOf(key: AuditKey, trail: Trail, text: string): string {
  return hmac(key, 'seal', nameOfTrail(trail), text).toString('base64url');
}

const closed = /,"mac":"([\w-]{43})"\}$/u;

/** Verifies a seal: made by one of the keys, for this trail, and unchanged. Returns it, or a description of the problem. */
export function openSeal(keys: readonly AuditKey[], trail: Trail, text: string): Seal | string {
  const decoded = sealCodec.decode(text);
  const [end = ''] = closed.exec(text) ?? [];
  if (!decoded.ok || end === '') return 'cannot be read';
  const key = keys.find(({ name }) => name === decoded.value.key);
  if (key === undefined) return `was made with a key that is not configured (${decoded.value.key})`;
  const isRight = codeOf(key, trail, `${text.slice(0, -end.length)}}`) === decoded.value.mac;
  return isRight ? decoded.value : 'was changed';
}

/** Returns the short hash of each entry that a seal covers, by id, in order. */
export function coveredBy({ entries }: Extract<Seal, { kind: 'entries' }>): [id: string, hash: string][] {
  return entries.split(' ').map((named) => named.split('=', 2) as [string, string]);
}

/** 8 bytes: enough to point at an entry. The proof is the hash over all of them. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 11);
}

/** Returns the hash over entries, delimited so that their ids and texts cannot run into each other. */
export function hashOf(entries: readonly StoredEntry[]): string {
  const hash = createHash('sha256');
  for (const { id, text } of entries) hash.update(JSON.stringify([id, text]));
  return hash.digest('base64url');
}

/** Compares two ids of a stream: by time, then by number. Negative when the first is earlier. */
export function compareIds(a: string, b: string): number {
  const [aTime = 0, aNumber = 0] = a.split('-').map(Number);
  const [bTime = 0, bNumber = 0] = b.split('-').map(Number);
  return aTime - bTime || aNumber - bNumber;
}

/** Returns when an entry was written (ms), by its id. */
export function timeOf(id: string): number {
  return Number(id.split('-')[0]);
}
