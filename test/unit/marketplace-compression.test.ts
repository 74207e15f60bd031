import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { describeResultsProblems, TransportError } from '../../src/marketplace/index.ts';
import { campaignSummary as summary } from '../fuzz/api-samples.ts';
import { clientOf, failure, serve } from './marketplace-server.ts';

const mb = 1024 * 1024;
const zeros = Buffer.alloc(16 * mb);
const brotli = (bytes: Buffer) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
/** 16 MB of zeros in 16 KB. As many follow each other as are taken: to 10 GB, and without end. */
const member = gzipSync(zeros);

/** Answers with a bomb, and counts the bytes that were taken. */
async function bomb(encoding: string, parts: () => Iterable<Buffer>, headers: Record<string, string>) {
  let sent = 0;
  const write = async (response: ServerResponse) => {
    response.writeHead(200, { 'content-encoding': encoding, ...headers });
    for (const part of parts()) {
      if (response.destroyed) return;
      sent += part.length;
      if (!response.write(part)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
    response.end();
  };
  const server = await serve(() => (response) => void write(response));
  return { client: clientOf(server.url), sent: () => sent, requests: () => server.seen.length };
}

function* endless(part: Buffer) {
  for (;;) yield part;
}

it.each(Object.entries({ gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync }))(
  'an answer in %s is read',
  async (encoding, compress) => {
    const body = compress('{"status":"SUCCESS","campaigns":[]}');
    const server = await serve(() => ({ headers: { 'content-encoding': encoding }, body }));
    expect(await clientOf(server.url).listCampaigns()).toEqual([]);
  },
);

const json = { 'content-type': 'application/json' };
const file = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="a.png"' };
const bombs: [string, () => Iterable<Buffer>][] = [
  ['gzip', () => endless(member)],
  ['br', () => [brotli(Buffer.alloc(64 * mb))]],
  ['deflate', () => [deflateSync(zeros.subarray(0, 8 * mb))]],
];

it.each(bombs)(
  'a small answer that unpacks to an enormous one ends an answer with an error that says so, in flat memory (%s)',
  async (encoding, parts) => {
    const { client, sent, requests } = await bomb(encoding, parts, json);
    const before = process.memoryUsage.rss();
    const error = await failure(TransportError, client.listCategories());
    expect(error).toMatchObject({ kind: 'unreadable' });
    expect(error.message).toContain('unpacks to far more than was sent');
    expect(process.memoryUsage.rss() - before).toBeLessThan(40 * mb);
    expect(sent()).toBeLessThan(16 * mb);
    expect(requests()).toBe(1);
  },
);

it.each(bombs)(
  'a small answer that unpacks to an enormous one ends a file likewise (%s)',
  async (encoding, parts) => {
    const { client, sent } = await bomb(encoding, parts, file);
    const { stream } = await client.downloadFileProof('t', 1);
    const read = (async () => {
      let bytes = 0;
      for await (const chunk of stream) bytes += (chunk as Buffer).length;
      return bytes;
    })();
    const error = await failure(TransportError, read);
    expect(error).toMatchObject({ kind: 'unreadable' });
    expect(error.message).toContain('unpacks to far more than was sent');
    expect(sent()).toBeLessThan(16 * mb);
  },
);

it('a small answer that unpacks to an enormous one is not what results of many equal rows', async () => {
  const row = (_: unknown, n: number) => `${n},t${n},OK,${'the same browser '.repeat(20)}`;
  const csv = ['ROW,TASK_ID,TASK_RATING,HTTP_USER_AGENT', ...Array.from({ length: 20_000 }, row)].join('\n');
  const body = gzipSync(JSON.stringify({ status: 'SUCCESS', campaign_id: 'c', csv }), { level: 1 });
  expect(csv.length / body.length).toBeGreaterThan(50);
  const server = await serve(() => ({ headers: { 'content-encoding': 'gzip' }, body }));
  let rows = 0;
  await clientOf(server.url).campaignResults('c', {
    into: () => ({
      onRows({ length }) {
        rows += length;
      },
    }),
  });
  expect(rows).toBe(20_000);
});

it('files are asked for as they are, answers compressed', async () => {
  const server = await serve(({ path }) =>
    path.includes('download')
      ? { headers: { 'content-disposition': 'attachment; filename=a' }, body: 'x' }
      : {},
  );
  const client = clientOf(server.url);
  (await client.downloadFileProof('t', 1)).stream.destroy();
  await client.listCampaigns().catch(() => undefined);
  expect(server.seen.map(({ headers }) => headers['accept-encoding'])).toContain('identity');
  expect(server.seen.at(-1)?.headers['accept-encoding']).toBe('gzip, br');
});

// cspell:ignore crème
const info = {
  status: 'SUCCESS',
  task_id: 't1',
  task_details: {
    campaign_id: 'c1',
    worker_id: 'w1',
    task_rating: 'NOTRATED',
    finished_datetime: '2026-01-02 03:04:05',
    proof: ['Café crème'],
  },
};
const results = (...proofs: string[]) => ({
  status: 'SUCCESS',
  campaign_id: 'c1',
  csv: [
    'CAMPAIGN_ID,c1',
    'ROW,CSV_ROW,TASK_ID,USER_ID,USERNAME,TASK_RATING,FINISHED,IP,COUNTRY_CODE,PROOF_1,EMPLOYER_COMMENT,HTTP_USER_AGENT',
    ...proofs.map(
      (proof, row) => `${row},0,t${row},w1,bao,NOTRATED,2026-01-02 03:04:05,203.0.113.7,KE,${proof},,`,
    ),
  ].join('\n'),
});

/** A client whose answers are JSON in the bytes of an encoding, with a Content-Type. */
async function answering(body: object, bytes: BufferEncoding, contentType: string) {
  const content = Buffer.from(JSON.stringify(body), bytes);
  const server = await serve(() => ({ headers: { 'content-type': contentType }, body: content }));
  return clientOf(server.url);
}

it.each([
  ['application/json; charset=ISO-8859-1', 'latin1'],
  ['application/json;charset="windows-1252"', 'latin1'],
  ['application/json; charset=utf-16le', 'utf16le'],
  ['application/json; charset=UTF8', 'utf8'],
  ['application/json', 'utf8'],
] as const)('an answer as %s is decoded as it declares', async (contentType, bytes) => {
  const task = await (await answering(info, bytes, contentType)).getTaskInfo('t1');
  expect(task.proof).toEqual(['Café crème']);
  const read = await (await answering(results('Café crème', 'b'), bytes, contentType)).campaignResults('c1');
  expect(read.rows.map(({ proof }) => proof)).toEqual([['Café crème'], ['b']]);
  expect(read.problems).toEqual([]);
  const titled = { status: 'SUCCESS', campaigns: [{ ...summary, title: 'Crème' }] };
  const list = await answering(titled, bytes, contentType);
  const campaigns = await list.listCampaignsExtended();
  expect(campaigns.map(({ title }) => title)).toEqual(['Crème']);
});

it('an answer in an encoding that nobody knows is unreadable', async () => {
  const client = await answering(info, 'utf8', 'application/json; charset=klingon');
  const error = await failure(TransportError, client.getTaskInfo('t1'));
  expect([error.kind, error.message]).toEqual(['unreadable', expect.stringContaining('unknown charset')]);
  expect((await failure(TransportError, client.campaignResults('c1'))).kind).toBe('unreadable');
});

it('results with bytes that cannot be decoded are used, and are no complete read', async () => {
  for (const contentType of ['application/json', 'application/json; charset=utf-8']) {
    const client = await answering(results('fine', 'Café'), 'latin1', contentType);
    const { rows, problems } = await client.campaignResults('c1');
    expect(rows.map(({ taskId }) => taskId)).toEqual(['t0', 't1']);
    expect(describeResultsProblems(problems)).toBe('have characters that cannot be decoded');
  }
  const client = await answering(results('fine', 'Café'), 'latin1', 'application/json; charset=euc-jp');
  expect((await client.campaignResults('c1')).problems).toEqual([{ kind: 'undecodable' }]);
});

it('a replacement character that a worker wrote is decoded like any other', async () => {
  const client = await answering(results('\ufffd'), 'utf8', 'application/json');
  const { problems } = await client.campaignResults('c1');
  expect(problems).toEqual([]);
});

it('a list with bytes that cannot be decoded is used, and says how many items are affected', async () => {
  const items = [summary, { ...summary, campaign_id: 'c2', title: 'Crème' }];
  const client = await answering({ status: 'SUCCESS', campaigns: items }, 'latin1', 'application/json');
  const shortfalls: object[] = [];
  const onIncomplete = (shortfall: object) => void shortfalls.push(shortfall);
  const campaigns = await client.listCampaignsExtended({}, { onIncomplete });
  expect(campaigns.map(({ id }) => id)).toEqual(['12e5', 'c2']);
  expect(shortfalls).toEqual([{ read: 1, expected: 2, unreadable: ['Cr\uFFFDme (c2)'] }]);
});
