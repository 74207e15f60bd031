import type { Trail } from '../../domain/audit.ts';
import {
  compareIds,
  coveredBy,
  hashOf,
  openSeal,
  type Seal,
  type StoredEntry,
  shortHash,
  timeOf,
} from './seal.ts';
import { type AuditKey, checkSignature } from './signatures.ts';

/** A stored trail. Entries and seals are read from the beginning, the seals twice. */
export interface StoredTrail {
  readonly trail: Trail;
  readonly entries: () => AsyncIterable<StoredEntry>;
  /** The texts of its seals. */
  readonly seals: () => AsyncIterable<string>;
  /** The id of the last entry ever added, according to the stream; read before the entries. */
  readonly lastAdded: string;
}

export interface Verification {
  readonly entries: number;
  readonly seals: number;
  /** Entries that are not sealed yet, and when the first of them was written (ms). */
  readonly unsealed: number;
  readonly unsealedSince?: number;
  /** The content of the checkpoints, as sentences. */
  readonly notes: readonly string[];
  /** The first problem, as a sentence. */
  readonly problem?: string;
  /** The last seal: its number and code can be kept for a later comparison. */
  readonly head?: Pick<Seal, 'n' | 'mac'>;
}

/** Checks a trail: that the bot wrote every entry, and that none was changed, removed, inserted or moved since. */
export async function verifyTrail(stored: StoredTrail, keys: readonly AuditKey[]): Promise<Verification> {
  const chain = await checkChain(stored, keys);
  const { problem, ...entries } = await checkEntries(stored, keys, chain);
  const first = chain.problem ?? problem;
  return {
    ...entries,
    seals: chain.count,
    notes: chain.notes,
    ...(first === undefined ? {} : { problem: first }),
    ...(chain.last === undefined ? {} : { head: { n: chain.last.n, mac: chain.last.mac } }),
  };
}

interface Chain {
  readonly count: number;
  readonly last: Seal | undefined;
  readonly notes: readonly string[];
  readonly problem?: string;
}

/** Checks that each seal is genuine and continues the previous one, starting at the first or at an `expired` checkpoint. */
async function checkChain({ trail, seals }: StoredTrail, keys: readonly AuditKey[]): Promise<Chain> {
  const notes: string[] = [];
  let count = 0;
  let first: Seal | undefined;
  let last: Seal | undefined;
  let expired: Extract<Seal, { kind: 'expired' }> | undefined;
  const broken = (problem: string) => ({ count, last, notes, problem });
  for await (const text of seals()) {
    count += 1;
    const seal = openSeal(keys, trail, text);
    const name = last === undefined ? 'The first seal' : `The seal after number ${last.n}`;
    if (typeof seal === 'string') return broken(`${name} ${seal}.`);
    if (last !== undefined && !follows(last, seal))
      return broken(
        `Seal ${seal.n} does not continue seal ${last.n}: seals were removed, inserted or moved.`,
      );
    first ??= seal;
    last = seal;
    if (seal.kind === 'expired') expired = seal;
    if (seal.kind !== 'entries') notes.push(noteOf(seal));
  }
  const isStart = first === undefined || (first.n === 1 && first.prev === '');
  const isAfterExpiry =
    first !== undefined && expired?.through.n === first.n - 1 && expired.through.mac === first.prev;
  if (!isStart && !isAfterExpiry)
    return broken(
      `The seals before number ${first?.n} are missing, and no checkpoint says that they expired.`,
    );
  return { count, last, notes };
}

function follows(last: Seal, next: Seal): boolean {
  return next.n === last.n + 1 && next.prev === last.mac && next.after === last.to;
}

function noteOf(seal: Exclude<Seal, { kind: 'entries' }>): string {
  const at = atTime(seal.at);
  return seal.kind === 'expired'
    ? `${at}: ${seal.count} entries expired, through seal ${seal.through.n}.`
    : `${at}: everything after seal ${seal.n - 1} and through the former seal ${seal.lost.n} was gone: an older copy of Redis was restored, or the end was removed.`;
}

type CheckedEntries = Pick<Verification, 'entries' | 'unsealed' | 'unsealedSince' | 'problem'>;

/** Compares the entries with the seals. */
async function checkEntries(
  { trail, entries, seals, lastAdded }: StoredTrail,
  keys: readonly AuditKey[],
  { last, count: sealCount }: Chain,
): Promise<CheckedEntries> {
  const isGenuine = createSignatureCheck(trail, keys);
  const sealed = seals()[Symbol.asyncIterator]();
  let expected: [string, string][] = [];
  let group: StoredEntry[] = [];
  let seal: Extract<Seal, { kind: 'entries' }> | undefined;
  let opened = 0;
  let count = 0;
  let unsealed = 0;
  let unsealedSince: number | undefined;
  let lastId = last?.to ?? '0-0';
  let problem: string | undefined;
  const found = (text: string) => {
    problem ??= text;
  };

  /** Ends the seal whose entries were all read, and continues with the next one. */
  async function nextSeal(): Promise<void> {
    if (seal !== undefined && hashOf(group) !== seal.hash) found(`Entries of seal ${seal.n} were changed.`);
    [seal, group, expected] = [undefined, [], []];
    while (seal === undefined && opened < sealCount) {
      const { value, done } = await sealed.next();
      if (done) return;
      opened += 1;
      const next = openSeal(keys, trail, value);
      if (typeof next === 'string') {
        opened = sealCount;
        return;
      }
      if (next.kind === 'entries') [seal, expected] = [next, coveredBy(next)];
    }
  }

  const missing = () => {
    const [id = ''] = expected.shift() ?? [];
    found(`${entryAt(id)} is missing: it was removed.`);
  };

  await nextSeal();
  for await (const entry of entries()) {
    const { id, text } = entry;
    count += 1;
    if (compareIds(id, lastId) > 0) lastId = id;
    while (expected[0] !== undefined && compareIds(expected[0][0], id) < 0) {
      missing();
      group.push({ id: '', text: '' });
      if (expected.length === 0) await nextSeal();
    }
    const [expectedId, hash] = expected[0] ?? [];
    if (expectedId === id) {
      expected.shift();
      group.push(entry);
      if (shortHash(text) !== hash) found(`${entryAt(id)} was changed.`);
      else if (!isGenuine(text)) found(`${entryAt(id)} was not written by Proofdesk, or was copied.`);
      if (expected.length === 0) await nextSeal();
    } else if (compareIds(id, last?.to ?? '0-0') <= 0) {
      found(`${entryAt(id)} was inserted: no seal has it.`);
    } else {
      if (!isGenuine(text)) found(`${entryAt(id)} was not written by Proofdesk, or was copied.`);
      unsealed += 1;
      unsealedSince ??= timeOf(id);
    }
  }
  while (expected.length > 0) {
    missing();
    group.push({ id: '', text: '' });
    if (expected.length === 0) await nextSeal();
  }
  if (compareIds(lastAdded, lastId) > 0)
    found(`${entryAt(lastAdded)} was the last one written, and is missing: it was removed.`);
  return {
    entries: count,
    unsealed,
    ...(unsealedSince === undefined ? {} : { unsealedSince }),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** Creates the check that an entry is the bot's own and unique. Unsigned entries must be older than all others. */
function createSignatureCheck(trail: Trail, keys: readonly AuditKey[]) {
  const nonces = new Set<string>();
  return (text: string): boolean => {
    const signature = checkSignature(keys, trail, text);
    if (signature === 'unsigned') return nonces.size === 0;
    if (signature === 'wrong' || nonces.has(signature.nonce)) return false;
    nonces.add(signature.nonce);
    return true;
  };
}

function entryAt(id: string): string {
  return `Entry ${id} of ${atTime(timeOf(id))}`;
}

/** Formats a time as `2026-11-22 07:40:12 UTC`. */
export function atTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
