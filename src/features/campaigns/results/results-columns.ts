import { maskIp } from '../../../domain/ip.ts';
import type { ResultRow } from '../../../marketplace/index.ts';

/** A cell of the results, by type rather than format. */
export type Cell =
  | { readonly kind: 'text' | 'id'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'date'; readonly date: Date | undefined };

/** The columns before and after the proof's columns. */
const firstColumns = 'ROW CSV_ROW TASK_ID USER_ID USERNAME TASK_RATING FINISHED IP COUNTRY_CODE'.split(' ');
const lastColumns = ['EMPLOYER_COMMENT', 'HTTP_USER_AGENT'];

/** Returns the column names, the marketplace's own (section 9 of its API). @param slots of the proof */
export function columnNames(slots: number): string[] {
  const slotNames = Array.from({ length: slots }, (_, slot) => `PROOF_${slot + 1}`);
  return [...firstColumns, ...slotNames, ...lastColumns];
}

/** Returns a row's cells. Workers' IP addresses are masked, because they are personal data. */
export function cellsOf(row: ResultRow): Cell[] {
  const text = (value: string): Cell => ({ kind: 'text', text: value });
  return [
    numberOr(row.row, 'text'),
    numberOr(row.csvRow, 'text'),
    { kind: 'id', text: row.taskId },
    { kind: 'id', text: row.workerId },
    text(row.username),
    text(row.rating),
    { kind: 'date', date: row.finishedAt },
    text(maskIp(row.ip)),
    text(row.countryCode),
    ...row.proof.map(text),
    text(row.employerComment),
    text(row.userAgent),
  ];
}

/** Returns the lines about the campaign: name and value. */
export function preambleCells(preamble: Readonly<Record<string, string>>): [Cell, Cell][] {
  return Object.entries(preamble).map(([key, value]) => [
    { kind: 'text', text: key },
    key.endsWith('_ID') ? { kind: 'id', text: value } : numberOr(value, 'text'),
  ]);
}

/** Numbers that spreadsheets display unchanged: no leading zeros, and no more digits than they can hold. */
const plainNumber = /^(?:0|-?[1-9]\d{0,14}|-?(?:0|[1-9]\d{0,8})\.\d{1,6})$/u;

function numberOr(text: string, kind: 'text'): Cell {
  return { kind: plainNumber.test(text) ? 'number' : kind, text };
}
