/** The table of a results CSV (section 9): its header, and one row per submitted task. */
import { type Rating, ratings, TaskId, WorkerId } from '../domain/terms.ts';
import type { Datetimes } from './datetimes.ts';
import { type ResultsProblem, unclearColumns } from './results-problems.ts';
import type { ResultRow } from './types.ts';

/** Who takes what is read. */
export interface Takers {
  /** Takes each row, in the order of the file. */
  readonly onRow: (row: ResultRow) => void;
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
  /** Tasks with several rows that contradict each other. */
  readonly doubtful: ReadonlySet<TaskId>;
}

/** Creates the reader of a table. Rows are judged one behind, since only the last one can be cut. */
export function createTable(datetimes: Datetimes, { onRow, onSkipped }: Takers) {
  let columns: Columns | undefined;
  let unclear: readonly string[] = [];
  let last: readonly string[] | undefined;
  let index = 0;
  let short = 0;
  let isCut = false;
  let unreadable = 0;
  let skipped = 0;
  const seen = new Map<TaskId, Rating>();
  const repeated = new Set<TaskId>();
  const doubtful = new Set<TaskId>();

  function skip(issues: string[]): void {
    onSkipped({ index, issues });
    skipped += 1;
    index += 1;
  }

  function unreadableRow(issues: string[]): void {
    unreadable += 1;
    skip(issues);
  }

  function take(cells: readonly string[], from: Columns): void {
    const row = toRow(cells, from, datetimes);
    if ('issues' in row) {
      unreadableRow(row.issues);
      return;
    }
    const known = seen.get(row.taskId);
    if (known !== undefined) {
      repeated.add(row.taskId);
      if (known !== row.rating) doubtful.add(row.taskId);
      skip(['TASK_ID: stands in an earlier row']);
      return;
    }
    if (cells.length < from.count) short += 1;
    seen.set(row.taskId, row.rating);
    onRow(row);
    index += 1;
  }

  function takeLast(): void {
    if (last !== undefined && columns !== undefined) take(last, columns);
    last = undefined;
  }

  function cut(issue: string): void {
    takeLast();
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

    add(cells: readonly string[]): void {
      takeLast();
      last = cells;
    },

    /** Leaves out the row that comes next: it cannot be read. */
    skip(issues: string[]): void {
      takeLast();
      unreadableRow(issues);
    },

    /** Leaves out the last row: the file ends within it. */
    cut,

    /** Takes the last row. @param isEnded the file ends with a line break */
    end(isEnded: boolean): ReadTable {
      const isShort = last !== undefined && columns !== undefined && last.length < columns.count;
      // Where other rows are short as well, cells that are empty were left out.
      if (isShort && short === 0 && !isEnded) {
        last = undefined;
        cut('the file ends within this row');
      } else takeLast();
      const others = unreadable - (isCut ? 1 : 0);
      const problems: ResultsProblem[] = [
        ...(unclear.length > 0 ? [{ kind: 'other columns', columns: unclear } as const] : []),
        ...(isCut ? [{ kind: 'cut end' } as const] : []),
        ...(others > 0 ? [{ kind: 'unreadable rows', count: others } as const] : []),
        ...(repeated.size > 0 ? [{ kind: 'repeated tasks', count: repeated.size } as const] : []),
      ];
      return { rows: seen.size, skipped, unreadable, problems, doubtful };
    },
  };
}

/** Where each column stands; -1 when the file does not have it. */
interface Columns {
  readonly at: (name: string) => number;
  readonly count: number;
  readonly proof: readonly number[];
}

function columnsOf(names: readonly string[]): Columns {
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
