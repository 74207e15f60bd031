import type { Redis } from 'ioredis';
import type { AuditEntry, Trail } from '../../src/domain/audit.ts';
import { createAudit } from '../../src/store/audit.ts';

/** Returns the entries of an audit trail, the oldest first. */
export async function audited(redis: Redis, trail: Trail): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  for await (const one of createAudit(redis).lines(trail)) found.push(one);
  return found;
}
