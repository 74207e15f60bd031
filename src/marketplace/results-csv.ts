import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Rating, ratings, type TaskId, type WorkerId } from '../domain/terms.ts';
import type { Datetimes } from './datetimes.ts';
import { decoderOf, type HttpResponse, parseJson, UnexpectedResponse } from './http.ts';
import { CallerFailure } from './pipeline.ts';
import { type ResultsColumn, type ResultsProblem, unclearColumns } from './results-problems.ts';
import type { CampaignResults, ResultRow, ResultsTaker } from './types.ts';

/**
 * Reads the results CSV (section 9) as it arrives: key,value lines, then a header row, then one row per submitted task. The
 * rules are those of csv-parse with `relax_quotes`: a quote opens a cell only as its first character, and a quote that is
 * neither doubled nor the last of its cell ends the quoting and is literal. test/unit/marketplace-results.test.ts compares the
 * two.
 */
/** Maximum length of a record: it is held as a whole (characters). */
const maxRecord = 1024 * 1024;

export interface ResultsReaderOptions {
  readonly datetimes: Datetimes;
  /** The campaign whose results were requested: rows of another one are omitted. */
  readonly campaignId: string;
  readonly into: ResultsTaker;
}

/** Creates the reader of one file. Lines before the header are key,value; a line without a comma there is a separator. */
export function createResultsReader({ datetimes, campaignId, into }: ResultsReaderOptions) {
  const records = createRecords();
  const preamble: Record<string, string> = {};
  let isBegun = false;
  let isTable = false;
  let isOther = false;
  let unclear: readonly string[] = [];
  /** Undefined when no row can be read. */
  let columns: ReturnType<typeof columnsOf> | undefined;
  let rows: ResultRow[] = [];
  /** Number of rows with fewer cells than the header. */
  let short = 0;
  /** Number of rows that cannot be read. */
  let unreadable = 0;
  /** The file ends within its last row. */
  let isCut = false;
  const seen = new Map<TaskId, Rating>();
  const repeated = new Set<TaskId>();
  const doubtful = new Set<TaskId>();

  /** Takes a record above the rows: the header by its first cell, or by the two columns that every row needs. */
  function takeAbove(cells: readonly string[]): void {
    const names = cells.map((cell) => cell.trim().toUpperCase());
    isTable = names[0] === 'ROW' || (names.includes('TASK_ID') && names.includes('TASK_RATING'));
    if (!isTable) {
      addToPreamble(cells);
      return;
    }
    isOther = (preamble.CAMPAIGN_ID || campaignId) !== campaignId;
    unclear = unclearColumns(names);
    if (!isOther && !unclear.includes('TASK_ID') && !unclear.includes('TASK_RATING'))
      columns = columnsOf(names);
  }

  function addToPreamble([key = '', ...values]: readonly string[]): void {
    if (key.trim() !== '' && values.length > 0) preamble[key.trim()] = values.join(',').trim();
  }

  /** Takes a row. @param mayBeCut the file ends without a line break after it */
  function takeRow(found: readonly string[], mayBeCut: boolean): void {
    if (columns === undefined) return;
    const { count, at, proof } = columns;
    // If other rows are also short, empty cells were omitted instead.
    if (mayBeCut && found.length < count && short === 0) {
      isCut = true;
      return;
    }
    // Further cells come from unquoted commas, most likely in a browser's name, which is the last column.
    const cells =
      found.length > count ? [...found.slice(0, count - 1), found.slice(count - 1).join(',')] : found;
    const cell = (column: ResultsColumn) => cells[at[column] ?? -1] ?? '';
    const rating = ratings.find((known) => known === cell('TASK_RATING').trim().toUpperCase());
    const id = cell('TASK_ID').trim();
    if (id === '' || rating === undefined) {
      // A task with an unreadable rating counts as not seen.
      unreadable += 1;
      return;
    }
    // The brand is added without a schema, as every text is an id. The copy does not keep the text that it is a part of.
    const taskId = Buffer.from(id).toString() as TaskId;
    const before = seen.get(taskId);
    if (before !== undefined) {
      repeated.add(taskId);
      if (before !== rating) doubtful.add(taskId);
      return;
    }
    seen.set(taskId, rating);
    if (found.length < count) short += 1;
    rows.push({
      row: cell('ROW'),
      csvRow: cell('CSV_ROW'),
      taskId,
      workerId: cell('USER_ID').trim() as WorkerId,
      username: cell('USERNAME'),
      rating,
      finishedAt: datetimes.parse(cell('FINISHED')),
      ip: cell('IP').trim(),
      countryCode: cell('COUNTRY_CODE').trim(),
      proof: proof.map((place) => cells[place] ?? ''),
      employerComment: cell('EMPLOYER_COMMENT'),
      userAgent: cell('HTTP_USER_AGENT'),
    });
  }

  /**
   * Reads the records so far. Workers write their cells: after one that is too large, reading resumes only where the record
   * really ends, since a line inside a quoted cell could pass for the row of another task.
   * @param isEnd the text has ended, without a line break
   */
  async function read(isEnd: boolean): Promise<void> {
    while (!records.isEmpty()) {
      const record = records.next();
      const isTooLarge = records.length() > maxRecord;
      if (!isTable && (record === undefined ? isEnd || isTooLarge : isTooLarge)) {
        // For an unreadable record, its first line is used.
        addToPreamble(records.firstLine().split(','));
      } else if (record === undefined) {
        // A quote that is never closed: the rest is not read.
        isCut = isEnd && !records.isEmpty();
        if (!isCut && isTooLarge) records.forget();
        break;
      } else if (!isTable) takeAbove(cellsOf(record));
      else if (isTooLarge) unreadable += 1;
      else takeRow(cellsOf(record), isEnd && records.isEmpty());
    }
    if (rows.length > 0) await into.onRows?.(rows);
    rows = [];
  }

  return {
    /** Takes the next piece. Resolves once its rows have been taken. */
    async push(piece: string): Promise<void> {
      records.add(isBegun ? piece : piece.replace(/^\uFEFF/u, ''));
      isBegun = true;
      await read(false);
    },

    /** @param isUndecodable some of the bytes were decoded to no character */
    async end(isUndecodable: boolean): Promise<Omit<CampaignResults, 'rows' | 'wireBytes'>> {
      if (!records.isEmpty()) {
        records.end();
        await read(true);
      }
      const submitted = Number(preamble.TASKS_SUBMITTED ?? 0);
      const problems: ResultsProblem[] = [];
      if (!isTable) problems.push({ kind: 'no header' });
      if (isOther) problems.push({ kind: 'other campaign' });
      else {
        if (unclear.length > 0) problems.push({ kind: 'other columns', columns: unclear });
        if (isCut) problems.push({ kind: 'cut end' });
        if (unreadable > 0) problems.push({ kind: 'unreadable rows', count: unreadable });
        if (repeated.size > 0) problems.push({ kind: 'repeated tasks', count: repeated.size });
      }
      if (isUndecodable) problems.push({ kind: 'undecodable' });
      if (isTable && !isOther && seen.size + unreadable + (isCut ? 1 : 0) < submitted)
        problems.push({ kind: 'fewer rows', read: seen.size, expected: submitted });
      const counts = { NOTREVIEWED: 0, NOTRATED: 0, OK: 0, NOK: 0, REVISE: 0 };
      for (const [task, rating] of seen) if (!doubtful.has(task)) counts[rating] += 1;
      return { preamble, problems, doubtful, counts };
    },
  };
}

/** Returns the positions of the columns. */
function columnsOf(names: readonly string[]) {
  const places = names.map((name, place) => [name, place] as const);
  const proof = places
    .map(([name, place]) => ({ slot: Number(/^PROOF_(\d+)$/u.exec(name)?.[1] ?? 0), place }))
    .filter(({ slot }) => slot > 0)
    .sort((a, b) => a.slot - b.slot)
    .map(({ place }) => place);
  const at: Readonly<Partial<Record<ResultsColumn, number>>> = Object.fromEntries(places);
  return { count: names.length, at, proof };
}

/** Creates the search for the records of a text that arrives in pieces. */
function createRecords() {
  let text = '';
  /** The beginning of the record last returned, and that of the next one. */
  let last = 0;
  let start = 0;
  /** Up to where the next record was searched for its end, and whether this is within quotes. */
  let at = 0;
  let isQuoted = false;
  /** The next line break and quote from `at` on: -1 when there is none, less when they are to be searched for. */
  let newline = -2;
  let quote = -2;
  /** Lengths of what was forgotten of the next record, and of the one last returned. */
  let forgotten = 0;
  let forgottenOfLast = 0;

  /** Returns the offset of the line break after the next record, or -1. */
  function endOfRecord(): number {
    for (;;) {
      if (isQuoted) {
        at = endOfQuotes(text, at);
        if (at < 0 || at + 1 === text.length) {
          at = at < 0 ? text.length : at;
          return -1;
        }
        isQuoted = false;
        at += 1;
      }
      if (newline < at && newline !== -1) newline = text.indexOf('\n', at);
      if (quote < at && quote !== -1) quote = text.indexOf('"', at);
      if (quote < 0 || (newline >= 0 && newline < quote)) {
        if (newline < 0) at = text.length;
        return newline;
      }
      at = quote + 1;
      isQuoted = (quote === start && forgotten === 0) || text[quote - 1] === ',';
    }
  }

  function goTo(next: number): void {
    start = next;
    at = next;
    isQuoted = false;
  }

  function add(piece: string): void {
    text = text.slice(start) + piece;
    at -= start;
    start = 0;
    last = 0;
    newline = -2;
    quote = -2;
  }

  return {
    add,

    /** Ends the text with a line break. */
    end: () => add(text.endsWith('\r') ? '\r\n' : '\n'),

    isEmpty: () => start === text.length,

    /** Returns the next record, undefined when its end has not arrived. Leaves out empty lines. */
    next(): string | undefined {
      for (;;) {
        const end = endOfRecord();
        last = start;
        if (end < 0) return undefined;
        const record = text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end);
        goTo(end + 1);
        forgottenOfLast = forgotten;
        forgotten = 0;
        if (record !== '' || forgottenOfLast > 0) return record;
      }
    },

    /** Returns the length of the record last returned, or so far of the next one. */
    length: () => (start === last ? text.length - last + forgotten : start - last + forgottenOfLast),

    /** Forgets what has arrived of the next record, except what its end depends on. */
    forget(): void {
      const kept = Math.max(start, at - 1);
      forgotten += kept - start;
      start = kept;
    },

    /** Returns the first line of the record last returned, or of the next one; what follows is searched again. */
    firstLine(): string {
      const end = text.indexOf('\n', last);
      const line = text.slice(last, end < 0 ? text.length : end);
      goTo(end < 0 ? text.length : end + 1);
      newline = -2;
      quote = -2;
      return line.trim();
    },
  };
}

/** Returns the offset of the quote that ends quotes, or -1. */
function endOfQuotes(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  return end;
}

/** Returns the cells of a record, without their quotes. */
function cellsOf(record: string): string[] {
  if (!record.includes('"')) return record.split(',');
  const cells: string[] = [];
  for (let at = 0, end = 0; end < record.length; at = end + 1) {
    const close = record[at] === '"' ? endOfQuotes(record, at + 1) : -1;
    const comma = record.indexOf(',', Math.max(at, close));
    end = comma < 0 ? record.length : comma;
    if (close < 0) cells.push(record.slice(at, end));
    else {
      const inside = record.slice(at + 1, close).replaceAll('""', '"');
      const rest = record.slice(close + 1, end);
      // csv-parse takes a zero byte for the end of its input.
      cells.push(rest === '' || rest.startsWith('\0') ? inside + rest : `"${inside}"${rest}`);
    }
  }
  return cells;
}

/** Reads the answer of results_csv: the JSON around one long text, which is passed on as it arrives and never held. */
/** More than any results should need: those of a million tasks are a third of it (bytes). */
const maxBytes = 1024 * 1024 * 1024;
/** The JSON around the text is short; a page in place of an answer is not much longer. */
const maxAround = 4 * 1024 * 1024;
/** Where the text must begin to be passed on. One that begins later is read with the JSON around it. */
const maxBefore = 64 * 1024;
/** Number of characters that are read before other work gets its turn. */
const sliceLength = 64 * 1024;
/** The beginning of the text. A quote inside a string is escaped, so only a key of an object can look like this. */
const beginning = /[{,][ \t\r\n]*"csv"[ \t\r\n]*:[ \t\r\n]*"/gu;
/** Stands for the text in the JSON around it. */
const placeholder = '\u0000the text';

/** Creates the reader of one answer. */
export function createResultsAnswer(options: ResultsReaderOptions) {
  const reader = createResultsReader(options);
  let wireBytes = 0;
  let isUndecodable = false;

  async function take(text: string): Promise<void> {
    for (let at = 0, end = 0; at < text.length; at = end) {
      // Not between the halves of a character.
      end = at + sliceLength + (isHigh(text.charCodeAt(at + sliceLength - 1)) ? 1 : 0);
      const slice = text.slice(at, end);
      await options.into.onCsv?.(Buffer.from(slice));
      await reader.push(slice);
      await nextTurn();
    }
  }

  /** Yields an arriving answer as text. */
  async function* decoded(response: HttpResponse): AsyncGenerator<string> {
    const decoder = decoderOf(response);
    let held: Buffer = Buffer.alloc(0);
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      wireBytes += chunk.length;
      if (decoder.encoding !== 'utf-8') {
        yield noted(decoder.decode(chunk, { stream: true }));
        continue;
      }
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const whole = wholeCharacters(bytes);
      held = bytes.subarray(whole);
      isUndecodable ||= !isUtf8(bytes.subarray(0, whole));
      yield bytes.toString('utf8', 0, whole);
    }
    yield noted(held.length > 0 ? held.toString() : decoder.decode());
  }

  function noted(text: string): string {
    isUndecodable ||= text.includes('\uFFFD');
    return text;
  }

  return {
    /** Reads a response. Resolves to the JSON around the text, with an empty text where it was passed on. */
    async receive(response: HttpResponse): Promise<{ readonly text: string }> {
      const answer = createAnswerText();
      let length = 0;
      for await (const piece of decoded(response)) {
        length += piece.length;
        if (length > maxBytes) throw new UnexpectedResponse('an answer too long to be one');
        await take(answer.read(piece)).catch((error: unknown) => {
          throw new CallerFailure(error);
        });
      }
      if (response.received !== undefined) wireBytes = response.received();
      return { text: answer.around() };
    },

    /** Ends the reading of a success. @param csv text that was not passed on before */
    async end(csv: string) {
      await take(csv);
      return { ...(await reader.end(isUndecodable)), wireBytes };
    },
  };
}

/** Returns how many bytes are whole characters: the last one may be incomplete. */
function wholeCharacters(bytes: Buffer): number {
  let at = bytes.length - 1;
  while (at > bytes.length - 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  const first = bytes[at] ?? 0;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return at + size > bytes.length ? at : bytes.length;
}

/** Separates the text from the JSON around it. */
function createAnswerText() {
  let before = '';
  let after = '';
  let state: 'before' | 'text' | 'after' | 'broken' = 'before';
  /** The end of the text so far that is to be read with the next piece. */
  let held = '';

  /** Reads the text. Returns what it means. */
  function readText(piece: string): string {
    const escaped = held + piece;
    const end = closingQuote(escaped);
    const readable = end < 0 ? completeUntil(escaped) : end;
    held = escaped.slice(readable);
    if (end >= 0) {
      state = 'after';
      after = escaped.slice(end + 1);
    }
    const text = parseJson(`"${escaped.slice(0, readable)}"`) as string | undefined;
    // What is no JSON string makes the JSON around it unreadable, too.
    if (text === undefined) state = 'broken';
    const last = text?.charCodeAt(text.length - 1) ?? 0;
    // The second half of the character comes with the next piece.
    const isHalf = end < 0 && isHigh(last);
    if (isHalf) held = `\\u${last.toString(16)}${held}`;
    return (isHalf ? text?.slice(0, -1) : text)?.replace(/\p{Surrogate}/gu, '\uFFFD') ?? '';
  }

  return {
    /** Reads the next piece. Returns what it has of the text. */
    read(piece: string): string {
      if (state === 'text') return readText(piece);
      if (state === 'after') after += piece;
      if (state === 'before') {
        before += before === '' ? piece.replace(/^\uFEFF/u, '') : piece;
        const begin = beginOf(before);
        if (begin >= 0) {
          const rest = before.slice(begin);
          before = before.slice(0, begin - 1);
          state = 'text';
          return readText(rest);
        }
      }
      if (before.length + after.length > maxAround)
        throw new UnexpectedResponse('an answer too long to be one');
      return '';
    },

    /** Returns the JSON around the text, with an empty text; what is not JSON when the text was not read to its end. */
    around(): string {
      if (state !== 'after') return state === 'before' ? before : `${before}"`;
      const answer = parseJson(before + JSON.stringify(placeholder) + after) as { csv?: unknown } | undefined;
      if (answer !== undefined && answer.csv !== placeholder)
        throw new UnexpectedResponse('an answer with several results');
      return `${before}""${after}`;
    },
  };
}

/** Returns the offset after the quote that begins the text, or -1. */
function beginOf(around: string): number {
  for (const match of around.slice(0, maxBefore).matchAll(beginning)) {
    const quote = match.index + match[0].length - 1;
    // In an inner object, more than one brace would be missing.
    if (parseJson(`${around.slice(0, quote)}""}`) !== undefined) return quote + 1;
  }
  return -1;
}

/** Returns whether a character is the first half of another one. */
function isHigh(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

/** Returns the offset of the quote that ends a JSON string, or -1. */
function closingQuote(text: string): number {
  let quote = text.indexOf('"');
  while (quote >= 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

/** Returns the offset of an escape that may continue in the next piece, or the end. */
function completeUntil(text: string): number {
  const slash = text.lastIndexOf('\\');
  if (slash < 0 || slash + 6 <= text.length || isEscaped(text, slash)) return text.length;
  return slash + 1 === text.length || text[slash + 1] === 'u' ? slash : text.length;
}
