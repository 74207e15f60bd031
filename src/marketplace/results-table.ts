/** The table of a results CSV (section 9): its header, and one row per submitted task. */
import { type Rating, ratings, TaskId, type WorkerId } from '../domain/terms.ts';
import { addKey, type ByteKeys, createByteKeys, keyText } from './byte-keys.ts';
import { cellCount, cellIndex, type Records } from './csv-records.ts';
import type { Datetimes } from './datetimes.ts';
import { type Columns, cellOf, columnsOf } from './results-columns.ts';
import { type ResultsProblem, unclearColumns } from './results-problems.ts';
import type { ResultRow, ResultRows } from './types.ts';

/** Receivers of the read rows and problems. */
export interface Takers {
  /** Takes rows in the order of the file, in batches; they are valid until it resolves. */
  readonly onRows: (rows: ResultRows) => Promise<void> | void;
  /** Takes the problems of an unreadable row, and its position among the rows. */
  readonly onSkipped: (row: { readonly index: number; readonly issues: string[] }) => void;
}

/** The result of reading a table. */
interface ReadTable {
  /** Tasks whose row was taken. */
  readonly rows: number;
  readonly skipped: number;
  /** Rows that may be those of further tasks. */
  readonly unreadable: number;
  readonly problems: readonly ResultsProblem[];
  /** Number of tasks by rating, without the doubtful ones. */
  readonly counts: Readonly<Record<Rating, number>>;
  /** Tasks with several rows that contradict each other. */
  readonly doubtful: ReadonlySet<TaskId>;
}

const space = 0x20;
const quote = 0x22;
const lastAscii = 0x7e;

/** State of reading a table; passed to functions instead of closed over, for the reason given in byte-keys.ts. */
export interface Table {
  readonly datetimes: Datetimes;
  readonly takers: Takers;
  columns: Columns | undefined;
  unclear: readonly string[];
  /** The position of the next row. */
  index: number;
  /** Number of rows with fewer cells than the header. */
  short: number;
  /** The file ends within its last row. */
  isCut: boolean;
  /** Number of rows that could not be read, and of rows omitted for this or another reason. */
  unreadable: number;
  skipped: number;
  readonly ids: ByteKeys;
  /** The rating of each task, as its index among `ratings`. */
  seen: Uint8Array<ArrayBuffer>;
  readonly repeated: Set<number>;
  readonly doubtful: Set<number>;
}

/** Creates an unread table. Rows are judged one behind, since only the last one can be cut off. */
export function createTable(datetimes: Datetimes, takers: Takers): Table {
  return {
    datetimes,
    takers,
    columns: undefined,
    unclear: [],
    index: 0,
    short: 0,
    isCut: false,
    unreadable: 0,
    skipped: 0,
    ids: createByteKeys(),
    seen: new Uint8Array(1024),
    repeated: new Set(),
    doubtful: new Set(),
  };
}

/** Takes the header. @param isLeftOut the rows are not read */
export function beginTable(table: Table, header: readonly string[], isLeftOut: boolean): void {
  const names = header.map((name) => name.trim().toUpperCase());
  table.unclear = unclearColumns(names);
  // Without these, no row can be read.
  if (!isLeftOut && !table.unclear.includes('TASK_ID') && !table.unclear.includes('TASK_RATING'))
    table.columns = columnsOf(names);
}

/** Takes some records, in order. */
export async function addRecords(table: Table, records: Records, from: number, to: number): Promise<void> {
  const { columns } = table;
  if (columns === undefined) return;
  const taken: number[] = [];
  const tasks: number[] = [];
  for (let record = from; record < to; record += 1) {
    const task = takeRecord(table, columns, records, record);
    if (task < 0) continue;
    taken.push(record);
    tasks.push(task);
  }
  if (taken.length > 0) await table.takers.onRows(rowsOf(table, columns, records, taken, tasks));
}

/** Omits the next row, which cannot be read. */
export function skipRow(table: Table, issues: string[]): void {
  table.unreadable += 1;
  leaveOut(table, issues);
}

/** Omits the last row, within which the file ends. */
export function cutRow(table: Table, issue: string): void {
  table.isCut = true;
  skipRow(table, [issue]);
}

/**
 * Returns whether the file seems to end within its last record. If other rows are also short, empty cells were omitted
 * instead.
 */
export function isCutIn({ columns, short }: Table, records: Records, record: number): boolean {
  return columns !== undefined && cellCount(records, record) < columns.count && short === 0;
}

/** Returns the result of a table that has ended. */
export function endTable(table: Table): ReadTable {
  const { ids, isCut, unclear, unreadable, skipped, repeated, doubtful } = table;
  const others = unreadable - (isCut ? 1 : 0);
  const problems: ResultsProblem[] = [
    ...(unclear.length > 0 ? [{ kind: 'other columns', columns: unclear } as const] : []),
    ...(isCut ? [{ kind: 'cut end' } as const] : []),
    ...(others > 0 ? [{ kind: 'unreadable rows', count: others } as const] : []),
    ...(repeated.size > 0 ? [{ kind: 'repeated tasks', count: repeated.size } as const] : []),
  ];
  const counts: Record<Rating, number> = { NOTREVIEWED: 0, NOTRATED: 0, OK: 0, NOK: 0, REVISE: 0 };
  for (let task = 0; task < ids.size; task += 1) if (!doubtful.has(task)) counts[ratingOf(table, task)] += 1;
  const idOf = (task: number) => TaskId.parse(keyText(ids, task));
  return {
    rows: ids.size,
    skipped,
    unreadable,
    problems,
    counts,
    doubtful: new Set([...doubtful].map(idOf)),
  };
}

function leaveOut(table: Table, issues: string[]): void {
  table.takers.onSkipped({ index: table.index, issues });
  table.skipped += 1;
  table.index += 1;
}

/** Takes a record. Returns the number of its task, or -1 when its row is omitted. */
function takeRecord(table: Table, columns: Columns, records: Records, record: number): number {
  const rating = parseRating(cellOf(records, record, columns.rating, columns));
  const before = table.ids.size;
  // A task with an unreadable rating counts as not seen.
  const isReadable = rating >= 0;
  const task = isReadable ? numberOf(table.ids, records, record, columns) : -1;
  if (task < 0) {
    const isEmpty = cellOf(records, record, columns.taskId, columns).trim() === '';
    skipRow(table, [
      ...(isEmpty ? ['TASK_ID: empty'] : []),
      ...(isReadable ? [] : ['TASK_RATING: not one of the ratings']),
    ]);
    return -1;
  }
  if (task < before) {
    table.repeated.add(task);
    if (table.seen[task] !== rating) table.doubtful.add(task);
    leaveOut(table, ['TASK_ID: stands in an earlier row']);
    return -1;
  }
  if (cellCount(records, record) < columns.count) table.short += 1;
  if (task >= table.seen.length) {
    const larger = new Uint8Array(table.seen.length * 2);
    larger.set(table.seen);
    table.seen = larger;
  }
  table.seen[task] = rating;
  table.index += 1;
  return task;
}

/** Texts of ratings seen so far, with their index among `ratings`, -1 for another text. */
const parsedRatings = new Map<string, number>(ratings.map((rating, index) => [rating, index]));

/** Returns the index of a rating among `ratings`, -1 for another text. */
function parseRating(text: string): number {
  const known = parsedRatings.get(text);
  if (known !== undefined) return known;
  const found = ratings.indexOf(text.trim().toUpperCase() as Rating);
  // Workers do not write this cell, but it may still hold anything.
  if (parsedRatings.size < 100) parsedRatings.set(text, found);
  return found;
}

function ratingOf({ seen }: Table, task: number): Rating {
  return ratings[seen[task] ?? 0] ?? 'NOTREVIEWED';
}

/** Returns the number of a task's id; the cell's text is only created when it differs from the id. */
function numberOf(ids: ByteKeys, records: Records, record: number, columns: Columns): number {
  const { bytes, starts, ends } = records;
  const { taskId } = columns;
  const index = cellIndex(records, record, taskId);
  const [start, end] = [starts[index] ?? 0, ends[index] ?? 0];
  const [first = 0, last = 0] = [bytes[start], bytes[end - 1]];
  const isPlain = first > space && first !== quote && first <= lastAscii && last > space && last <= lastAscii;
  const isOwnCell = end > start && taskId < cellCount(records, record) && taskId !== columns.last;
  if (isPlain && isOwnCell) return addKey(ids, bytes, start, end);
  const text = Buffer.from(cellOf(records, record, taskId, columns).trim());
  return text.length === 0 ? -1 : addKey(ids, text, 0, text.length);
}

function rowsOf(
  table: Table,
  columns: Columns,
  records: Records,
  taken: readonly number[],
  tasks: readonly number[],
): ResultRows {
  const cell = (row: number, place: number) => cellOf(records, taken[row] ?? 0, place, columns);
  const rating = (row: number) => ratingOf(table, tasks[row] ?? 0);
  // Brands are added here without a schema: it would cost as much as the rest of a row, and every text is an id.
  const taskId = (row: number) => keyText(table.ids, tasks[row] ?? 0) as TaskId;
  const workerId = (row: number) => cell(row, columns.workerId).trim() as WorkerId;
  const csvRow = (row: number) => cell(row, columns.csvRow);
  const username = (row: number) => cell(row, columns.username);
  const finishedAt = (row: number) => table.datetimes.parse(cell(row, columns.finished));
  return {
    count: taken.length,
    taskId,
    rating,
    workerId,
    csvRow,
    username,
    finishedAt,
    row: (row) => ({
      row: cell(row, columns.row),
      csvRow: csvRow(row),
      taskId: taskId(row),
      workerId: workerId(row),
      username: username(row),
      rating: rating(row),
      finishedAt: finishedAt(row),
      ip: cell(row, columns.ip).trim(),
      countryCode: cell(row, columns.country).trim(),
      proof: columns.proof.map((place) => cell(row, place)),
      employerComment: cell(row, columns.comment),
      userAgent: cell(row, columns.agent),
    }),
  };
}

/** Returns every row in full. */
export function rowsIn(rows: ResultRows): ResultRow[] {
  return Array.from({ length: rows.count }, (_, index) => rows.row(index));
}
