import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Campaign, tasksIn } from '../../domain/campaign.ts';
import { type Rating, ratings } from '../../domain/terms.ts';
import { maskIp } from '../../domain/worker.ts';
import type { MarketplaceClient, ResultRow } from '../../marketplace/index.ts';
import type { FileContent } from '../../slack/files.ts';

/** `csv` is for spreadsheets; `original` is the marketplace's own file, with the workers' IP addresses. */
export type ResultsFormat = 'csv' | 'original';

/** Results can be many megabytes. */
const resultsTimeoutMs = 120_000;
const rowsPerReport = 1_000;

export type Results = Awaited<ReturnType<typeof readResults>>;

/**
 * Reads a campaign's results into a file and statistics.
 * @param spool buffers the file outside of memory, because Slack needs its length up front
 * @param report is told now and then how many rows were read
 */
export async function readResults(
  client: Pick<MarketplaceClient, 'campaignResults'>,
  campaign: Campaign,
  {
    format,
    spool,
    report,
  }: { readonly format: ResultsFormat; readonly spool: Spool; readonly report: (rows: number) => void },
) {
  const isOriginal = format === 'original';
  let counts = createFigures();
  let sheet = createSpreadsheet();
  const { preamble, problems } = await client.campaignResults(campaign.id, {
    deadlineMs: resultsTimeoutMs,
    // Called again for another attempt.
    into() {
      counts = createFigures();
      sheet = createSpreadsheet();
      let rows = 0;
      spool.clear();
      return {
        async onCsv(csv) {
          if (isOriginal) await spool.write([csv]);
        },
        async onRows(some) {
          for (const row of some) {
            counts.add(row);
            if (!isOriginal) sheet.add(row);
            rows += 1;
            if (rows % rowsPerReport === 0) report(rows);
          }
          await spool.write(sheet.take());
        },
      };
    },
  });
  const file = spool.content(isOriginal ? '' : sheet.head(preamble), sheet.take());
  return { figures: counts.figures(), problems, file };
}

/** Approximate memory per task while results are read and written (bytes). */
const bytesPerTask = 200;

/** Returns the approximate memory needed to read a campaign's results (bytes). */
export function resultsMemory(campaign: Campaign): number {
  return 4_000_000 + bytesPerTask * tasksIn(campaign);
}

/** Characters that start a formula in a spreadsheet, in normal and full width. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/u;
/**
 * The start of a cell if a file is read with another separator, as spreadsheets do in many locales: the quotes of our
 * cells then end at the first comma, so that a `;` or tab inside starts a new cell, and a line break a new row.
 */
const formulaInside = /([;\t\r\n][ "]*)(?=[=+\-@＝＋－＠])/gu;

const month =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|jun(?:e(?![-+\\d]))?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
/**
 * Text that spreadsheets (Excel, LibreOffice, Google Sheets) convert when they open a file, and a little more: numbers,
 * dates and times, which have no other letters than those of an exponent, a month or a time; `TRUE`; `#N/A`. No two of its
 * parts match the same text: a long id would be tried in all ways.
 */
const converted = new RegExp(
  `^(?:(?=.*\\d)(?:[^\\p{L}]|e(?=[-+\\d])|[ap]m?|[tz]|${month})*|true|false|#.*)$`,
  'iu',
);

/** The columns before the proof's. */
const firstColumns = 'ROW CSV_ROW TASK_ID USER_ID USERNAME TASK_RATING FINISHED IP COUNTRY_CODE'.split(' ');

/** Returns a cell that no spreadsheet executes: the start of a formula gets an apostrophe before it. */
export function cell(text: string): string {
  const defused = text.replace(formulaInside, "$1'");
  return quoted(formulaStart.test(defused) ? `'${defused}` : defused);
}

/** Returns a cell for an id that no spreadsheet converts: ids are often hexadecimal, and some look like a date. */
export function idCell(text: string): string {
  // Spreadsheets ignore spaces at both ends and the width of characters.
  return converted.test(text.normalize('NFKC').trim()) ? quoted(`'${text}`) : cell(text);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/**
 * Creates the CSV file of a campaign's results for spreadsheets, row by row: the lines about the campaign, an empty
 * line, then the table with the marketplace's own column names (section 9 of its API). Times are UTC; the encoding is
 * UTF-8 with a byte order mark, by which spreadsheets recognize it.
 */
export function createSpreadsheet() {
  let lines: string[] = [];
  let slots = 1;

  return {
    /** All rows of one file have as many proof slots. */
    add(row: ResultRow): void {
      slots = row.proof.length;
      lines.push(`${lineOf(row)}\r\n`);
    },

    /** Returns the lines added since the last call. */
    take(): readonly string[] {
      const taken = lines;
      lines = [];
      return taken;
    },

    /** Returns the part before the rows. @param preamble about the campaign */
    head(preamble: Readonly<Record<string, string>>): string {
      const head = [
        ...Object.entries(preamble).map(
          ([key, value]) => `${cell(key)},${key.endsWith('_ID') ? idCell(value) : cell(value)}`,
        ),
        '',
        columnNames(slots).join(','),
      ];
      return `\uFEFF${head.map((line) => `${line}\r\n`).join('')}`;
    },
  };
}

/** Returns the column names, the marketplace's own (section 9 of its API). @param slots of the proof */
function columnNames(slots: number): string[] {
  const slotNames = Array.from({ length: slots }, (_, slot) => `PROOF_${slot + 1}`);
  return [...firstColumns, ...slotNames, 'EMPLOYER_COMMENT', 'HTTP_USER_AGENT'];
}

/** Returns a row's line. Workers' IP addresses are masked, because they are personal data. */
function lineOf(row: ResultRow): string {
  return [
    cell(row.row),
    cell(row.csvRow),
    idCell(row.taskId),
    idCell(row.workerId),
    cell(row.username),
    cell(row.rating),
    cell(row.finishedAt?.toISOString().slice(0, 19).replace('T', ' ') ?? ''),
    cell(maskIp(row.ip)),
    cell(row.countryCode),
    ...row.proof.map(cell),
    cell(row.employerComment),
    cell(row.userAgent),
  ].join(',');
}

/** Returns the filename, built from the campaign's title and id. */
export function resultsFilename(
  { id, title }: { readonly id: string; readonly title: string },
  ending = '.csv',
): string {
  const part = (text: string, max: number) =>
    [...text.normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '-')]
      .slice(0, max)
      .join('')
      .replace(/^-+|-+$/gu, '');
  return `${['results', part(title, 60), part(id, 60)].filter((text) => text !== '').join('-')}${ending}`;
}

type Spool = Awaited<ReturnType<typeof createSpool>>;

/**
 * Creates a buffer outside of memory for bytes whose total is not known yet. Its file has no name: nobody can open it, and
 * it disappears with the process, however that ends.
 */
export async function createSpool() {
  const file = await namelessFile();
  let length = 0;

  async function* all(before: Buffer, behind: Buffer): AsyncGenerator<Buffer> {
    yield before;
    if (length > 0) yield* file.createReadStream({ start: 0, end: length - 1, autoClose: false });
    yield behind;
  }

  return {
    /** Accepts bytes, or text as UTF-8. */
    async write(pieces: readonly (Buffer | string)[]): Promise<void> {
      const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)));
      // A nearly full disk accepts a part, and fails at the next write.
      for (let at = 0; at < bytes.length; )
        at += (await file.write(bytes, at, bytes.length - at, length + at)).bytesWritten;
      length += bytes.length;
    },

    /** Discards what was written. */
    clear(): void {
      length = 0;
    },

    /** Returns what was written, between two texts, to be read once. */
    content(before: string, behind: readonly string[]): FileContent {
      const [head, end] = [Buffer.from(before), Buffer.from(behind.join(''))];
      return {
        length: head.length + length + end.length,
        chunks: Readable.from(all(head, end), { objectMode: false }),
      };
    },

    close: (): Promise<void> => file.close(),
  };
}

async function namelessFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-'));
  try {
    return await open(join(folder, 'results'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The tasks of a country: total, OK and NOK. */
export interface CountryFigures {
  readonly name: string;
  readonly tasks: number;
  readonly ok: number;
  readonly nok: number;
}

/** Statistics of a campaign's results. */
export interface Figures {
  readonly tasks: number;
  readonly byRating: Readonly<Record<Rating, number>>;
  /** By country code, most tasks first. */
  readonly countries: readonly CountryFigures[];
  readonly workers: number;
}

/** Creates a counter for a campaign's results, row by row. */
export function createFigures() {
  let tasks = 0;
  const byRating = Object.fromEntries(ratings.map((rating) => [rating, 0])) as Record<Rating, number>;
  const countries = new Map<string, CountryFigures>();
  const workers = new Set<string>();
  return {
    add({ rating, countryCode, workerId }: ResultRow): void {
      tasks += 1;
      byRating[rating] += 1;
      workers.add(workerId);
      const name = countryCode.toUpperCase();
      const { tasks: all, ok, nok } = countries.get(name) ?? { tasks: 0, ok: 0, nok: 0 };
      countries.set(name, {
        name,
        tasks: all + 1,
        ok: ok + Number(rating === 'OK'),
        nok: nok + Number(rating === 'NOK'),
      });
    },

    /** Returns the statistics of all rows so far. */
    figures: (): Figures => ({
      tasks,
      byRating,
      countries: [...countries.values()].sort((a, b) => b.tasks - a.tasks || a.name.localeCompare(b.name)),
      workers: workers.size,
    }),
  };
}
