/** The results CSV (section 9): key,value lines, then a header row, then one row per submitted task. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CsvError, type Info, type Parser, parse } from 'csv-parse';
import type { Datetimes } from './datetimes.ts';
import { countIn, type ResultsProblem } from './results-problems.ts';
import { createTable, type Takers } from './results-table.ts';
import type { CampaignResults } from './types.ts';

/** A record may not grow beyond this: it would be held in memory as a whole. */
const maxRecordBytes = 1024 * 1024;
const chunkBytes = 64 * 1024;
const newline = 0x0a;
const carriageReturn = 0x0d;
const comma = 0x2c;
const quote = 0x22;

/**
 * Reads a whole file in slices, so that other work gets its turn in between. Lines before the row whose first cell is
 * ROW are key,value; what has no comma there is a separator.
 * @param text UTF-8
 * @param campaignId the campaign whose results were asked for: rows of another one are left out
 */
export async function readResultsCsv(
  text: Buffer,
  datetimes: Datetimes,
  takers: Takers,
  campaignId?: string,
): Promise<Omit<CampaignResults, 'campaignId' | 'rows'>> {
  const preamble: Record<string, string> = {};
  const table = createTable(datetimes, takers);
  let isOther = false;
  let isTable = false;
  const onRecord = (cells: readonly string[]) => {
    if (isTable) table.add(cells);
    else if (isHeader(cells)) {
      isTable = true;
      const named = preamble.CAMPAIGN_ID ?? '';
      isOther = campaignId !== undefined && named !== '' && named !== campaignId;
      table.begin(cells, isOther);
    } else addToPreamble(preamble, cells[0] ?? '', cells.slice(1));
  };

  let from = 0;
  while (from < text.length) {
    const end = await parseFrom(text, from, onRecord);
    if (end === undefined) break;
    // The record that begins here cannot be read.
    if (!isTable) {
      const line = lineAt(text, end);
      addToPreamble(preamble, ...splitAtFirstComma(line.text));
      from = line.next;
      continue;
    }
    // Workers write the cells of a row: reading resumes only where the record really ends, since a line inside a
    // quoted cell could pass for the row of another task.
    const next = endOfRecord(text, end);
    if (next === undefined) {
      table.cut('a quote that is never closed: the rest was not read');
      break;
    }
    table.skip(['a row that is too large']);
    from = next;
  }
  const read = table.end(text.at(-1) === newline);
  const submitted = countIn(preamble, 'TASKS_SUBMITTED') ?? 0;
  const isFewer = isTable && !isOther && read.rows + read.unreadable < submitted;
  const problems: ResultsProblem[] = [
    ...(isTable ? [] : [{ kind: 'no header' } as const]),
    ...(isOther ? [{ kind: 'other campaign' } as const] : []),
    ...(isOther ? [] : read.problems),
    ...(isFewer ? [{ kind: 'fewer rows', read: read.rows, expected: submitted } as const] : []),
  ];
  return { preamble, skipped: read.skipped, bytes: text.length, problems, doubtful: read.doubtful };
}

/** Returns whether a record is the header: by its first cell, or by the two columns without which no row can be read. */
function isHeader(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim().toUpperCase());
  return names[0] === 'ROW' || (names.includes('TASK_ID') && names.includes('TASK_RATING'));
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
