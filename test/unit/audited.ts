import type { Redis } from 'ioredis';
import type { AuditEntry, Trail } from '../../src/domain/audit.ts';
import { auditKey, auditLineCodec } from '../../src/store/audit.ts';

/** Returns the entries of an audit trail, the oldest first. */
export async function audited(redis: Redis, trail: Trail): Promise<AuditEntry[]> {
  const lines = await redis.xrange(auditKey(trail), '-', '+');
  return lines.flatMap(([, [, text = '']]) => {
    const decoded = auditLineCodec.decode(text);
    return decoded.ok ? [decoded.value] : [];
  });
}
