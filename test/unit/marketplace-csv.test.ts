import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Rating, ratings } from '../../src/domain/terms.ts';
import { createDatetimes } from '../../src/marketplace/datetimes.ts';
import type { ResultRow, ResultRows, Skipped } from '../../src/marketplace/index.ts';
import { createResultsReader, readResultsCsv } from '../../src/marketplace/results-csv.ts';
import { rowsIn } from '../../src/marketplace/results-table.ts';
import { clientOf, serve } from './marketplace-server.ts';

const columns =
  'ROW,CSV_ROW,TASK_ID,USER_ID,USERNAME,TASK_RATING,FINISHED,IP,COUNTRY_CODE,PROOF_1,EMPLOYER_COMMENT,HTTP_USER_AGENT';
const preamble = [
  'CAMPAIGN_TITLE,"A ""quoted"", title"',
  'CAMPAIGN_STATUS,RUNNING',
  'GROUP,',
  '--------',
  'TASKS_SUBMITTED,2',
  'TASKS_OK,1',
  '',
];
const row = (id: string, proof: string, rating = 'NOTRATED', agent = 'UA') =>
  `1,0,${id},u1,name,${rating},2026-01-02 03:04:05,1.2.3.4,US,${proof},,${agent}`;

type Unread = Omit<Skipped, 'endpoint'>;

async function read(lines: readonly string[], newline = '\n', campaign?: string) {
  const skipped: { index: number; issues: string[] }[] = [];
  const text = Buffer.from(lines.join(newline));
  const rows: ResultRow[] = [];
  const takers = {
    onRows: (some: ResultRows) => void rows.push(...rowsIn(some)),
    onSkipped: (one: Unread) => skipped.push(one),
  };
  const results = await readResultsCsv(text, createDatetimes('UTC'), takers, campaign);
  expect(results.skipped).toBe(skipped.length);
  expect(results.bytes).toBe(text.length);
  return { ...results, rows, reported: skipped };
}

describe('the results CSV', () => {
  it.each(['\n', '\r\n'])('reads preamble and rows (lines end with %j)', async (newline) => {
    const { preamble: read_, rows } = await read([...preamble, columns, row('12e5', 'x'), ''], newline);
    expect(read_).toEqual({
      CAMPAIGN_TITLE: 'A "quoted", title',
      CAMPAIGN_STATUS: 'RUNNING',
      GROUP: '',
      TASKS_SUBMITTED: '2',
      TASKS_OK: '1',
    });
    expect(rows).toEqual([
      {
        row: '1',
        csvRow: '0',
        taskId: '12e5',
        workerId: 'u1',
        username: 'name',
        rating: 'NOTRATED',
        finishedAt: new Date('2026-01-02T03:04:05Z'),
        ip: '1.2.3.4',
        countryCode: 'US',
        proof: ['x'],
        employerComment: '',
        userAgent: 'UA',
      },
    ]);
  });

  it('reads quotes, commas and newlines in cells, quotes inside unquoted ones too', async () => {
    const { rows, skipped } = await read([
      columns,
      row('a', '"line\nline, ""x"""'),
      row('b', 'say "hi" now'),
      row('c', '"begun" and ended'),
      row('d', 'é中😀'),
    ]);
    expect(rows.map(({ proof }) => proof[0])).toEqual([
      'line\nline, "x"',
      'say "hi" now',
      '"begun" and ended',
      'é中😀',
    ]);
    expect(skipped).toBe(0);
  });

  it('reads further proof columns in order, and leaves columns it does not know', async () => {
    const { rows } = await read([
      'NEWS,TASK_ID,ROW'
        .replace('NEWS,', 'ROW,NEWS,PROOF_2,TASK_RATING,PROOF_1,PROOF_10,')
        .replace(',ROW', ''),
      '1,n,two,OK,one,ten,t1',
    ]);
    expect(rows).toMatchObject([{ taskId: 't1', rating: 'OK', proof: ['one', 'two', 'ten'], username: '' }]);
  });

  it('reads a file without preamble, without rows, and none at all', async () => {
    expect((await read([columns, row('a', 'x')])).rows).toHaveLength(1);
    expect((await read([...preamble, columns])).rows).toEqual([]);
    expect(await read([''])).toMatchObject({ rows: [], preamble: {}, bytes: 0 });
    expect((await read([`\uFEFF${columns}`, row('a', 'x')])).rows).toHaveLength(1);
  });

  it('reports a row that cannot be read and keeps the others', async () => {
    const { rows, reported } = await read([
      columns,
      row('a', 'x'),
      row('', 'x'),
      row('c', 'x', 'DANCING'),
      row('d', 'x'),
      'short',
    ]);
    expect(rows.map(({ taskId }) => taskId)).toEqual(['a', 'd']);
    expect(reported.map(({ index }) => index)).toEqual([1, 2, 4]);
    expect(reported[1]?.issues.join()).toContain('TASK_RATING');
  });

  it('keeps a row whose last cell holds commas it should have quoted', async () => {
    const { rows } = await read([
      columns,
      row('a', 'x', 'OK', 'Mozilla/5.0 (KHTML, like Gecko)'),
      row('b', 'x'),
    ]);
    expect(rows.map(({ taskId }) => taskId)).toEqual(['a', 'b']);
    expect(rows[0]?.userAgent).toBe('Mozilla/5.0 (KHTML, like Gecko)');
  });

  it('reads nothing behind a quote that is never closed: it would be the inside of a worker’s cell', async () => {
    const { rows, reported } = await read([columns, row('a', 'x'), row('b', '"open'), row('c', 'x', 'OK')]);
    expect(rows.map(({ taskId }) => taskId)).toEqual(['a']);
    expect(reported.map(({ index }) => index)).toEqual([1]);
    expect(reported[0]?.issues.join()).toContain('never closed');
    const title = await read(['CAMPAIGN_TITLE,"open', 'GROUP,g', columns, row('a', 'x')]);
    expect(title.preamble).toEqual({ CAMPAIGN_TITLE: '"open', GROUP: 'g' });
    expect(title.rows).toHaveLength(1);
  });

  it.each([
    ['with quotes inside', '""'],
    ['without quotes inside', ''],
    ['with a quote that looks like the end of a cell', '"",'],
  ])(
    'leaves out a row that is too large as a whole, %s: no line of it is another task’s row',
    async (_, inside) => {
      const forged = row('victim', 'x', 'OK');
      const proof = `"${'x'.repeat(1_100_000)}${inside}\n${forged}\n${inside}${forged}\n"`;
      const { rows, reported } = await read([
        columns,
        row('a', 'x'),
        '',
        row('huge', proof),
        row('b', 'y'),
        row('huge too', proof),
        row('c', 'z'),
      ]);
      expect(rows.map(({ taskId }) => taskId)).toEqual(['a', 'b', 'c']);
      expect(reported.map(({ index }) => index)).toEqual([1, 3]);
      expect(reported[0]?.issues.join()).toContain('too large');
    },
  );

  it('gives back whatever a proper writer wrote', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r\n', ' ', 'a', '=', '😀') }),
      fc.constantFrom('12e5', '0012', '-1', 'ROW', 'TRUE', '"', '\uFEFF'),
    );
    const id = fc.oneof(fc.stringMatching(/^[0-9a-f]{1,12}$/), fc.constantFrom('12e5', '007', '1.0'));
    const rows = fc.uniqueArray(
      fc.record({
        id,
        rating: fc.constantFrom<Rating>(...ratings),
        proof: fc.tuple(cell, cell, cell),
        comment: cell,
        agent: cell,
      }),
      { maxLength: 8, selector: ({ id: task }) => task },
    );
    const header = columns.replace('PROOF_1', 'PROOF_1,PROOF_2,PROOF_3');
    const quote = (text: string) => (/[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    await fc.assert(
      fc.asyncProperty(rows, cell, async (written, title) => {
        const lines = written.map(({ id: task, rating, proof, comment, agent }, n) =>
          [n, n, task, 'u', 'n', rating, '', '', 'US', ...proof, comment, agent]
            .map(String)
            .map(quote)
            .join(','),
        );
        const {
          rows: got,
          skipped,
          preamble: head,
          problems,
        } = await read([`CAMPAIGN_TITLE,${quote(title)}`, '', header, ...lines]);
        expect([skipped, problems]).toEqual([0, []]);
        expect(head.CAMPAIGN_TITLE).toBe(title.trim());
        expect(
          got.map((one) => [one.taskId, one.rating, one.proof, one.employerComment, one.userAgent]),
        ).toEqual(written.map((one) => [one.id, one.rating, one.proof, one.comment, one.agent]));
      }),
    );
  });

  it('reads what csv-parse reads, whatever workers write and however the file arrives', async () => {
    const piece = fc.constantFrom('"', '""', ',', '\n', '\r\n', 'a', ' ', 'OK', '\u0000', 'é');
    const cell = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(''));
    const line = fc.oneof(
      {
        weight: 4,
        arbitrary: fc
          .tuple(
            fc.constantFrom('t1', 't2', ' t3 ', '"t4"', 't5', '', '"t 6"'),
            fc.constantFrom<string>(...ratings, 'ok', ' NOK ', '"OK"', 'X'),
            cell,
            cell,
          )
          .map(([id, rating, proof, agent]) => row(id, proof, rating, agent)),
      },
      { weight: 1, arbitrary: cell },
    );
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), cuts, async (lines, sizes) => {
        const text = [columns, ...lines, ''].join('\n');
        let records: string[][];
        try {
          records = parse(text, {
            relax_column_count: true,
            relax_quotes: true,
            skip_empty_lines: true,
            record_delimiter: ['\r\n', '\n'],
          }) as string[][];
        } catch {
          return fc.pre(false);
        }
        const expected = new Map<string, unknown>();
        for (const cells of records.slice(1)) {
          const id = (cells[2] ?? '').trim();
          const rating = (cells[5] ?? '').trim().toUpperCase();
          if (id === '' || !ratings.some((known) => known === rating) || expected.has(id)) continue;
          expected.set(id, [id, rating, [cells[9] ?? ''], cells[10] ?? '', cells.slice(11).join(',')]);
        }
        const rows: ResultRow[] = [];
        const reader = createResultsReader(createDatetimes('UTC'), {
          onRows: (some) => void rows.push(...rowsIn(some)),
          onSkipped: () => undefined,
        });
        const bytes = Buffer.from(text);
        for (let at = 0, n = 0; at < bytes.length; n += 1) {
          const size = sizes[n % sizes.length] ?? 1;
          // The buffer is used again for the next piece, as it is where an answer arrives.
          const held = Buffer.from(bytes.subarray(at, at + size));
          await reader.push(held);
          held.fill(0x22);
          at += size;
        }
        const { problems } = await reader.end();
        expect(
          rows.map((one) => [one.taskId, one.rating, one.proof, one.employerComment, one.userAgent]),
        ).toEqual([...expected.values()]);
        expect(problems.some(({ kind }) => kind === 'cut end' || kind === 'no header')).toBe(false);
      }),
      { numRuns: 150, examples: [[[row('t1', '"x\n1,0,t2,u,n,OK,,,,,,\n"'), row('t2', 'y')], [7]]] },
    );
  });

  it('never fails, whatever the text', async () => {
    const line = fc.oneof(
      fc.constantFrom(columns, row('a', 'x'), row('b', '"'), '"', ',,,', '"",'),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line), async (lines) => {
        await read(lines);
      }),
    );
  });

  it('lets other work have its turn while it reads a large file', async () => {
    const lines = [columns, ...Array.from({ length: 20_000 }, (_, n) => row(n.toString(16), 'x'.repeat(50)))];
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const { rows } = await read(lines);
    clearInterval(timer);
    expect(rows).toHaveLength(20_000);
    expect(turns).toBeGreaterThan(5);
  });

  it('comes through the client with its campaign', async () => {
    const skipped: Skipped[] = [];
    const csv = [...preamble, columns, row('a', 'x'), row('', 'x')].join('\n');
    const server = await serve(() => ({ body: { status: 'SUCCESS', campaign_id: 7, csv } }));
    const client = clientOf(server.url, { onSkipped: (one) => skipped.push(one) });
    const whole = await client.campaignResults('7');
    expect(whole).toMatchObject({ campaignId: '7', skipped: 1, bytes: csv.length });
    expect(skipped).toMatchObject([{ endpoint: 'campaignResults', index: 1 }]);

    const taken: ResultRow[] = [];
    const { rows } = await client.campaignResults('7', {
      into: () => ({ onRows: (some) => void taken.push(...rowsIn(some)) }),
    });
    expect(rows).toEqual([]);
    expect(taken).toEqual(whole.rows);
  });
});

describe('results that are not complete', () => {
  const whole = [...preamble, columns, row('a', 'x'), row('b', 'y', 'OK')];
  const problemsOf = async (lines: readonly string[], campaign?: string) => {
    const { problems, rows } = await read(lines, '\n', campaign);
    return { problems, ids: rows.map(({ taskId }) => taskId) };
  };

  it('are told from those that are', async () => {
    expect(await problemsOf(whole)).toEqual({ problems: [], ids: ['a', 'b'] });
    expect((await problemsOf([...whole, ''])).problems).toEqual([]);
    // More rows than were counted came in meanwhile.
    expect((await problemsOf([...whole, row('c', 'z')])).problems).toEqual([]);
    expect((await problemsOf(['TASKS_SUBMITTED,0', columns])).problems).toEqual([]);
    expect((await problemsOf([`${columns},NEW`, `${row('a', 'x')},new`])).problems).toEqual([]);
  });

  it.each([
    ['nothing', [''], { problems: [{ kind: 'no header' }], ids: [] }],
    ['a page', ['<html><body>Back soon</body></html>'], { problems: [{ kind: 'no header' }], ids: [] }],
    ['rows alone', whole.filter((line) => line !== columns), { problems: [{ kind: 'no header' }], ids: [] }],
    [
      'a column of another name that no row can do without',
      whole.map((line) => line.replace('TASK_RATING', 'STATE')),
      {
        problems: [
          { kind: 'other columns', columns: ['TASK_RATING'] },
          { kind: 'fewer rows', read: 0, expected: 2 },
        ],
        ids: [],
      },
    ],
    [
      'another first column',
      whole.map((line) => line.replace('ROW,', 'NR,')),
      { problems: [{ kind: 'other columns', columns: ['ROW'] }], ids: ['a', 'b'] },
    ],
    [
      'a column twice',
      whole.map((line) => line.replace('IP,', 'USERNAME,')),
      { problems: [{ kind: 'other columns', columns: ['USERNAME', 'IP'] }], ids: ['a', 'b'] },
    ],
    [
      'an end within the last row',
      [...whole.slice(0, -1), row('b', 'y', 'OK').slice(0, 30)],
      { problems: [{ kind: 'cut end' }], ids: ['a'] },
    ],
    [
      'an end within quotes',
      [...whole.slice(0, -1), row('b', '"y')],
      { problems: [{ kind: 'cut end' }], ids: ['a'] },
    ],
    [
      'fewer rows than were submitted',
      whole.slice(0, -1),
      { problems: [{ kind: 'fewer rows', read: 1, expected: 2 }], ids: ['a'] },
    ],
    [
      'a row that cannot be read',
      [...whole, row('c', 'z', 'DANCING'), row('d', 'z')],
      { problems: [{ kind: 'unreadable rows', count: 1 }], ids: ['a', 'b', 'd'] },
    ],
    [
      'a task twice',
      [...whole, row('a', 'x')],
      { problems: [{ kind: 'repeated tasks', count: 1 }], ids: ['a', 'b'] },
    ],
  ] as const)('%s', async (_, lines, expected) => {
    expect(await problemsOf(lines)).toEqual(expected);
  });

  it('nothing is read of another campaign', async () => {
    const other = ['CAMPAIGN_ID,c2', ...whole];
    expect(await problemsOf(other, 'c1')).toEqual({ problems: [{ kind: 'other campaign' }], ids: [] });
    expect(await problemsOf(other, 'c2')).toEqual({ problems: [], ids: ['a', 'b'] });
  });

  it('a task with two different ratings has none', async () => {
    const csv = [...whole, row('a', 'x', 'NOK')].join('\n');
    const server = await serve(() => ({ body: { status: 'SUCCESS', campaign_id: 'c1', csv } }));
    const { rows, problems } = await clientOf(server.url).campaignResults('c1');
    expect(rows.map(({ taskId }) => taskId)).toEqual(['b']);
    expect(problems).toEqual([{ kind: 'repeated tasks', count: 1 }]);
  });
});
