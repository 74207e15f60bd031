/**
 * Finds the records and cells of a CSV text as it arrives, without creating strings. The rules are those of csv-parse with
 * `relax_quotes`: a quote opens a cell only as its first character, and a quote that is neither doubled nor the last of its
 * cell ends the quoting and is literal. test/unit/csv-records.test.ts compares the two.
 */

const newline = 0x0a;
const carriageReturn = 0x0d;
const comma = 0x2c;
const quote = 0x22;

/** The records of a block of text: the positions of their cells. */
export interface Records {
  bytes: Buffer;
  /** Number of records. */
  count: number;
  /** The index of each record's first cell, and the index after the last record's cells. */
  firsts: Int32Array<ArrayBuffer>;
  starts: Int32Array<ArrayBuffer>;
  /** An end includes quotes. */
  ends: Int32Array<ArrayBuffer>;
}

/** The state at the end of a block. */
export interface BlockEnd {
  /** The beginning of the first incomplete record, or the end. */
  readonly rest: number;
  /** The text ends within quotes. */
  readonly isOpen: boolean;
}

/** Creates the reusable holder of a block's records, empty. */
export function createRecords(): Records {
  return {
    bytes: Buffer.alloc(0),
    count: 0,
    firsts: new Int32Array(512),
    starts: new Int32Array(4 * 1024),
    ends: new Int32Array(4 * 1024),
  };
}

/** Returns the position of a record. */
export function recordStart({ firsts, starts }: Records, record: number): number {
  return starts[firsts[record] ?? 0] ?? 0;
}

/** Returns the number of cells of a record. */
export function cellCount({ firsts }: Records, record: number): number {
  return (firsts[record + 1] ?? 0) - (firsts[record] ?? 0);
}

/** Returns the index of a cell among all of `starts` and `ends`. */
export function cellIndex({ firsts }: Records, record: number, cell: number): number {
  return (firsts[record] ?? 0) + cell;
}

/** Returns the text of a cell, without its quotes. */
export function cellText(records: Records, record: number, cell: number): string {
  const { bytes, starts, ends } = records;
  const index = cellIndex(records, record, cell);
  const [start, end] = [starts[index] ?? 0, ends[index] ?? 0];
  if (start === end || bytes[start] !== quote) return bytes.toString('utf8', start, end);
  const behind = endOfQuotes(bytes, start + 1);
  const inside = bytes.toString('utf8', start + 1, behind - 1).replaceAll('""', '"');
  if (behind === end) return inside;
  const rest = bytes.toString('utf8', behind, end);
  // The parser takes a zero byte for the end of its input.
  return bytes[behind] === 0 ? inside + rest : `"${inside}"${rest}`;
}

/**
 * Finds the records of a block from an offset on. Replaces those of the previous block.
 * @param isEnd the text ends with this block
 * @param most maximum number of records
 */
export function scanRecords(
  records: Records,
  block: Buffer,
  from: number,
  isEnd: boolean,
  most = Number.MAX_SAFE_INTEGER,
): BlockEnd {
  records.bytes = block;
  records.count = 0;
  let { firsts, starts, ends } = records;
  let cells = 0;
  let at = from;
  const { length } = block;
  while (at < length && records.count < most) {
    const begin = at;
    const firstCell = cells;
    let isRecordEnd = false;
    while (!isRecordEnd) {
      const start = at;
      if (at < length && block[at] === quote) {
        at = endOfQuotes(block, at + 1);
        if (at < 0) return { rest: begin, isOpen: isEnd };
      }
      let byte = comma;
      while (at < length) {
        byte = block[at] as number;
        if (byte === comma || byte === newline) break;
        at += 1;
      }
      let end = at;
      if (at >= length) {
        if (!isEnd) return { rest: begin, isOpen: false };
        isRecordEnd = true;
      } else {
        at += 1;
        if (byte === newline) {
          isRecordEnd = true;
          if (end > start && block[end - 1] === carriageReturn) end -= 1;
        }
      }
      if (cells >= starts.length) {
        starts = larger(starts);
        ends = larger(ends);
        records.starts = starts;
        records.ends = ends;
      }
      starts[cells] = start;
      ends[cells] = end;
      cells += 1;
    }
    // An empty line is not a record.
    if (cells === firstCell + 1 && ends[firstCell] === starts[firstCell]) {
      cells = firstCell;
      continue;
    }
    if (records.count + 2 >= firsts.length) {
      firsts = larger(firsts);
      records.firsts = firsts;
    }
    firsts[records.count] = firstCell;
    records.count += 1;
    firsts[records.count] = cells;
  }
  return { rest: at, isOpen: false };
}

/** Creates the search for the end of a record that is too large to be held, starting at its beginning. */
export function createRecordSkipper() {
  let cell: 'empty' | 'quoted' | 'plain' = 'empty';
  /** The last byte was a quote within quotes: the next one decides whether it ends them. */
  let isQuotePending = false;
  return {
    isOpen: () => cell === 'quoted' && !isQuotePending,

    /** Returns the offset after the end of the record, or undefined when the end is not in this block. */
    skip(block: Buffer, from: number): number | undefined {
      for (let at = from; at < block.length; at += 1) {
        const byte = block[at];
        if (isQuotePending) {
          isQuotePending = false;
          if (byte === quote) continue;
          cell = 'plain';
        }
        if (cell === 'quoted') isQuotePending = byte === quote;
        else if (byte === newline) return at + 1;
        else if (byte === comma) cell = 'empty';
        else cell = cell === 'empty' && byte === quote ? 'quoted' : 'plain';
      }
      return undefined;
    },
  };
}

/** Returns the offset after the quote that ends the quoting opened before `from`, or -1. */
function endOfQuotes(block: Buffer, from: number): number {
  let at = block.indexOf(quote, from);
  while (at >= 0 && block[at + 1] === quote) at = block.indexOf(quote, at + 2);
  return at < 0 ? -1 : at + 1;
}

function larger(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(array.length * 2);
  copy.set(array);
  return copy;
}
