import { AuditEntry } from '../../domain/audit.ts';
import { createCodec } from '../codec.ts';

export const auditLineCodec = createCodec('audit-line', AuditEntry);
