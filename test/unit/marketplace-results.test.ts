import { Readable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Rating, ratings } from '../../src/domain/terms.ts';
import { createDatetimes } from '../../src/marketplace/datetimes.ts';
import { describeResultsProblems, type ResultRow, TransportError } from '../../src/marketplace/index.ts';
import { createResultsAnswer } from '../../src/marketplace/results-csv.ts';
import { weighted } from '../fuzz/values.ts';
import { clientOf, failure, serve } from './marketplace-server.ts';
import { forAllAsync } from './properties.ts';

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
const whole = [...preamble, columns, row('a', 'x'), row('b', 'y', 'OK')];

/** Reads an answer that arrives in pieces of these sizes. */
async function readAnswer(body: Buffer, sizes: readonly number[] = [64 * 1024], campaignId = 'c1') {
  const rows: ResultRow[] = [];
  const texts: Buffer[] = [];
  async function* pieces() {
    for (let at = 0, n = 0; at < body.length; n += 1) {
      const size = sizes[n % sizes.length] ?? 1;
      yield body.subarray(at, at + size);
      at += size;
    }
  }
  const answer = createResultsAnswer({
    datetimes: createDatetimes('UTC'),
    campaignId,
    into: { onCsv: (text) => void texts.push(text), onRows: (some) => void rows.push(...some) },
  });
  const response = { status: 200, header: () => undefined, received: undefined };
  const { text: around } = await answer.receive({ ...response, body: Readable.from(pieces()) });
  return { around, rows, text: () => Buffer.concat(texts).toString(), end: answer.end };
}

const answerOf = (csv: string) => Buffer.from(JSON.stringify({ status: 'SUCCESS', csv }));

/** Reads the lines of a file. */
async function read(lines: readonly string[], campaign?: string, sizes?: readonly number[]) {
  const csv = lines.join('\n');
  const { rows, end } = await readAnswer(answerOf(csv), sizes, campaign);
  const results = await end('');
  return { ...results, rows, ids: rows.map(({ taskId }) => taskId) };
}

/** Returns the cells that workers write, and what is decided by. */
const cellsOf = (rows: readonly ResultRow[]) =>
  rows.map((one) => [one.taskId, one.rating, one.proof, one.employerComment, one.userAgent]);

/** What workers write, as hostile as they can: most of what decides where cells and records end, and pieces of rows. */
const part = weighted(
  [6, fc.constantFrom('"', '"', '""', ',', '\n', '\r\n', '\r', 'a', ' ', '\\')],
  [1, fc.constantFrom(row('t1', 'x', 'OK'), '\u0000', '\u2028', 'é', '😀', '\t')],
);
const hostile = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''));
/** Sizes of the pieces in which an answer arrives. */
const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 });

it.each(['', '\r'])('the results CSV has lines above its rows (lines end with %j)', async (end) => {
  const results = await read([...preamble, columns, row('12e5', 'x'), ''].map((line) => line + end));
  expect(results.preamble).toEqual({
    CAMPAIGN_TITLE: 'A "quoted", title',
    CAMPAIGN_STATUS: 'RUNNING',
    GROUP: '',
    TASKS_SUBMITTED: '2',
    TASKS_OK: '1',
  });
  expect(results.rows).toEqual([
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

it.each([
  ['quotes, commas and lines in a cell', row('a', '"line\nline, ""x"""'), { proof: ['line\nline, "x"'] }],
  ['quotes in a cell without', row('a', 'say "hi" now'), { proof: ['say "hi" now'] }],
  ['a cell that goes on after its quotes', row('a', '"begun" and ended'), { proof: ['"begun" and ended'] }],
  ['any character', row('a', 'é中😀'), { proof: ['é中😀'] }],
  ['commas in the last cell', row('a', 'x', 'OK', 'UA (like, Gecko)'), { userAgent: 'UA (like, Gecko)' }],
])('the results CSV may have %s', async (_, line, expected) => {
  expect((await read([columns, line, row('b', 'x')])).rows).toMatchObject([expected, { taskId: 'b' }]);
});

it('the results CSV may have further proofs in any order, and columns that nobody knows', async () => {
  const header = 'ROW,NEWS,PROOF_2,TASK_RATING,PROOF_1,PROOF_10,TASK_ID';
  const { rows } = await read([header, '1,n,two,OK,one,ten,t1']);
  expect(rows).toMatchObject([{ taskId: 't1', rating: 'OK', proof: ['one', 'two', 'ten'], username: '' }]);
});

it.each([
  ['without lines above', [columns, row('a', 'x')], ['a']],
  ['without rows', [...preamble, columns], []],
  ['with cells left out at the end of each row', [columns, '1,0,a,,,OK', '1,0,b,,,OK'], ['a', 'b']],
  ['with a byte order mark', [`\uFEFF${columns}`, row('a', 'x')], ['a']],
  ['with a title whose quotes are never closed', ['TITLE,"open', columns, row('a', 'x')], ['a']],
])('the results CSV is read %s', async (_, lines, ids) => {
  expect((await read(lines)).ids).toEqual(ids);
});

it('the results CSV has only first lines above its rows where quotes are never closed', async () => {
  const { preamble: above } = await read(['"', '\r"R,"', '","'], 'c1', [1]);
  expect(above).toEqual({ '"R': '"' });
});

it('the results CSV loses a row that cannot be read, and no other', async () => {
  const rows = [row('a', 'x'), row('', 'x'), row('c', 'x', 'DANCING'), row('d', 'x')];
  const { ids, problems } = await read([columns, ...rows, 'short']);
  expect(ids).toEqual(['a', 'd']);
  expect(problems).toEqual([{ kind: 'cut end' }, { kind: 'unreadable rows', count: 2 }]);
});

it('the results CSV is not read behind a quote that is never closed: it would be the inside of a worker’s cell', async () => {
  const { ids, problems } = await read([columns, row('a', 'x'), row('b', '"open'), row('c', 'x', 'OK')]);
  expect(ids).toEqual(['a']);
  expect(problems).toEqual([{ kind: 'cut end' }]);
});

it.each(['""', '', '"",'])(
  'the results CSV loses a row that is too large as a whole (with %j inside)',
  async (inside) => {
    const forged = row('victim', 'x', 'OK');
    const proof = `"${'x'.repeat(1_100_000)}${inside}\n${forged}\n${inside}${forged}\n"`;
    const huge = row('huge', proof);
    const [a, b, c] = [row('a', 'x'), row('b', 'y'), row('c', 'z')];
    const { ids, problems } = await read([columns, a, '', huge, b, huge, c]);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(problems).toEqual([{ kind: 'unreadable rows', count: 2 }]);
  },
);

it('the results CSV gives back whatever a proper writer wrote', async () => {
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
  await forAllAsync(rows, cell, cuts, async (written, title, sizes) => {
    const lines = written.map(({ id: task, rating, proof, comment, agent }, n) =>
      [n, n, task, 'u', 'n', rating, '', '', 'US', ...proof, comment, agent].map(String).map(quote).join(','),
    );
    const results = await read([`CAMPAIGN_TITLE,${quote(title)}`, '', header, ...lines], 'c1', sizes);
    expect(results.problems).toEqual([]);
    expect(results.preamble.CAMPAIGN_TITLE).toBe(title.trim());
    expect(cellsOf(results.rows)).toEqual(
      written.map((one) => [one.id, one.rating, one.proof, one.comment, one.agent]),
    );
  });
});

it('the results CSV has the rows that csv-parse finds, whatever workers write and however it arrives', async () => {
  const id = fc.constantFrom('t1', 't2', ' t3 ', '"t4"', 't5', '', '"t 6"');
  const rating = fc.constantFrom<string>(...ratings, 'ok', ' NOK ', '"OK"', 'X');
  const cells = fc.tuple(id, rating, hostile, hostile);
  const rows = cells.map(([task, rated, proof, agent]) => row(task, proof, rated, agent));
  const line = weighted([4, rows], [1, hostile]);
  const lenient = { relax_column_count: true, relax_quotes: true };
  const written = fc.array(line, { maxLength: 8 });
  const forged = row('t1', '"x\n1,0,t2,u,n,OK,,,,,,\n"');
  const examples: [string[], number[]][] = [[[forged, row('t2', 'y')], [7]]];
  await forAllAsync({ numRuns: 150, examples }, written, cuts, async (lines, sizes) => {
    const text = [columns, ...lines, ''].join('\n');
    let records: string[][];
    try {
      records = parse(text, { ...lenient, skip_empty_lines: true, record_delimiter: ['\r\n', '\n'] });
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
    const { rows, problems } = await read(text.split('\n'), 'c1', sizes);
    expect(cellsOf(rows)).toEqual([...expected.values()]);
    expect(problems.some(({ kind }) => kind === 'cut end' || kind === 'no header')).toBe(false);
  });
});

it('the results CSV is read in slices, between which other work has its turn', async () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => row(n.toString(16), 'x'.repeat(50)));
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const { rows } = await read([columns, ...lines], 'c1', [1e9]);
  clearInterval(timer);
  expect(rows).toHaveLength(20_000);
  expect(turns).toBeGreaterThan(5);
});

it('the results CSV comes through the client with its campaign, at once or piece by piece', async () => {
  const csv = [...preamble, columns, row('a', 'x'), row('', 'x')].join('\n');
  const server = await serve(() => ({ body: { status: 'SUCCESS', campaign_id: 7, csv } }));
  const client = clientOf(server.url);
  const results = await client.campaignResults('7');
  expect(results.problems).toEqual([{ kind: 'unreadable rows', count: 1 }]);
  const taken: ResultRow[] = [];
  const onRows = (some: readonly ResultRow[]) => void taken.push(...some);
  expect((await client.campaignResults('7', { into: () => ({ onRows }) })).rows).toEqual([]);
  expect(taken).toEqual(results.rows);
  const full = new Error('no room');
  const refusing = { onRows: () => Promise.reject(full) };
  await expect(client.campaignResults('7', { into: () => refusing })).rejects.toBe(full);
});

it.each([
  ['none at all', whole],
  ['none with a line break at the end', [...whole, '']],
  ['none with rows that came in meanwhile', [...whole, row('c', 'z')]],
  ['none without tasks', ['TASKS_SUBMITTED,0', columns]],
  ['none with a new column', [`${columns},NEW`, `${row('a', 'x')},new`]],
])('results that are not complete are told from those that are: %s', async (_, lines) => {
  expect((await read(lines)).problems).toEqual([]);
});

const noHeader = { kind: 'no header' };
it.each([
  ['nothing', [''], [noHeader], []],
  ['a page', ['<html><body>Back soon</body></html>'], [noHeader], []],
  ['rows alone', whole.filter((line) => line !== columns), [noHeader], []],
  [
    'a column of another name that no row can do without',
    whole.map((line) => line.replace('TASK_RATING', 'STATE')),
    [
      { kind: 'other columns', columns: ['TASK_RATING'] },
      { kind: 'fewer rows', read: 0, expected: 2 },
    ],
    [],
  ],
  [
    'another first column',
    whole.map((line) => line.replace('ROW,', 'NR,')),
    [{ kind: 'other columns', columns: ['ROW'] }],
    ['a', 'b'],
  ],
  [
    'a column twice',
    whole.map((line) => line.replace('IP,', 'USERNAME,')),
    [{ kind: 'other columns', columns: ['USERNAME', 'IP'] }],
    ['a', 'b'],
  ],
  ['an end within the last row', [...whole.slice(0, -1), '1,0,b,u1,name,OK'], [{ kind: 'cut end' }], ['a']],
  ['an end within quotes', [...whole.slice(0, -1), row('b', '"y')], [{ kind: 'cut end' }], ['a']],
  [
    'fewer rows than were submitted',
    whole.slice(0, -1),
    [{ kind: 'fewer rows', read: 1, expected: 2 }],
    ['a'],
  ],
  [
    'a row that cannot be read',
    [...whole, row('c', 'z', 'DANCING'), row('d', 'z')],
    [{ kind: 'unreadable rows', count: 1 }],
    ['a', 'b', 'd'],
  ],
  ['a task twice', [...whole, row('a', 'x')], [{ kind: 'repeated tasks', count: 1 }], ['a', 'b']],
  ['another campaign', ['CAMPAIGN_ID,c2', ...whole], [{ kind: 'other campaign' }], []],
  ['this campaign', ['CAMPAIGN_ID,c1', ...whole], [], ['a', 'b']],
])('results: %s', async (_, lines, problems, ids) => {
  expect(await read(lines, 'c1')).toMatchObject({ problems, ids });
});

it('a task with two different ratings has none', async () => {
  const csv = [...whole, row('a', 'x', 'NOK')].join('\n');
  const server = await serve(() => ({ body: { status: 'SUCCESS', campaign_id: 'c1', csv } }));
  const { counts, rows, problems } = await clientOf(server.url).campaignResults('c1');
  expect(counts).toMatchObject({ NOTRATED: 0, NOK: 0, OK: 1 });
  expect(rows.map(({ taskId }) => taskId)).toEqual(['b']);
  expect(problems).toEqual([{ kind: 'repeated tasks', count: 1 }]);
  expect(describeResultsProblems(problems)).toBe('have several rows for the same task');
});

const parsed = (text: string): { csv?: unknown } | undefined => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

it('the answer around the text is read as JSON.parse reads it, however it is written and arrives', async () => {
  const anyText = fc.oneof(hostile, fc.string({ unit: 'binary' }), fc.constant('\ud800 half'));
  const escaped = (text: string) =>
    JSON.stringify(text).replace(/[^ -~]/gu, (character) =>
      [...Array(character.length).keys()]
        .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
        .join(''),
    );
  const other = fc.dictionary(fc.constantFrom('status', 'cs', 'csv ', 'x"csv', 'a'), fc.jsonValue());
  await forAllAsync(
    { numRuns: 100 },
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
      const got = await readAnswer(Buffer.from(body), sizes);
      expect(got.text()).toBe(Buffer.from(csv).toString());
      expect(parsed(got.around)).toEqual({ ...parsed(body), csv: '' });
    },
  );
});

it('the answer around the text is no answer when it is cut or damaged, and never one that JSON.parse would not read', async () => {
  const body = JSON.stringify({ status: 'SUCCESS', csv: 'ROW\n"a",\\u00e9 é', campaign_id: 'c' });
  const place = fc.nat({ max: body.length });
  const added = fc.constantFrom('', '"', '\\', '\n', '}', ',', '\\x', '\\u12', '\\ud83d', 'é');
  await forAllAsync({ numRuns: 500 }, place, added, fc.boolean(), cuts, async (at, piece, isCut, sizes) => {
    const damaged = body.slice(0, at) + piece + (isCut ? '' : body.slice(at));
    const got = await readAnswer(Buffer.from(damaged), sizes).catch(() => undefined);
    const all = parsed(damaged);
    const rest = got && parsed(got.around);
    expect(rest === undefined).toBe(all === undefined);
    const text = `${got?.text()}${String(rest?.csv)}`;
    if (typeof all?.csv === 'string') expect(text).toBe(Buffer.from(all.csv).toString());
  });
});

it.each([
  ['several texts', '{"status":"SUCCESS","csv":"a","csv":"b"}'],
  ['no text', '{"status":"SUCCESS","csv":["a"]}'],
  ['a text in an inner object', '{"status":"SUCCESS","inner":{"csv":"a"}}'],
  ['too much around it', `{"status":"SUCCESS","more":"${'x'.repeat(5_000_000)}","csv":""}`],
])('the answer around the text is refused when it has %s', async (_, body) => {
  const server = await serve(() => ({ body }));
  const error = await failure(TransportError, clientOf(server.url).campaignResults('c1'));
  expect(error.kind).toBe('unreadable');
});

it('the answer around the text may have its text far from its beginning, or under an escaped name', async () => {
  const [more, csv] = ['x'.repeat(100_000), whole.join('\n')];
  const status = 'SUCCESS';
  for (const answer of [
    { status, more, csv },
    { status, csv },
  ]) {
    const body = JSON.stringify(answer).replace('"csv"', '"\\u0063sv"');
    const server = await serve(() => ({ body }));
    const { rows } = await clientOf(server.url).campaignResults('c1');
    expect(rows.map(({ taskId }) => taskId)).toEqual(['a', 'b']);
  }
});
