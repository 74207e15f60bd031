/** The results CSV (section 9): key,value lines, then a header row, then one row per submitted task. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CsvError, type Info, type Parser, parse } from 'csv-parse';
import { ratings, TaskId, WorkerId } from '../domain/terms.ts';
import type { Datetimes } from './datetimes.ts';
import type { CampaignResults, ResultRow } from './types.ts';

/** A record may not grow beyond this: it would be held in memory as a whole. */
const maxRecordBytes = 1024 * 1024;
const chunkBytes = 64 * 1024;
const newline = 0x0a;
const carriageReturn = 0x0d;
const comma = 0x2c;
const quote = 0x22;

/** Who takes what is read. */
export interface Takers {
  /** Takes each row, in the order of the file. */
  readonly onRow: (row: ResultRow) => void;
  /** Takes what is wrong with a row that cannot be read, and its position among the rows. */
  readonly onSkipped: (row: { readonly index: number; readonly issues: string[] }) => void;
}

/**
 * Reads a whole file in slices, so that other work gets its turn in between. Lines before the row whose first cell is
 * ROW are key,value; what has no comma there is a separator.
 * @param text UTF-8
 */
export async function readResultsCsv(
  text: Buffer,
  datetimes: Datetimes,
  { onRow, onSkipped }: Takers,
): Promise<Omit<CampaignResults, 'campaignId' | 'rows'>> {
  const preamble: Record<string, string> = {};
  let taken = 0;
  let columns: Columns | undefined;
  let skipped = 0;

  const skip = (issues: string[]) => {
    onSkipped({ index: taken + skipped, issues });
    skipped += 1;
  };
  const onRecord = (cells: readonly string[]) => {
    if (columns !== undefined) {
      const row = toRow(cells, columns, datetimes);
      if ('issues' in row) skip(row.issues);
      else {
        onRow(row);
        taken += 1;
      }
    } else if (cells[0]?.trim().toUpperCase() === 'ROW') columns = columnsOf(cells);
    else addToPreamble(preamble, cells[0] ?? '', cells.slice(1));
  };

  let from = 0;
  while (from < text.length) {
    const end = await parseFrom(text, from, onRecord);
    if (end === undefined) break;
    // The record that begins here cannot be read.
    if (columns === undefined) {
      const line = lineAt(text, end);
      addToPreamble(preamble, ...splitAtFirstComma(line.text));
      from = line.next;
      continue;
    }
    // Workers write the cells of a row: reading resumes only where the record really ends, since a line inside a
    // quoted cell could pass for the row of another task.
    const next = endOfRecord(text, end);
    skip([
      next === undefined ? 'a quote that is never closed: the rest was not read' : 'a row that is too large',
    ]);
    if (next === undefined) break;
    from = next;
  }
  return { preamble, skipped, bytes: text.length };
}

/** Reads records from an offset on. Answers the offset at which the first unreadable one begins, if there is one. */
async function parseFrom(
  text: Buffer,
  from: number,
  onRecord: (cells: readonly string[]) => void,
): Promise<number | undefined> {
  let readUntil = 0;
  let failure: CsvError | undefined;
  const parser: Parser = parse({
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n'],
    max_record_size: maxRecordBytes,
    on_record(cells: string[], { bytes }: Info) {
      onRecord(cells);
      readUntil = bytes;
      return null;
    },
  });
  const ended = new Promise<void>((resolve) => {
    parser.once('end', resolve);
    parser.once('error', (error: CsvError) => {
      failure = error;
      resolve();
    });
  });
  parser.resume();
  for (let at = from; at < text.length && failure === undefined; at += chunkBytes) {
    parser.write(text.subarray(at, at + chunkBytes));
    await nextTurn();
  }
  if (failure === undefined) parser.end();
  await ended;
  return failure === undefined ? undefined : from + readUntil;
}

/**
 * Returns the offset behind the record that begins at `from` (empty lines before it are skipped), or undefined when one
 * of its quotes is never closed. Follows the parser's rules: a quote opens a cell only as its first character, and one
 * that is neither doubled nor the last of its cell ends the quoting.
 */
function endOfRecord(text: Buffer, from: number): number | undefined {
  let at = from;
  while (text[at] === newline || text[at] === carriageReturn) at += 1;
  let cell: 'empty' | 'quoted' | 'plain' = 'empty';
  for (; at < text.length; at += 1) {
    const byte = text[at];
    if (cell === 'quoted') {
      if (byte !== quote) continue;
      if (text[at + 1] === quote) at += 1;
      else cell = 'plain';
    } else if (byte === newline) return at + 1;
    else if (byte === comma) cell = 'empty';
    else cell = cell === 'empty' && byte === quote ? 'quoted' : 'plain';
  }
  return cell === 'quoted' ? undefined : text.length;
}

function lineAt(text: Buffer, from: number): { text: string; next: number } {
  const end = text.indexOf(newline, from);
  const next = end < 0 ? text.length : end + 1;
  return { text: text.toString('utf8', from, next).trim(), next };
}

function addToPreamble(preamble: Record<string, string>, key: string, values: readonly string[]): void {
  if (key.trim() !== '' && values.length > 0) preamble[key.trim()] = values.join(',').trim();
}

function splitAtFirstComma(line: string): [key: string, values: string[]] {
  const comma = line.indexOf(',');
  return comma < 0 ? [line, []] : [line.slice(0, comma), [line.slice(comma + 1)]];
}

/** Where each column stands; -1 when the file does not have it. */
interface Columns {
  readonly at: (name: string) => number;
  readonly count: number;
  readonly proof: readonly number[];
}

function columnsOf(header: readonly string[]): Columns {
  const names = header.map((name) => name.trim().toUpperCase());
  const places = new Map(names.map((name, place) => [name, place]));
  const proof = names
    .map((name, place) => ({ slot: Number(/^PROOF_(\d+)$/u.exec(name)?.[1] ?? 0), place }))
    .filter(({ slot }) => slot > 0)
    .sort((a, b) => a.slot - b.slot)
    .map(({ place }) => place);
  return { at: (name) => places.get(name) ?? -1, count: names.length, proof };
}

function toRow(
  written: readonly string[],
  columns: Columns,
  datetimes: Datetimes,
): ResultRow | { issues: string[] } {
  // Cells beyond the header come from commas that nobody quoted, in a browser's name most likely, which stands last.
  const last = columns.count - 1;
  const cells =
    written.length > columns.count ? [...written.slice(0, last), written.slice(last).join(',')] : written;
  const cell = (name: string) => cells[columns.at(name)] ?? '';
  const taskId = cell('TASK_ID').trim();
  const sent = cell('TASK_RATING').trim().toUpperCase();
  const rating = ratings.find((known) => known === sent);
  const issues = [
    ...(taskId === '' ? ['TASK_ID: empty'] : []),
    ...(rating === undefined ? ['TASK_RATING: not one of the ratings'] : []),
  ];
  if (rating === undefined || issues.length > 0) return { issues };
  return {
    row: cell('ROW'),
    csvRow: cell('CSV_ROW'),
    taskId: TaskId.parse(taskId),
    workerId: WorkerId.parse(cell('USER_ID').trim()),
    username: cell('USERNAME'),
    rating,
    finishedAt: datetimes.parse(cell('FINISHED')),
    ip: cell('IP').trim(),
    countryCode: cell('COUNTRY_CODE').trim(),
    proof: columns.proof.map((place) => cells[place] ?? ''),
    employerComment: cell('EMPLOYER_COMMENT'),
    userAgent: cell('HTTP_USER_AGENT'),
  };
}
