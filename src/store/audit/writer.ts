import type { NewAuditEntry, Trail } from '../../domain/audit.ts';
import { accountKey, workspaceKey } from '../keys.ts';
import { auditLineCodec } from './entry.ts';
import { type AuditKey, sign } from './signatures.ts';

/** Writes entries as the text that a step of Redis adds to their trail, see {@link appendEntry}. */
export interface AuditWriter {
  /** Returns the text of an entry. */
  encode(trail: Trail, entry: NewAuditEntry): string;
  /** Reports that an entry was stored: it is sealed soon. */
  stored(trail: Trail): void;
}

/**
 * Returns the statement of a Lua script that adds an entry to its trail, in the same step as what the script changes.
 * @param key the script's KEYS with {@link auditKey}, such as `KEYS[2]`
 * @param text its ARGV with what {@link AuditWriter} encoded, such as `ARGV[3]`
 */
export function appendEntry(key: string, text: string): string {
  return `redis.call('XADD', ${key}, '*', 'entry', ${text})`;
}

/** Returns the key of a trail: a stream. */
export function auditKey({ workspace, account }: Trail): string {
  return account === undefined
    ? workspaceKey(workspace, 'audit')
    : accountKey({ workspace, account }, 'audit');
}

/**
 * Creates the writer of audit entries.
 * @param key signs them; without one, as in tests of single stores, they stay unsigned
 */
export function createAuditWriter({
  key,
  now = Date.now,
  onStored = () => undefined,
}: {
  readonly key?: AuditKey | undefined;
  readonly now?: () => number;
  readonly onStored?: (trail: Trail) => void;
} = {}): AuditWriter {
  return {
    encode(trail, entry) {
      const text = auditLineCodec.encode({ at: now(), ...entry });
      return key === undefined ? text : sign(key, trail, text);
    },
    stored: onStored,
  };
}
