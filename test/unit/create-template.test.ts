import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import {
  emptyFields,
  jobProblems,
  parsePayment,
  workProblems,
} from '../../src/features/campaigns/create-fields.ts';
import { readTemplate } from '../../src/features/campaigns/template.ts';
import { fillPlaceholders, placeholdersIn } from '../../src/kit/brief.ts';

const read = (text: string | Buffer, stored?: Map<string, readonly string[]>) =>
  readTemplate(Readable.from([Buffer.from(text)]), stored);

test('a template is read to its end, its first rows kept, with quotes, commas, newlines and a byte order mark', async () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => `${index}" x,"a, ""b""\nc"`).join('\r\n');
  const first = [0, 1, 2].map((index) => [`${index}" x`, 'a, "b"\nc']);
  const stored = new Map<string, readonly string[]>();
  const template = await read(`\uFEFF"Shop ",Text\r\n${rows}\r\n\r\n`, stored);
  expect(template).toEqual({ columns: ['Shop', 'Text'], rows: first, count: 5_000 });
  expect([...stored].slice(-1)).toEqual([['5000', ['4999" x', 'a, "b"\nc']]]);
  expect(stored).toHaveLength(5_000);
});

test('a template takes rows of different lengths, and keeps only so much of them', async () => {
  const { columns, rows } = await read(
    `${'c'.repeat(201)},${'c,'.repeat(500)}\n${'𝔘'.repeat(5_000)}${',x'.repeat(500)}\n`,
  );
  expect(columns).toHaveLength(100);
  expect(columns[0]).toHaveLength(200);
  expect(rows[0]).toHaveLength(100);
  expect([...(rows[0]?.[0] ?? '')]).toHaveLength(1_000);
  const stored = new Map<string, readonly string[]>();
  const { count } = await read(`c\n${`${'x'.repeat(970)}\n`.repeat(5_001)}`, stored);
  expect([stored.size, count]).toEqual([4_999, 5_001]);
});

test.each([
  ['nothing', ''],
  ['only its first line', 'a,b\n'],
  ['blank lines', '\n\n\n'],
])('a template with %s is refused', async (_, text) => {
  await expect(read(text)).rejects.toThrow(/no rows below its first line/);
});

test('a template that is not text, or whose quotes do not end, is refused at once', async () => {
  const stream = Readable.from([Buffer.from('a\0,b\n1,2\n'), Buffer.from('3,4\n')]);
  await expect(readTemplate(stream)).rejects.toThrow(/not a text file in UTF-8/);
  expect(stream.destroyed).toBe(true);
  await expect(read('a,b\n"1,2\n')).rejects.toThrow(/cannot be read as CSV at line 2\. Check its quotes/);
});

test('a template whose download breaks off is refused with a way on', async () => {
  const broken = new Readable({
    read() {
      this.push('a,b\n1,2\n');
      this.destroy(new Error('reset'));
    },
  });
  await expect(readTemplate(broken)).rejects.toThrow(/did not arrive from Slack/);
});

test('the preview replaces placeholders by the column of that name, and leaves the others', () => {
  expect(
    fillPlaceholders('{{shop}} {{ STREET }} {{x}} {{}} {shop}', ['Shop', 'street'], ['A $& B', '{{shop}}']),
  ).toBe('A $& B {{shop}} {{x}} {{}} {shop}');
  const found = placeholdersIn('{{a}} {{A}} {{b}} {{a}}', ['A']);
  expect(found).toEqual({ all: ['a', 'A', 'b'], unknown: ['b'] });
  expect(fillPlaceholders('{{b}}', ['a', 'b'], ['1'])).toBe('');
});

test('amounts and days are taken up to their limits', () => {
  expect(parsePayment('1000000')).toHaveProperty('amount');
  const category = { id: '1', title: 'x', minimums: [{ zone: 'int', payment: '0.05' }] };
  const job = { ...emptyFields, title: 'x', category, positions: '1', minutes: '1' };
  expect(jobProblems({ ...job, payment: '0.05' })).toEqual([]);
  expect(jobProblems({ ...job, payment: '0.049' })).toMatchObject([{ field: 'payment' }]);
  const work = { ...emptyFields, work: 'x', proof1: 'x' };
  expect(workProblems({ ...work, ttr: '30' }, false)).toEqual([]);
  expect(workProblems({ ...work, ttr: '31', description: 'UNIQUE' }, false)).toMatchObject([
    { field: 'csv' },
    { field: 'ttr' },
  ]);
});

test.each(['', ' ', '-1', '1e3', '0x10', '1.2.3', 'NaN', '∞', '1,000', '0', '0.000001', '1000001'])(
  'amounts refuse %j',
  (typed) => {
    expect(parsePayment(typed)).toEqual({ problem: expect.any(String) });
  },
);
