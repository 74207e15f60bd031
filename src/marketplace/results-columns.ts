/** The columns of the results table (section 9): their positions, and the cells of a row by column. */
import { cellCount, cellText, type Records } from './csv-records.ts';

/** The position of each column; -1 when the file does not have it. */
export interface Columns {
  readonly count: number;
  readonly last: number;
  readonly row: number;
  readonly csvRow: number;
  readonly taskId: number;
  readonly workerId: number;
  readonly username: number;
  readonly rating: number;
  readonly finished: number;
  readonly ip: number;
  readonly country: number;
  readonly proof: readonly number[];
  readonly comment: number;
  readonly agent: number;
}

/** Finds the columns by their names. */
export function columnsOf(names: readonly string[]): Columns {
  const places = new Map(names.map((name, place) => [name, place]));
  const at = (name: string) => places.get(name) ?? -1;
  const proof = names
    .map((name, place) => ({ slot: Number(/^PROOF_(\d+)$/u.exec(name)?.[1] ?? 0), place }))
    .filter(({ slot }) => slot > 0)
    .sort((a, b) => a.slot - b.slot)
    .map(({ place }) => place);
  return {
    count: names.length,
    last: names.length - 1,
    row: at('ROW'),
    csvRow: at('CSV_ROW'),
    taskId: at('TASK_ID'),
    workerId: at('USER_ID'),
    username: at('USERNAME'),
    rating: at('TASK_RATING'),
    finished: at('FINISHED'),
    ip: at('IP'),
    country: at('COUNTRY_CODE'),
    proof,
    comment: at('EMPLOYER_COMMENT'),
    agent: at('HTTP_USER_AGENT'),
  };
}

/**
 * Returns the text of a cell, or an empty one when the file does not have it. Cells beyond the header come from unquoted
 * commas, most likely in a browser's name, which is the last column.
 */
export function cellOf(records: Records, record: number, place: number, columns: Columns): string {
  const cells = cellCount(records, record);
  if (place < 0 || place >= cells) return '';
  if (place < columns.last || cells <= columns.count) return cellText(records, record, place);
  const texts: string[] = [];
  for (let at = place; at < cells; at += 1) texts.push(cellText(records, record, at));
  return texts.join(',');
}
