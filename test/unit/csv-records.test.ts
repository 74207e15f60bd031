import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addKey, createByteKeys, keyText } from '../../src/marketplace/byte-keys.ts';
import { readCsvAnswer } from '../../src/marketplace/csv-answer.ts';
import {
  cellCount,
  cellText,
  createRecordSkipper,
  createRecords,
  recordStart,
  scanRecords,
} from '../../src/marketplace/csv-records.ts';

/** Texts as hostile as workers can make them: most of what decides where cells and records end, and pieces of rows. */
const hostileText = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('"', '"', '""', ',', '\n', '\r\n', '\r', 'a', ' ', '\\') },
      {
        weight: 1,
        arbitrary: fc.constantFrom('1,0,t1,u1,n,OK,,,,x,,UA', '\u0000', '\u2028', 'é', '😀', '\t'),
      },
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

/** Sizes of the pieces in which a text arrives. */
const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

function* pieces(text: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, n = 0; at < text.length; n += 1) {
    const size = sizes[n % sizes.length] ?? 1;
    yield text.subarray(at, at + size);
    at += size;
  }
}

/** What csv-parse makes of a text; undefined when a quote is never closed. */
function parsed(text: Buffer): string[][] | undefined {
  try {
    return parse(text, {
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n'],
    }) as string[][];
  } catch {
    return undefined;
  }
}

/** What the scanner makes of a text that arrives in pieces. */
function scanned(text: Buffer, sizes: readonly number[]): string[][] | undefined {
  const records = createRecords();
  const found: string[][] = [];
  const take = () => {
    for (let record = 0; record < records.count; record += 1)
      found.push(
        Array.from({ length: cellCount(records, record) }, (_, cell) => cellText(records, record, cell)),
      );
  };
  let held: Buffer = Buffer.alloc(0);
  for (const piece of pieces(text, sizes)) {
    const block = Buffer.concat([held, piece]);
    const { rest } = scanRecords(records, block, 0, false);
    take();
    held = block.subarray(rest);
  }
  const { isOpen } = scanRecords(records, held, 0, true);
  take();
  return isOpen ? undefined : found;
}

describe('the record scanner', () => {
  it('finds the cells that csv-parse finds, however the text arrives', () => {
    fc.assert(
      fc.property(hostileText, cuts, (text, sizes) => {
        const bytes = Buffer.from(text);
        expect(scanned(bytes, sizes)).toEqual(parsed(bytes));
      }),
      {
        numRuns: 1_000,
        examples: [
          ['a,"x""y",b\n', [1]],
          ['"begun" and ended,b\r\nc', [2]],
          ['"a\n1,0,t1,u1,n,OK,,,,x,,UA\n",b\n', [3]],
          ['"\u0000,"\u0000b\n"', [4]],
          ['a,"open\nb,c', [5]],
          ['""\n\r\n\n,\n', [1]],
        ],
      },
    );
  });

  it('skips a record to where it ends by the same rules', () => {
    fc.assert(
      fc.property(hostileText, cuts, (text, sizes) => {
        const bytes = Buffer.from(text);
        const records = createRecords();
        scanRecords(records, bytes, 0, false, 1);
        fc.pre(records.count === 1);
        const start = recordStart(records, 0);
        const { rest } = scanRecords(records, bytes, start, false, 1);
        const { skip } = createRecordSkipper();
        let at = start;
        for (const piece of pieces(bytes.subarray(start), sizes)) {
          const end = skip(piece, 0);
          at += end ?? piece.length;
          if (end !== undefined) break;
        }
        expect(at).toBe(rest);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the answer with a CSV text', () => {
  async function read(body: Buffer, sizes: readonly number[]) {
    const blocks: Buffer[] = [];
    const stream = (async function* () {
      yield* pieces(body, sizes);
    })();
    const rest = await readCsvAnswer(stream, 1e9, (block) => void blocks.push(Buffer.from(block)));
    return { rest, text: Buffer.concat(blocks).toString() };
  }

  const parsedOr = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  };

  it('is read as JSON.parse reads it, however it is written and arrives', async () => {
    const anyText = fc.oneof(hostileText, fc.string({ unit: 'binary' }), fc.constant('\ud800 half'));
    const escaped = (text: string) =>
      JSON.stringify(text).replace(/[^ -~]/gu, (character) =>
        [...Array(character.length).keys()]
          .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
          .join(''),
      );
    const other = fc.dictionary(fc.constantFrom('status', 'cs', 'csv ', 'x"csv', 'a'), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(
        anyText,
        other,
        fc.boolean(),
        fc.boolean(),
        cuts,
        async (csv, around, isAscii, isFirst, sizes) => {
          const text = isAscii ? escaped(csv) : JSON.stringify(csv);
          const rest = JSON.stringify(around).slice(1, -1);
          const fields = rest === '' ? [`"csv" : ${text}`] : [`"csv":${text}`, rest];
          const body = `{${(isFirst ? fields : fields.reverse()).join(',')}}`;
          const got = await read(Buffer.from(body), sizes);
          expect(got.text).toBe(Buffer.from(csv).toString());
          expect(parsedOr(got.rest)).toEqual({ ...(parsedOr(body) as object), csv: '' });
        },
      ),
      { numRuns: 100 },
    );
  });

  it('is no answer when it is cut or damaged, and never one that JSON.parse would not read', async () => {
    const body = JSON.stringify({ status: 'SUCCESS', csv: 'ROW\n"a",\\u00e9 é', campaign_id: 'c' });
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: body.length }),
        fc.constantFrom('', '"', '\\', '\n', '}', ',', '\\x', '\\u12', 'é'),
        fc.boolean(),
        cuts,
        async (at, piece, isCut, sizes) => {
          const damaged = body.slice(0, at) + piece + (isCut ? '' : body.slice(at));
          const got = await read(Buffer.from(damaged), sizes).catch(() => undefined);
          const whole = parsedOr(damaged) as { csv?: unknown } | undefined;
          const rest = got && (parsedOr(got.rest) as { csv?: unknown } | undefined);
          expect(rest === undefined).toBe(whole === undefined);
          if (typeof whole?.csv === 'string') expect(`${got?.text}${String(rest?.csv)}`).toBe(whole.csv);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is refused when it has several texts', async () => {
    await expect(read(Buffer.from('{"csv":"a","csv":"b"}'), [100])).rejects.toThrow('several results');
  });
});

it('numbers keys as a Map of texts does', () => {
  const ids = fc.array(fc.oneof(fc.stringMatching(/^[0-9a-f]{1,3}$/), fc.string({ unit: 'grapheme' })), {
    maxLength: 2_000,
    size: 'max',
  });
  fc.assert(
    fc.property(ids, (texts) => {
      const keys = createByteKeys();
      const map = new Map<string, number>();
      for (const text of texts) {
        const known = map.get(text) ?? map.size;
        map.set(text, known);
        const bytes = Buffer.from(`,${text},`);
        expect(addKey(keys, bytes, 1, bytes.length - 1)).toBe(known);
      }
      expect(Array.from({ length: keys.size }, (_, key) => keyText(keys, key))).toEqual([...map.keys()]);
    }),
    { numRuns: 30 },
  );
});
