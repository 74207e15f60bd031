import type { AuditEntry } from '../../domain/audit.ts';

/** Writes cells in a form that no spreadsheet executes or converts. */
export interface Cells {
  readonly cell: (text: string) => string;
  readonly idCell: (text: string) => string;
}

/** Batch size for encoding lines. */
const linesPerChunk = 500;

type Column = readonly [name: string, value: (entry: AuditEntry) => string | undefined, isId?: true];

const columns: readonly Column[] = [
  ['TIME', ({ at }) => new Date(at).toISOString().replace('T', ' ').slice(0, 23)],
  ['WHO', ({ by }) => by, true],
  ['HOW', ({ how }) => how],
  ['WHAT', ({ what }) => what],
  ['STAGE', ({ stage }) => stage],
  ['OTHER_MEMBER', ({ member }) => member, true],
  ['CAMPAIGN', ({ campaign }) => campaign, true],
  ['TASK', ({ task }) => task, true],
  ['ROUND', ({ round }) => round?.toString()],
  ['RATING', ({ rating }) => rating],
  ['VERDICT', ({ verdict }) => verdict],
  ['COMMENT', ({ comment }) => comment],
  ['FAVORITE', ({ favorite }) => favorite],
  ['MONEY', ({ money }) => money],
  ['BEFORE', ({ before }) => before],
  ['AFTER', ({ after }) => after],
  ['ANSWER', ({ answer }) => answer],
  ['WORKER', ({ worker }) => worker, true],
  ['MESSAGE', ({ message }) => message, true],
  ['CHANNEL', ({ channel }) => channel, true],
  ['USER_GROUP', ({ group }) => group, true],
  ['DECISION', ({ decision }) => decision, true],
  ['ACT', ({ act }) => act, true],
];

/** Creates the audit's CSV file for spreadsheets, entry by entry. Times are UTC; UTF-8 with a byte order mark. */
export function createAuditFile({ cell, idCell }: Cells) {
  const chunks: Buffer[] = [Buffer.from(`\uFEFF${columns.map(([name]) => name).join(',')}\r\n`)];
  let lines: string[] = [];
  let count = 0;
  const flush = () => {
    chunks.push(Buffer.from(lines.map((line) => `${line}\r\n`).join('')));
    lines = [];
  };
  return {
    add(entry: AuditEntry): void {
      lines.push(columns.map(([, value, isId]) => (isId ? idCell : cell)(value(entry) ?? '')).join(','));
      count += 1;
      if (lines.length >= linesPerChunk) flush();
    },

    /** Returns the number of entries. */
    get count() {
      return count;
    },

    /** Returns the whole file in chunks. */
    parts(): Buffer[] {
      flush();
      return chunks;
    },
  };
}
