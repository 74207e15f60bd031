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

/** Returns an entry for a store that adds it in the same step as its change. */
export type AuditWriter = (trail: Trail, entry: NewAuditEntry) => AuditStep;

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
