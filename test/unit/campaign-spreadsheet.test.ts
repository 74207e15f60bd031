import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cell, createSpreadsheet, filenameOf, idCell } from '../../src/features/campaigns/spreadsheet.ts';
import type { ResultRow } from '../../src/marketplace/index.ts';

function resultRow(fields: Partial<ResultRow> = {}): ResultRow {
  return {
    row: '1',
    csvRow: '1',
    taskId: 't1',
    workerId: 'w1',
    username: 'Ann',
    rating: 'OK',
    finishedAt: new Date(Date.UTC(2026, 0, 31, 9, 5, 7)),
    ip: '203.0.113.7',
    countryCode: 'US',
    proof: ['done'],
    employerComment: '',
    userAgent: 'Mozilla/5.0',
    ...fields,
  };
}

const fileOf = (rows: readonly ResultRow[], preamble: Record<string, string> = {}, maskIps = false) => {
  const sheet = createSpreadsheet({ maskIps });
  for (const row of rows) sheet.add(row);
  return Buffer.concat(sheet.file(preamble));
};

const cellsOf = (rows: readonly ResultRow[], preamble: Record<string, string> = {}, maskIps = false) => {
  const bytes = fileOf(rows, preamble, maskIps);
  return parse(bytes, { bom: true, relax_column_count: true }) as string[][];
};

const formula = /^[=+\-@\t\r]/;
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc
    .tuple(fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ','), fc.string())
    .map(([start, rest]) => start + rest),
);

describe('a file of results', () => {
  test('holds no cell that a spreadsheet would run, and every other text as it was', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            taskId: anyText,
            workerId: anyText,
            username: anyText,
            proof: fc.array(anyText, { maxLength: 3 }),
            employerComment: anyText,
            userAgent: anyText,
          }),
          { maxLength: 5 },
        ),
        fc.dictionary(anyText, anyText, { maxKeys: 3 }),
        (fields, preamble) => {
          const rows = fields.map(resultRow);
          const cells = cellsOf(rows, preamble);
          for (const one of cells.flat()) expect(one).not.toMatch(formula);
          const table = cells.slice(cells.findIndex(([first]) => first === 'ROW') + 1);
          expect(table).toHaveLength(rows.length);
          table.forEach((line, index) => {
            const { username, employerComment } = rows[index] ?? resultRow();
            expect([username, `'${username}`]).toContain(line[4]);
            expect([employerComment, `'${employerComment}`]).toContain(line.at(-2));
          });
        },
      ),
      { numRuns: 200 },
    );
  });

  test('keeps ids text, also those that look like a number or a date', () => {
    for (const id of ['12e5', '00123', '1', '12345678901234567890', 'dec2', 'MAR-1', '1-2', '1.50']) {
      expect(idCell(id)).toBe(`"'${id}"`);
    }
    for (const id of ['a1b2', '5f3e9c', 'decade', '12e5f']) expect(idCell(id)).toBe(`"${id}"`);
    expect(idCell('=1+1')).toBe(`"'=1+1"`);
    expect(cell('say "hi"')).toBe('"say ""hi"""');
  });

  test('has the lines about the campaign, an empty line, the table with every slot, and times in UTC', () => {
    const preamble = { CAMPAIGN_TITLE: 'Shelf, "7"', CAMPAIGN_ID: '12e5' };
    const proof = ['a\nb', 'c'];
    const bytes = fileOf([resultRow({ proof }), resultRow({ proof, finishedAt: undefined })], preamble);
    const text = bytes.toString('utf8');
    expect(
      text.startsWith(
        '\uFEFF"CAMPAIGN_TITLE","Shelf, ""7"""\r\n"CAMPAIGN_ID","\'12e5"\r\n\r\nROW,CSV_ROW,TASK_ID,',
      ),
    ).toBe(true);
    expect(text).toContain(',PROOF_1,PROOF_2,EMPLOYER_COMMENT,HTTP_USER_AGENT\r\n');
    expect(text).toContain('"OK","2026-01-31 09:05:07","203.0.113.7","US","a\nb","c",');
  });

  test('for everybody hides the last part of addresses', () => {
    const rows = [resultRow(), resultRow({ ip: '2001:db8::7' }), resultRow({ ip: '' })];
    const cells = cellsOf(rows, {}, true);
    expect(cells.slice(-3).map((line) => line[7])).toEqual(['203.0.113.…', '2001:db8::…', '']);
  });

  test('of 100,000 rows comes whole, in the order of the rows', () => {
    const rows = Array.from({ length: 100_000 }, (_, index) => resultRow({ row: String(index + 1) }));
    const lines = fileOf(rows).toString('utf8').trimEnd().split('\r\n');
    expect(lines).toHaveLength(100_002);
    expect(lines.slice(2).map((line) => line.split(',')[0])).toEqual(rows.map(({ row }) => `"${row}"`));
  });

  test('has a name that says what it is', () => {
    expect(filenameOf({ id: '12e5', title: 'Café: "shelf" / 7' })).toBe('results-Café-shelf-7-12e5.csv');
    expect(filenameOf({ id: '../x', title: '…' })).toBe('results-x.csv');
    expect(filenameOf({ id: 'f'.repeat(500), title: '𝔘'.repeat(3_000) }).length).toBeLessThan(255);
  });
});
