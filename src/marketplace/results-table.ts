/** The table of a results CSV (section 9): its header, and one row per submitted task. */
import { type Rating, ratings, TaskId, type WorkerId } from '../domain/terms.ts';
import { type ByteKeys, createByteKeys } from './byte-keys.ts';
import type { Records } from './csv-records.ts';
import type { Datetimes } from './datetimes.ts';
import { type ResultsProblem, unclearColumns } from './results-problems.ts';
import type { ResultRow, ResultRows } from './types.ts';

/** Who takes what is read. */
export interface Takers {
  /** Takes rows in the order of the file, some at a time; they are valid until it resolves. */
  readonly onRows: (rows: ResultRows) => Promise<void> | void;
  /** Takes what is wrong with a row that cannot be read, and its position among the rows. */
  readonly onSkipped: (row: { readonly index: number; readonly issues: string[] }) => void;
}

/** What was read of a table. */
interface ReadTable {
  /** Tasks whose row was taken. */
  readonly rows: number;
  readonly skipped: number;
  /** Rows that may be those of further tasks. */
  readonly unreadable: number;
  readonly problems: readonly ResultsProblem[];
  /** How many tasks have which rating, without the doubtful ones. */
  readonly counts: Readonly<Record<Rating, number>>;
  /** Tasks with several rows that contradict each other. */
  readonly doubtful: ReadonlySet<TaskId>;
}

const space = 0x20;
const quote = 0x22;
const lastAscii = 0x7e;

/** Creates the reader of a table. Rows are judged one behind, since only the last one can be cut. */
export function createTable(datetimes: Datetimes, { onRows, onSkipped }: Takers) {
  let columns: Columns | undefined;
  let unclear: readonly string[] = [];
  let index = 0;
  let short = 0;
  let isCut = false;
  let unreadable = 0;
  let skipped = 0;
  const ids: ByteKeys = createByteKeys();
  /** The rating of each task, as its index among `ratings`. */
  let seen = new Uint8Array(1024);
  const repeated = new Set<number>();
  const doubtful = new Set<number>();
  const ratingOf = new Map<string, number>();

  function ratingAt(task: number): Rating {
    return ratings[seen[task] ?? 0] ?? 'NOTREVIEWED';
  }

  function skip(issues: string[]): void {
    onSkipped({ index, issues });
    skipped += 1;
    index += 1;
  }

  function unreadableRow(issues: string[]): void {
    unreadable += 1;
    skip(issues);
  }

  /** Returns the index of a rating among `ratings`, -1 for another text. */
  function parseRating(text: string): number {
    const known = ratingOf.get(text);
    if (known !== undefined) return known;
    const found = ratings.indexOf(text.trim().toUpperCase() as Rating);
    // Workers do not write this cell, but it may hold anything all the same.
    if (ratingOf.size < 100) ratingOf.set(text, found);
    return found;
  }

  /** Returns the number of a task's id; the text of its cell is made only where it is not the id as it stands. */
  function numberOf(records: Records, record: number, from: Columns): number {
    const { bytes } = records;
    const { taskId } = from;
    const start = records.cellStart(record, taskId);
    const end = records.cellEnd(record, taskId);
    const [first = 0, last = 0] = [bytes[start], bytes[end - 1]];
    const isPlain =
      first > space && first !== quote && first <= lastAscii && last > space && last <= lastAscii;
    const isOwnCell = end > start && taskId < records.cells(record) && taskId !== from.last;
    if (isPlain && isOwnCell) return ids.add(bytes, start, end);
    const text = Buffer.from(cellOf(records, record, taskId, from).trim());
    return text.length === 0 ? -1 : ids.add(text, 0, text.length);
  }

  /** Takes a record. Returns the number of its task, or -1 when its row is left out. */
  function take(records: Records, record: number, from: Columns): number {
    const cell = (place: number) => cellOf(records, record, place, from);
    const rating = parseRating(from.rating < 0 ? '' : cell(from.rating));
    const before = ids.size;
    // A task whose rating cannot be read counts as not seen.
    const isReadable = rating >= 0;
    const task = isReadable ? numberOf(records, record, from) : -1;
    if (task < 0) {
      unreadableRow([
        ...(cell(from.taskId).trim() === '' ? ['TASK_ID: empty'] : []),
        ...(isReadable ? [] : ['TASK_RATING: not one of the ratings']),
      ]);
      return -1;
    }
    if (task < before) {
      repeated.add(task);
      if (seen[task] !== rating) doubtful.add(task);
      skip(['TASK_ID: stands in an earlier row']);
      return -1;
    }
    if (records.cells(record) < from.count) short += 1;
    if (task >= seen.length) {
      const larger = new Uint8Array(seen.length * 2);
      larger.set(seen);
      seen = larger;
    }
    seen[task] = rating;
    index += 1;
    return task;
  }

  function cut(issue: string): void {
    isCut = true;
    unreadableRow([issue]);
  }

  return {
    /** Takes the header. @param isLeftOut the rows are not to be read */
    begin(header: readonly string[], isLeftOut: boolean): void {
      const names = header.map((name) => name.trim().toUpperCase());
      unclear = unclearColumns(names);
      // Without these no row can be read.
      if (!isLeftOut && !unclear.includes('TASK_ID') && !unclear.includes('TASK_RATING'))
        columns = columnsOf(names);
    },

    /** Takes some records, in their order. */
    async add(records: Records, from: number, to: number): Promise<void> {
      if (columns === undefined) return;
      const taken: number[] = [];
      const tasks: number[] = [];
      for (let record = from; record < to; record += 1) {
        const task = take(records, record, columns);
        if (task < 0) continue;
        taken.push(record);
        tasks.push(task);
      }
      if (taken.length > 0) await onRows(rowsOf(records, taken, tasks, columns));
    },

    /** Leaves out the row that comes next: it cannot be read. */
    skip: unreadableRow,

    /** Leaves out the last row: the file ends within it. */
    cut,

    /**
     * Returns whether the file seems to end within its last record. Where other rows are short as well, cells that are
     * empty were left out.
     */
    isCutIn(records: Records, record: number): boolean {
      return columns !== undefined && records.cells(record) < columns.count && short === 0;
    },

    end(): ReadTable {
      const others = unreadable - (isCut ? 1 : 0);
      const problems: ResultsProblem[] = [
        ...(unclear.length > 0 ? [{ kind: 'other columns', columns: unclear } as const] : []),
        ...(isCut ? [{ kind: 'cut end' } as const] : []),
        ...(others > 0 ? [{ kind: 'unreadable rows', count: others } as const] : []),
        ...(repeated.size > 0 ? [{ kind: 'repeated tasks', count: repeated.size } as const] : []),
      ];
      const counts: Record<Rating, number> = { NOTREVIEWED: 0, NOTRATED: 0, OK: 0, NOK: 0, REVISE: 0 };
      for (let task = 0; task < ids.size; task += 1) if (!doubtful.has(task)) counts[ratingAt(task)] += 1;
      const idOf = (task: number) => TaskId.parse(ids.text(task));
      return {
        rows: ids.size,
        skipped,
        unreadable,
        problems,
        counts,
        doubtful: new Set([...doubtful].map(idOf)),
      };
    },
  };

  function rowsOf(
    records: Records,
    taken: readonly number[],
    tasks: readonly number[],
    from: Columns,
  ): ResultRows {
    const cell = (row: number, place: number) =>
      place < 0 ? '' : cellOf(records, taken[row] ?? 0, place, from);
    const rating = (row: number) => ratingAt(tasks[row] ?? 0);
    // Brands are made here without a schema: it would cost as much as the rest of a row, and every text is an id.
    const taskId = (row: number) => ids.text(tasks[row] ?? 0) as TaskId;
    const workerId = (row: number) => cell(row, from.workerId).trim() as WorkerId;
    const csvRow = (row: number) => cell(row, from.csvRow);
    const username = (row: number) => cell(row, from.username);
    const finishedAt = (row: number) => datetimes.parse(cell(row, from.finished));
    return {
      count: taken.length,
      taskId,
      rating,
      workerId,
      csvRow,
      username,
      finishedAt,
      row: (row) => ({
        row: cell(row, from.row),
        csvRow: csvRow(row),
        taskId: taskId(row),
        workerId: workerId(row),
        username: username(row),
        rating: rating(row),
        finishedAt: finishedAt(row),
        ip: cell(row, from.ip).trim(),
        countryCode: cell(row, from.country).trim(),
        proof: from.proof.map((place) => cell(row, place)),
        employerComment: cell(row, from.comment),
        userAgent: cell(row, from.agent),
      }),
    };
  }
}

/** Returns every row in full. */
export function rowsIn(rows: ResultRows): ResultRow[] {
  return Array.from({ length: rows.count }, (_, index) => rows.row(index));
}

/** Where each column stands; -1 when the file does not have it. */
interface Columns {
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

function columnsOf(names: readonly string[]): Columns {
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
 * Returns the text of a cell. Cells beyond the header come from commas that nobody quoted, in a browser's name most
 * likely, which stands last.
 */
function cellOf(records: Records, record: number, place: number, columns: Columns): string {
  const cells = records.cells(record);
  if (place >= cells) return '';
  if (place < columns.last || cells <= columns.count) return records.text(record, place);
  const texts: string[] = [];
  for (let at = place; at < cells; at += 1) texts.push(records.text(record, at));
  return texts.join(',');
}
