import type { Redis } from 'ioredis';
import type { AuditEntry, NewAuditEntry, Trail } from '../../domain/audit.ts';
import type { Logger } from '../../logger.ts';
import { accountKey, workspaceKey } from '../keys.ts';
import { auditLineCodec } from './entry.ts';

/** An audit entry that a Redis step adds together with a change. */
export interface AuditStep {
  /** The trail's key, and the entry's text. */
  readonly key: string;
  readonly text: string;
  /** Logs the entry. Must be called once, when the step was made. */
  stored(): void;
}

/** Returns an entry for a store that adds it in the same step as its change, see {@link appendEntry}. */
export type AuditWriter = (trail: Trail, entry: NewAuditEntry) => AuditStep;

/**
 * Returns the Lua statement that adds an entry to its trail, in the same step as the script's changes.
 * @param key the script's KEYS with {@link auditKey}, such as `KEYS[2]`
 * @param text its ARGV with the text encoded by {@link AuditWriter}, such as `ARGV[3]`
 */
export function appendEntry(key: string, text: string): string {
  return `redis.call('XADD', ${key}, '*', 'entry', ${text})`;
}

/** KEYS: the changed key, a trail if an entry is added. ARGV: entry, command, its arguments after the key. */
const changeScript = `
redis.call(ARGV[2], KEYS[1], unpack(ARGV, 3))
if KEYS[2] then ${appendEntry('KEYS[2]', 'ARGV[1]')} end`;

/**
 * Makes a change by one command, and adds an entry in the same step of Redis.
 * @param key is of the trail's account or workspace
 */
export async function changeInStep(
  redis: Redis,
  step: AuditStep | undefined,
  key: string,
  ...command: readonly ['DEL' | 'HDEL' | 'HSET' | 'SET', ...(string | number)[]]
): Promise<void> {
  const keys = step === undefined ? [key] : [key, step.key];
  await redis.eval(changeScript, keys.length, ...keys, step?.text ?? '', ...command);
  step?.stored();
}

/** Returns the key of a trail: a stream. */
export function auditKey({ workspace, account }: Trail): string {
  return account === undefined
    ? workspaceKey(workspace, 'audit')
    : accountKey({ workspace, account }, 'audit');
}

/**
 * Creates the writer of audit entries.
 * @param logger gets each stored entry as a line, for a log system that Redis's administrators cannot change
 */
export function createAuditWriter({
  now = Date.now,
  logger,
}: {
  readonly now?: () => number;
  readonly logger?: Pick<Logger, 'info'>;
} = {}): AuditWriter {
  return (trail, newEntry) => {
    const entry: AuditEntry = { at: now(), ...newEntry };
    return {
      key: auditKey(trail),
      text: auditLineCodec.encode(entry),
      stored: () => logger?.info({ ...trail, ...entry }, 'audit'),
    };
  };
}
