/** The results CSV (section 9): key,value lines, then a header row, then one row per submitted task. */
import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  cellCount,
  cellText,
  createRecordSkipper,
  createRecords,
  type Records,
  recordStart,
  scanRecords,
} from './csv-records.ts';
import type { Datetimes } from './datetimes.ts';
import { countIn, type ResultsProblem } from './results-problems.ts';
import {
  addRecords,
  beginTable,
  createTable,
  cutRow,
  endTable,
  isCutIn,
  skipRow,
  type Takers,
} from './results-table.ts';
import type { CampaignResults } from './types.ts';

/** Maximum size of a record: it would be held in memory as a whole. */
const maxRecordBytes = 1024 * 1024;
const chunkBytes = 64 * 1024;
const newline = 0x0a;
const byteOrderMark = Buffer.from('\uFEFF');

/** The result of reading a results CSV. */
export type ReadResults = Omit<CampaignResults, 'campaignId' | 'rows' | 'wireBytes'>;

/** Reads a results CSV as it arrives. */
export interface ResultsReader {
  /** Takes the next bytes, which may be reused once it resolves. */
  push(bytes: Buffer): Promise<void>;
  /** @param isUndecodable some of the bytes were decoded to no character before */
  end(isUndecodable?: boolean): Promise<ReadResults>;
}

/**
 * Creates the reader of one file. Lines before the row whose first cell is ROW are key,value; a line without a comma there
 * is a separator.
 * @param campaignId the campaign whose results were requested: rows of another one are omitted
 */
export function createResultsReader(
  datetimes: Datetimes,
  takers: Takers,
  campaignId?: string,
): ResultsReader {
  const preamble: Record<string, string> = {};
  const table = createTable(datetimes, takers);
  const records = createRecords();
  let isOther = false;
  let isTable = false;
  let bytes = 0;
  let lastByte = 0;
  let held: Buffer = Buffer.alloc(0);
  let isBegun = false;
  let isGarbled = false;
  let skipper: ReturnType<typeof createRecordSkipper> | undefined;

  function takeHeader(record: readonly string[]): void {
    isTable = true;
    const named = preamble.CAMPAIGN_ID ?? '';
    isOther = campaignId !== undefined && named !== '' && named !== campaignId;
    beginTable(table, record, isOther);
  }

  /** Reads the lines above the table. Returns the beginning of the unread rest. */
  function readPreamble(block: Buffer, isEnd: boolean): number {
    let from = 0;
    while (from < block.length && !isTable) {
      const { rest } = scanRecords(records, block, from, isEnd, 1);
      const size = (records.count > 0 ? rest : block.length) - from;
      const isReadable = records.count > 0 && size <= maxRecordBytes;
      if (isReadable) {
        const cells = cellsOf(records, 0);
        if (isHeader(cells)) takeHeader(cells);
        else addToPreamble(preamble, cells[0] ?? '', cells.slice(1));
        from = rest;
      } else if (rest === block.length) return rest;
      else if (isEnd || size > maxRecordBytes) {
        // For an unreadable record, its first line is used.
        const line = lineAt(block, from);
        addToPreamble(preamble, ...splitAtFirstComma(line.text));
        from = line.next;
      } else return from;
    }
    return from;
  }

  /**
   * Reads the rows of a block. Workers write their cells: after one that is too large, reading resumes only where the record
   * really ends, since a line inside a quoted cell could pass for the row of another task.
   * @returns the beginning of the unread rest
   */
  async function readRows(block: Buffer, from: number, isEnd: boolean): Promise<number> {
    const { rest, isOpen } = scanRecords(records, block, from, isEnd);
    const large = firstLarge(records, rest);
    if (large >= 0) {
      await addRecords(table, records, 0, large);
      skipRow(table, ['a row that is too large']);
      const next = large + 1 < records.count ? recordStart(records, large + 1) : rest;
      return readRows(block, next, isEnd);
    }
    if (isEnd && isOpen) {
      await addRecords(table, records, 0, records.count);
      cutRow(table, 'a quote that is never closed: the rest was not read');
      return block.length;
    }
    if (isEnd) {
      // Only a record without a final line break can be cut off.
      const last = lastByte === newline ? -1 : records.count - 1;
      await addRecords(table, records, 0, last < 0 ? records.count : last);
      if (last >= 0 && isCutIn(table, records, last)) cutRow(table, 'the file ends within this row');
      else if (last >= 0) await addRecords(table, records, last, records.count);
      return block.length;
    }
    await addRecords(table, records, 0, records.count);
    if (block.length - rest <= maxRecordBytes) return rest;
    skipper = createRecordSkipper();
    skipper.skip(block, rest);
    return block.length;
  }

  /** Skips the rest of a record that is too large. Returns the beginning of the next one. */
  function skipRecord(block: Buffer): number {
    if (skipper === undefined) return 0;
    const next = skipper.skip(block, 0);
    if (next === undefined) return block.length;
    skipper = undefined;
    skipRow(table, ['a row that is too large']);
    return next;
  }

  async function read(block: Buffer, isEnd: boolean): Promise<void> {
    let from = skipRecord(block);
    if (!isTable) from = readPreamble(block, isEnd);
    if (isTable && skipper === undefined) from = await readRows(block, from, isEnd);
    // Whole records are examined: a block may end within a character.
    isGarbled ||= !isUtf8(block.subarray(0, from));
    held = from >= block.length ? Buffer.alloc(0) : Buffer.from(block.subarray(from));
  }

  return {
    async push(arrived) {
      if (arrived.length === 0) return;
      bytes += arrived.length;
      lastByte = arrived[arrived.length - 1] ?? 0;
      let block = held.length === 0 ? arrived : Buffer.concat([held, arrived]);
      if (!isBegun) {
        if (block.length < byteOrderMark.length) {
          held = Buffer.from(block);
          return;
        }
        isBegun = true;
        if (block.subarray(0, byteOrderMark.length).equals(byteOrderMark))
          block = block.subarray(byteOrderMark.length);
      }
      await read(block, false);
    },

    async end(isUndecodable = false) {
      await read(held, true);
      if (skipper !== undefined) {
        if (skipper.isOpen()) cutRow(table, 'a quote that is never closed: the rest was not read');
        else skipRow(table, ['a row that is too large']);
      }
      const { rows, unreadable, skipped, doubtful, counts, ...found } = endTable(table);
      const submitted = countIn(preamble, 'TASKS_SUBMITTED') ?? 0;
      const isFewer = isTable && !isOther && rows + unreadable < submitted;
      const problems: ResultsProblem[] = [
        ...(isTable ? [] : [{ kind: 'no header' } as const]),
        ...(isOther ? [{ kind: 'other campaign' } as const] : []),
        ...(isOther ? [] : found.problems),
        ...(isGarbled || isUndecodable ? [{ kind: 'undecodable' } as const] : []),
        ...(isFewer ? [{ kind: 'fewer rows', read: rows, expected: submitted } as const] : []),
      ];
      return { preamble, skipped, bytes, problems, doubtful, counts };
    },
  };
}

/** Reads a whole file in slices, so that other work runs in between. @param text UTF-8 */
export async function readResultsCsv(
  text: Buffer,
  datetimes: Datetimes,
  takers: Takers,
  campaignId?: string,
): Promise<ReadResults> {
  const reader = createResultsReader(datetimes, takers, campaignId);
  for (let at = 0; at < text.length; at += chunkBytes) {
    await reader.push(text.subarray(at, at + chunkBytes));
    await nextTurn();
  }
  return reader.end();
}

/** Returns whether a record is the header: by its first cell, or by the two columns that every row needs. */
function isHeader(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim().toUpperCase());
  return names[0] === 'ROW' || (names.includes('TASK_ID') && names.includes('TASK_RATING'));
}

function cellsOf(records: Records, record: number): string[] {
  return Array.from({ length: cellCount(records, record) }, (_, cell) => cellText(records, record, cell));
}

/** Returns the first record that is too large, or -1. @param rest the end of the last one */
function firstLarge(records: Records, rest: number): number {
  // All of them together are rarely that large.
  if (records.count === 0 || rest - recordStart(records, 0) <= maxRecordBytes) return -1;
  for (let record = 0; record < records.count; record += 1) {
    const end = record + 1 < records.count ? recordStart(records, record + 1) : rest;
    if (end - recordStart(records, record) > maxRecordBytes) return record;
  }
  return -1;
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
