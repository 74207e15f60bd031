import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createWorkbook } from '../../src/features/campaigns/results/workbook.ts';
import type { ResultRow } from '../../src/marketplace/index.ts';
import { asId } from '../harness/ids.ts';
import { sheetsOf, unzip } from '../harness/workbook.ts';
import { resultRow } from './result-rows.ts';

function fileOf(rows: readonly ResultRow[], preamble: Record<string, string> = {}): Buffer {
  const workbook = createWorkbook();
  for (const row of rows) workbook.add(row);
  return Buffer.concat(workbook.file(preamble));
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Returns how many bytes this process holds, without garbage. */
function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('a workbook of results', () => {
  test('has numbers as numbers, times as times, and ids as text', () => {
    const sheets = sheetsOf(
      fileOf([resultRow({ csvRow: '0', taskId: asId('12e5'), workerId: asId('007') })], {
        CAMPAIGN_ID: '12e5',
        TASKS_OK: '12',
        PAYMENT: '0.05',
        CODE: '007',
      }),
    );
    expect(sheets.get('Results')).toEqual([
      'ROW CSV_ROW TASK_ID USER_ID USERNAME TASK_RATING FINISHED IP COUNTRY_CODE PROOF_1 EMPLOYER_COMMENT HTTP_USER_AGENT'.split(
        ' ',
      ),
      [
        1,
        0,
        '12e5',
        '007',
        'Ann',
        'OK',
        new Date('2026-01-31T09:05:07Z'),
        '203.0.113.…',
        'US',
        'done',
        undefined,
        'Mozilla/5.0',
      ],
    ]);
    expect(sheets.get('Campaign')?.slice(1)).toEqual([
      ['CAMPAIGN_ID', '12e5'],
      ['TASKS_OK', 12],
      ['PAYMENT', 0.05],
      ['CODE', '007'],
    ]);
  });

  test('has whatever workers wrote as text, exactly as it is', () => {
    const lines = (text: string) => text.replace(/\r\n?/g, '\n');
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.string({
        unit: fc.constantFrom(
          '=',
          '<',
          '&',
          ']',
          '_',
          'x',
          '0',
          'A',
          ';',
          '\t',
          '\r',
          '\n',
          '\0',
          '\ud800',
          ' ',
        ),
      }),
    );
    fc.assert(
      fc.property(anything, anything, (username, proof) => {
        const [, row = []] =
          sheetsOf(fileOf([resultRow({ username, proof: [proof, '=1+1'] })])).get('Results') ?? [];
        expect([row[4] ?? '', row[9] ?? '', row[10]]).toEqual([lines(username), lines(proof), '=1+1']);
      }),
      {
        numRuns: 200,
        examples: [
          ['_x0041_', '\ud800\uffff\0'],
          ['=cmd|calc', 'a\r\nb'],
        ],
      },
    );
  });

  test('cuts what no cell can hold', () => {
    const [, row = []] = sheetsOf(fileOf([resultRow({ proof: ['x'.repeat(40_000)] })])).get('Results') ?? [];
    expect(row[9]).toBe(`${'x'.repeat(32_766)}…`);
    const [, wide = []] =
      sheetsOf(fileOf([resultRow({ proof: [`x${'😀'.repeat(20_000)}`] })])).get('Results') ?? [];
    expect(wide[9]).toBe(`x${'😀'.repeat(16_382)}…`);
  });

  test('of 30,000 rows is compressed as it is written', () => {
    const workbook = createWorkbook();
    const before = heldBytes();
    for (let row = 1; row <= 30_000; row += 1)
      workbook.add(resultRow({ row: String(row), proof: [`proof ${row}`] }));
    const grown = heldBytes() - before;
    const file = Buffer.concat(workbook.file({}));
    const sheet = unzip(file).get('xl/worksheets/sheet1.xml')?.toString() ?? '';
    expect(file.length).toBeLessThan(sheet.length / 10);
    expect(grown).toBeLessThan(sheet.length / 2);
    expect(sheet.match(/<row /gu)).toHaveLength(30_001);
    expect(sheet.lastIndexOf('proof 30000')).toBeGreaterThan(sheet.lastIndexOf('proof 29999'));
  });
});
