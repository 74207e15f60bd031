import { AuditEntry } from '../../domain/audit.ts';
import { createCodec, type Migration } from '../codec.ts';

/** The acts that a job does, or that happen outside of Slack: version 1 did not record how an act came about. */
const howOf: Readonly<Record<string, string>> = {
  applied: 'job',
  refused: 'job',
  overtaken: 'job',
  recovered: 'job',
  'came back': 'elsewhere',
  'rated elsewhere': 'elsewhere',
};

/** Version 1 named the decision's author as `by`, even for an undo, and did not record who undid it. */
const whoAndHow: Migration = {
  name: 'who acted and how',
  migrate(old) {
    const { by, ...line } = old as { by?: string; what: string };
    const how = howOf[line.what];
    const actor = line.what === 'undone' ? { member: by } : { by };
    return { ...line, ...(by === undefined ? {} : actor), ...(how === undefined ? {} : { how }) };
  },
};

export const auditLineCodec = createCodec('audit-line', AuditEntry, [whoAndHow]);
