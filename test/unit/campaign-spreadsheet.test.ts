import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TaskId, WorkerId } from '../../src/domain/terms.ts';
import {
  cell,
  createSpreadsheet,
  idCell,
  resultsFilename,
} from '../../src/features/campaigns/results-file.ts';
import type { ResultRow } from '../../src/marketplace/index.ts';
import { asId } from '../harness/ids.ts';
import { forAll } from './properties.ts';
import { resultRow } from './result-rows.ts';

const fileOf = (rows: readonly ResultRow[], preamble: Record<string, string> = {}) => {
  const sheet = createSpreadsheet();
  const taken: string[] = [];
  for (const row of rows) {
    sheet.add(row);
    taken.push(...sheet.take());
  }
  return Buffer.from([sheet.head(preamble), ...taken].join(''));
};

const cellsOf = (rows: readonly ResultRow[], preamble: Record<string, string> = {}) => {
  const bytes = fileOf(rows, preamble);
  return parse(bytes, { bom: true, relax_column_count: true }) as string[][];
};

const formula = /^[=+\-@\t\r]/;
const formulaStart = /^[=+\-@＝＋－＠]/u;

/**
 * Reads a file as spreadsheets do: a quote at the beginning of a cell opens it, the next single one closes it, and what
 * follows belongs to it up to the separator.
 */
function cellsAsSpreadsheetsRead(text: string, separator: string): string[] {
  const cells: string[] = [];
  let shown = '';
  let isQuoted = false;
  let isStart = true;
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (isQuoted) {
      if (character !== '"') shown += character;
      else if (text[at + 1] === '"') {
        shown += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === separator || character === '\n' || character === '\r') {
      cells.push(shown);
      shown = '';
      isStart = true;
      continue;
    } else if (isStart && character === '"') isQuoted = true;
    else shown += character;
    isStart = false;
  }
  return [...cells, shown];
}
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc
    .tuple(fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ','), fc.string())
    .map(([start, rest]) => start + rest),
);
const anyRow = fc.record({
  taskId: anyText.map((text) => asId<TaskId>(text)),
  workerId: anyText.map((text) => asId<WorkerId>(text)),
  username: anyText,
  proof: fc.array(anyText, { maxLength: 3 }),
  employerComment: anyText,
  userAgent: anyText,
});

test('a file of results holds no cell that a spreadsheet would run, and every other text as it was', () => {
  const someRows = fc.array(anyRow, { maxLength: 5 });
  const lines = fc.dictionary(anyText, anyText, { maxKeys: 3 });
  forAll({ numRuns: 200 }, someRows, lines, (fields, preamble) => {
    const rows = fields.map(resultRow);
    const cells = cellsOf(rows, preamble);
    for (const one of cells.flat()) expect(one).not.toMatch(formula);
    const table = cells.slice(cells.findIndex(([first]) => first === 'ROW') + 1);
    expect(table).toHaveLength(rows.length);
    table.forEach((line, index) => {
      const { username, employerComment } = rows[index] ?? resultRow();
      const withoutApostrophes = (text = '') => text.replaceAll("'", '');
      expect(withoutApostrophes(line[4])).toBe(withoutApostrophes(username));
      expect(withoutApostrophes(line.at(-2))).toBe(withoutApostrophes(employerComment));
    });
  });
});

test.each([';', '\t'])(
  'a file of results holds no cell that runs where %j separates cells, as in much of the world',
  (delimiter) => {
    const part = fc.constantFrom(...`;\t" \n,=+-@＝'a1`, '""', '\r\n');
    const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
    const examples: [string, string, string][] = [
      ['a;=1+1', `x\t=cmd|'/c calc'!A1`, 'b;"=1+1"'],
      ['a\n=1', '; =1', ';;-1'],
    ];
    forAll({ numRuns: 500, examples }, text, text, text, (username, proof, employerComment) => {
      const bytes = fileOf([resultRow({ username, proof: [proof], employerComment })], { TITLE: username });
      for (const one of cellsAsSpreadsheetsRead(bytes.toString('utf8'), delimiter))
        expect(one.replace(/^[ "]+/, '')).not.toMatch(formulaStart);
    });
  },
);

test.each([
  [
    'numbers',
    ['12e5', '1E+5', '00123', '1', '12345678901234567890', '1.50', '1,000', '.5', '50%', '$5', '(5)'],
  ],
  ['dates in digits, and fractions', ['1-2', '3/4', '1 3/4', '1.2.2026', '2026-01-31', '2026-01-31 09:05']],
  ['a month before the day or the year', ['dec2', 'MAR-1', 'Dec 1, 2021', 'december2021']],
  ['the day before the month', ['1dec', '1-dec', '12dec2021', '3feb99', '3 Feb', '1/sept/21', '2021-dec-12']],
  ['times', ['1:30', '17:', '1:30:05.5', '1:30 PM', '7a', '11pm']],
  ['truth and failed formulas', ['TRUE', 'false', '#N/A', '#REF!']],
  ['what is seen past', [' 12e5', '1dec ', '１２', ' TRUE ']],
])('a file of results keeps ids text that a spreadsheet would read as something else: %s', (_, ids) => {
  for (const id of ids) expect(idCell(id)).toBe(`"'${id}"`);
});

test('an id of many months is read in one way, not in all', () => {
  for (const months of [`1${'sept'.repeat(2)}`, 'june1'.repeat(2)]) {
    const id = `${months.repeat(16)}q`;
    expect(idCell(id)).toBe(`"${id}"`);
  }
});

test('a file of results keeps every id text that is a day and a month, whatever is between', () => {
  const day = fc.integer({ min: 1, max: 31 }).map(String);
  const month = fc.constantFrom(...'jan feb mar apr may jun jul aug sep oct nov dec'.split(' '));
  const between = fc.constantFrom('', '-', '/', ' ', '.');
  const year = fc.constantFrom('', '7', '99', '2021');
  const date = fc.tuple(day, month, between, year, fc.boolean());
  forAll(date, ([d, m, gap, y, isDayFirst]) => {
    const id = [...(isDayFirst ? [d, m] : [m, d]), ...(y === '' || gap === '' ? [] : [y])].join(gap);
    expect(idCell(id)).toBe(`"'${id}"`);
    expect(idCell(id.toUpperCase())).toBe(`"'${id.toUpperCase()}"`);
  });
});

test('a file of results leaves other ids as they are', () => {
  const ids = ['a1b2', '5f3e9c', 'decade', 'decade12', '12e5f', '1dec2f', 'f1dec', '12ab', '1d5', 'truest'];
  for (const id of ids) expect(idCell(id)).toBe(`"${id}"`);
  expect(idCell('=1+1')).toBe(`"'=1+1"`);
  expect(cell('say "hi"')).toBe('"say ""hi"""');
});

test('a file of results has the lines about the campaign, an empty line, the table with every slot, and times in UTC', () => {
  const preamble = { CAMPAIGN_TITLE: 'Shelf, "7"', CAMPAIGN_ID: '12e5' };
  const proof = ['a\nb', 'c'];
  const bytes = fileOf([resultRow({ proof }), resultRow({ proof, finishedAt: undefined })], preamble);
  const text = bytes.toString('utf8');
  const above = '"CAMPAIGN_TITLE","Shelf, ""7"""\r\n"CAMPAIGN_ID","\'12e5"\r\n\r\n';
  expect(text.startsWith(`\uFEFF${above}ROW,CSV_ROW,TASK_ID,`)).toBe(true);
  expect(text).toContain(',PROOF_1,PROOF_2,EMPLOYER_COMMENT,HTTP_USER_AGENT\r\n');
  expect(text).toContain('"OK","2026-01-31 09:05:07","203.0.113.…","US","a\nb","c",');
  expect(String(fileOf([]))).toContain(',COUNTRY_CODE,PROOF_1,EMPLOYER_COMMENT,');
});

test('a file of results hides the last part of addresses', () => {
  const ips = ['203.0.113.7', '2001:db8::7', '2001:db8::', ''];
  const cells = cellsOf(ips.map((ip) => resultRow({ ip })));
  const masked = '2001:db8:0:0:…';
  expect(cells.slice(-4).map((line) => line[7])).toEqual(['203.0.113.…', masked, masked, '']);
});

test('a file of results has a name that says what it is', () => {
  expect(resultsFilename({ id: '12e5', title: 'Café: "shelf" / 7' })).toBe('results-Café-shelf-7-12e5.csv');
  expect(resultsFilename({ id: '../x', title: '…' })).toBe('results-x.csv');
  const longest = `results-${'𝔘'.repeat(60)}-${'f'.repeat(60)}.csv`;
  expect(resultsFilename({ id: 'f'.repeat(500), title: '𝔘'.repeat(3_000) })).toBe(longest);
});
