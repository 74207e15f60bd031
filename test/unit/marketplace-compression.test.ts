import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { TransportError } from '../../src/marketplace/index.ts';
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

it.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
] as const)('an answer in %s is read', async (encoding, compress) => {
  const body = compress('{"status":"SUCCESS","campaigns":[]}');
  const server = await serve(() => ({ headers: { 'content-encoding': encoding }, body }));
  expect(await clientOf(server.url).listCampaigns()).toEqual([]);
});

describe('a small answer that unpacks to an enormous one', () => {
  const json = { 'content-type': 'application/json' };
  const file = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="a.png"' };
  const bombs: [string, () => Iterable<Buffer>][] = [
    ['gzip', () => endless(member)],
    ['br', () => [brotli(Buffer.alloc(64 * mb))]],
    ['deflate', () => [deflateSync(zeros.subarray(0, 8 * mb))]],
  ];

  it.each(bombs)(
    'ends an answer with an error that says so, in flat memory (%s)',
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

  it.each(bombs)('ends a file likewise (%s)', async (encoding, parts) => {
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
  });

  it('does not mean results of many equal rows', async () => {
    const row = (_: unknown, n: number) => `${n},t${n},OK,${'the same browser '.repeat(20)}`;
    const csv = ['ROW,TASK_ID,TASK_RATING,HTTP_USER_AGENT', ...Array.from({ length: 20_000 }, row)].join(
      '\n',
    );
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
