import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { MarketplaceError, TransportError } from '../../src/marketplace/index.ts';
import { listen } from '../harness/ports.ts';
import { clientOf, failure, type Reply, serve } from './marketplace-server.ts';

const worker = { workerId: 'w', ip: '1.2.3.4', proof: 'é "p" \r\n--x' };

/** A server that reads multipart forms with a parser that is not ours. */
async function formServer() {
  const parts: { name: string; value?: string; filename?: string; type?: string; bytes?: Buffer }[] = [];
  const lengths: (string | undefined)[] = [];
  async function read(request: IncomingMessage): Promise<void> {
    lengths.push(request.headers['content-length']);
    const headers = { 'content-type': String(request.headers['content-type']) };
    const form = await new Response(await buffer(request), { headers }).formData();
    for (const [name, part] of form) {
      if (typeof part === 'string') parts.push({ name, value: part });
      else {
        const bytes = Buffer.from(await part.arrayBuffer());
        parts.push({ name, filename: part.name, type: part.type, bytes });
      }
    }
  }
  const answer = JSON.stringify({ status: 'SUCCESS', campaign_id: 'c', task_id: 't' });
  const server = createServer((request, response) => {
    read(request).then(
      () => response.setHeader('content-type', 'application/json').end(answer),
      () => response.destroy(),
    );
  });
  onTestFinished(() => void server.close());
  return { url: await listen(server), parts, lengths };
}

it('an upload streams a file under its own name, with its length', async () => {
  const server = await formServer();
  const bytes = Buffer.from('--boundary\r\n\r\n\0\xff', 'latin1');
  const about = { filename: 'скрин "1".png', contentType: 'image/png;\r\nx=1', size: bytes.length };
  const file = { ...about, stream: Readable.from([bytes]) };
  await clientOf(server.url).submitFileProof('c', { ...worker, file });
  expect(Number(server.lengths[0])).toBeGreaterThan(bytes.length);
  expect(server.parts).toEqual([
    { name: 'user_id', value: 'w' },
    { name: 'ip', value: '1.2.3.4' },
    { name: 'proof', value: worker.proof },
    { name: 'file_proof', filename: 'скрин "1".png', type: 'image/png; x=1', bytes },
  ]);
});

it('an upload does not hold a large file in memory', async () => {
  const chunk = Buffer.alloc(64 * 1024, 1);
  let made = 0;
  let ahead = 0;
  let received = 0;
  const server = await serveRaw((bytes) => {
    received += bytes;
    ahead = Math.max(ahead, made - received);
  });
  async function* chunks() {
    for (let n = 0; n < 800; n += 1) {
      made += chunk.length;
      yield chunk;
    }
  }
  const stream = Readable.from(chunks(), { objectMode: false, highWaterMark: 64 * 1024 });
  const file = { filename: 'big', contentType: 'image/png', stream, size: 800 * chunk.length };
  await clientOf(server).submitFileProof('c', { ...worker, file });
  expect(received).toBeGreaterThan(800 * chunk.length);
  expect(ahead).toBeLessThan(16 * 1024 * 1024);
});

it('an upload fails when the file breaks off on its way, without repeating', async () => {
  const server = await serve(() => ({ body: { status: 'SUCCESS', task_id: 't' } }));
  async function* broken() {
    yield Buffer.from('begun');
    throw new Error('gone');
  }
  const file = { filename: 'f', contentType: 'image/png', stream: Readable.from(broken()), size: 9 };
  const error = await failure(TransportError, clientOf(server.url).submitFileProof('c', { ...worker, file }));
  expect(error).toMatchObject({ kind: 'connection', operation: 'submitFileProof' });
});

async function serveRaw(onBytes: (bytes: number) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.on('data', (data: Buffer) => onBytes(data.length));
    request.on('end', () => response.end('{"status":"SUCCESS","task_id":"t"}'));
  });
  onTestFinished(() => void server.close());
  return listen(server);
}

const attachment = (name: string) => `attachment; ${name}`;
const fileReply = (body: Buffer, headers: Record<string, string>): Reply => ({ headers, body });

it('a download streams the bytes with their size', async () => {
  const bytes = Buffer.from('89504e470d0a1a0a00ff', 'hex');
  const headers = {
    'content-type': 'image/png',
    'content-length': String(bytes.length),
    'content-disposition': attachment('filename="x.png"'),
  };
  const server = await serve(() => fileReply(bytes, headers));
  const download = await clientOf(server.url).downloadFileProof('t1', 2);
  expect(server.seen[0]?.path).toBe('/campaign_hg/download_file_proof/t1_2');
  expect(download.size).toBe(bytes.length);
  expect(await buffer(download.stream)).toEqual(bytes);
});

it('a download decompresses, and then claims no size', async () => {
  const headers = { 'content-encoding': 'gzip', 'content-disposition': attachment('filename=a.txt') };
  const packed = gzipSync('hello');
  const server = await serve(() =>
    fileReply(packed, { 'content-length': String(packed.length), ...headers }),
  );
  const download = await clientOf(server.url).downloadFileProof('t', 1);
  expect(download.size).toBeUndefined();
  expect((await buffer(download.stream)).toString()).toBe('hello');
});

it('a download hands on a JSON or text file that has no name as it is', async () => {
  for (const body of ['{"status":"fine"}', `"${'x'.repeat(100_000)}"`, '']) {
    const server = await serve(() => fileReply(Buffer.from(body), {}));
    const download = await clientOf(server.url).downloadFileProof('t', 3);
    expect((await buffer(download.stream)).toString()).toBe(body);
  }
});

it('a download tells an error from a file', async () => {
  const server = await serve(({ path }) =>
    path.endsWith('_1')
      ? { body: { status: 'ERROR', error: 'NO FILE PROOF', task_id: 't', index: '1' } }
      : { headers: { 'content-type': 'text/html' }, body: '<html>Bad gateway</html>' },
  );
  const { downloadFileProof } = clientOf(server.url);
  const error = await failure(MarketplaceError, downloadFileProof('t', 1));
  expect(error).toMatchObject({ code: 'NO_FILE_PROOF' });
  expect((await failure(TransportError, downloadFileProof('t', 2))).kind).toBe('unreadable');
});

const endless: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'image/png', 'content-disposition': attachment('filename=a') });
  response.write('begun');
};

it('a download ends with a transport error when the file breaks off', async () => {
  const server = await serve(() => (response) => {
    response.writeHead(200, { 'content-length': 100, 'content-disposition': attachment('filename=a') });
    response.write('begun', () => response.destroy());
  });
  const { stream } = await clientOf(server.url).downloadFileProof('t', 1);
  const error = await failure(TransportError, buffer(stream));
  const operation = 'downloadFileProof';
  expect(error).toMatchObject({ kind: 'connection', operation, mayHaveBeenApplied: false });
});

it('a download is not cut short by the deadline, and is by the caller’s signal', async () => {
  const server = await serve(() => endless);
  const controller = new AbortController();
  const client = clientOf(server.url, { concurrency: 1 });
  const { signal } = controller;
  const { stream } = await client.downloadFileProof('t', 1, { deadlineMs: 1000, signal });
  // It holds the only place: this call waits out its own, longer deadline while the file stays open.
  const other = failure(TransportError, client.listCampaigns({ deadlineMs: 1300 }));
  expect(await other).toMatchObject({ kind: 'timeout' });
  expect(stream.destroyed).toBe(false);
  const failed = once(stream, 'error');
  controller.abort();
  expect((await failed)[0]).toMatchObject({ kind: 'aborted' });
});

it('a download keeps the error of a reader that does not want the rest', async () => {
  const server = await serve(() => endless);
  const { stream } = await clientOf(server.url).downloadFileProof('t', 1);
  const failed = once(stream, 'error');
  stream.destroy(new Error('no room for it'));
  expect((await failed)[0]).toMatchObject({ message: 'no room for it' });
});

it('a download gives its place back when it is destroyed', async () => {
  const server = await serve(({ path }) =>
    path.includes('download') ? endless : { body: { status: 'SUCCESS', campaigns: [] } },
  );
  const client = clientOf(server.url, { concurrency: 1 });
  const { stream } = await client.downloadFileProof('t', 1);
  stream.destroy();
  expect(await client.listCampaigns()).toEqual([]);
});
