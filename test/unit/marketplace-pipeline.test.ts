import { EventEmitter, once, setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { Pool } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { money } from '../../src/domain/money.ts';
import { MarketplaceError, type RequestInfo, TransportError } from '../../src/marketplace/index.ts';
import {
  createRateLimiter,
  PausedBeyondDeadline,
  type Priority,
} from '../../src/marketplace/rate-limiter.ts';
import { gate } from '../harness/eventually.ts';
import { clientOf, failure, type Reply, serve } from './marketplace-server.ts';
import { forAllAsync } from './properties.ts';

const noCampaigns = { body: { status: 'SUCCESS', count: 0, campaigns: [] } };
const okEntry = { taskId: 't1', rating: 'OK', comment: '' } as const;

/** Returns how a call fails: why, and whether it may have been applied. */
async function failed(call: Promise<unknown>) {
  const { kind, mayHaveBeenApplied } = await failure(TransportError, call);
  return [kind, mayHaveBeenApplied];
}

it('a request carries the key in its header, by default ServiceApiKey', async () => {
  const server = await serve(() => noCampaigns);
  await clientOf(server.url).listCampaigns();
  await clientOf(server.url, { keyHeader: 'BrandApiKey', apiKey: ' spaced ' }).listCampaigns();
  expect(server.seen[0]?.headers.serviceapikey).toBe('secret-key-0815');
  expect(server.seen[1]?.headers.brandapikey).toBe('spaced');
  expect(server.seen[1]?.headers.serviceapikey).toBeUndefined();
});

it('a request stands under the path of its base address and encodes ids', async () => {
  const server = await serve(() => ({ body: { status: 'ERROR', error: 'NO SUCH TASK' } }));
  await failure(MarketplaceError, clientOf(`${server.url}/api/v1/`).getTaskInfo('a/b?c#é'));
  expect(server.seen[0]?.path).toBe('/api/v1/campaign_hg/get_task_info/a%2Fb%3Fc%23%C3%A9');
});

it('a request sends values as they are', async () => {
  const server = await serve(() => ({}));
  const comment = 'Grüße & "quotes" = 100 %\nnew line +1';
  const entry = { taskId: '12e5', rating: 'NOK', comment, bonus: money('0.1') } as const;
  await clientOf(server.url).rateTask('c1', entry);
  expect(server.seen[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  const rating = { id_task: '12e5', rating: 'NOK', comment, bonus: '0.10000' };
  expect([...(server.seen[0]?.form ?? [])]).toEqual(Object.entries(rating));
});

it('a request takes the exclude mark from its options, both ways, and writes codes in capitals', async () => {
  const server = await serve(() => ({ body: { status: 'SUCCESS', retargeted: ['US', 'GB', '!IN'] } }));
  const client = clientOf(server.url, { excludeMark: '!' });
  const answer = await client.retargetCampaign('c1', { include: ['us', 'GB'], exclude: [' in'] });
  expect(server.seen[0]?.form.getAll('countries[]')).toEqual(['US', 'GB', '!IN']);
  expect(answer.retargeted).toEqual({ include: ['US', 'GB'], exclude: ['IN'] });
});

it('a request writes filters into the query, datetimes in its zone', async () => {
  const server = await serve(({ path }) => ({
    body: path.startsWith('/messages') ? { status: 'SUCCESS', messages: [] } : noCampaigns.body,
  }));
  const client = clientOf(server.url, { timeZone: 'America/New_York' });
  await client.listCampaignsExtended({ folder: 'ARCHIVE' });
  expect(Object.fromEntries(server.seen[0]?.query ?? [])).toEqual({ folder: 'ARCHIVE' });
  const [from, to] = [new Date('2026-01-02T03:04:05Z'), new Date('2026-07-02T03:04:05Z')];
  await client.listMessages({ folder: 'INBOX', from, to, unread: false });
  await client.listMessages();
  expect(Object.fromEntries(server.seen[1]?.query ?? [])).toEqual({
    ...{ folder: 'INBOX', unread: 'no' },
    ...{ date_from: '2026-01-01 22:04:05', date_to: '2026-07-01 23:04:05' },
  });
  expect([...(server.seen[2]?.query ?? [])]).toEqual([]);
});

it('a request keeps its connections', async () => {
  const server = await serve(() => noCampaigns);
  const client = clientOf(server.url, { concurrency: 2 });
  for (let n = 0; n < 20; n += 1) await client.listCampaigns();
  expect(server.connections()).toBeLessThanOrEqual(2);
});

it('the client tells of every attempt', async () => {
  const server = await serve((_, n) => (n === 1 ? { status: 502, body: '<html>' } : noCampaigns));
  const infos: RequestInfo[] = [];
  await clientOf(server.url, { onRequest: (info) => infos.push(info) }).listCampaigns();
  expect(infos).toMatchObject([
    { endpoint: 'listCampaigns', status: 502, attempt: 1 },
    { endpoint: 'listCampaigns', status: 200, attempt: 2 },
  ]);
  expect(infos.every(({ ms }) => ms >= 0)).toBe(true);
});

const failures: [string, Reply, object][] = [
  ['a dropped connection', 'drop', { kind: 'connection', mayHaveBeenApplied: true }],
  [
    'a page with 502',
    { status: 502, body: '<html>' },
    { kind: 'http', status: 502, mayHaveBeenApplied: true },
  ],
  ['JSON that is cut off', { body: '{"status":"SUC' }, { kind: 'unreadable', mayHaveBeenApplied: true }],
  ['JSON of another shape', { body: '[1]' }, { kind: 'unreadable', mayHaveBeenApplied: true }],
  [
    'a body that breaks off',
    (response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"status"', () => response.destroy());
    },
    { kind: 'connection', mayHaveBeenApplied: true },
  ],
];
it.each(failures)('the client repeats a read after %s, never a write', async (_, reply, told) => {
  const server = await serve(({ method }, n) => (method === 'GET' && n === 3 ? noCampaigns : reply));
  const client = clientOf(server.url);
  expect(await client.listCampaigns()).toEqual([]);
  expect(server.seen).toHaveLength(3);
  expect(await failure(TransportError, client.rateTask('c', okEntry))).toMatchObject(told);
  expect(server.seen).toHaveLength(4);
});

it('the client tries each call once while all of them fail, until one is answered', async () => {
  const answered = new Set([7, 9]);
  const server = await serve((_, n) => (answered.has(n) ? noCampaigns : { status: 502, body: '<html>' }));
  const client = clientOf(server.url);
  const seen: number[] = [];
  for (let call = 1; call <= 5; call += 1) {
    await client.listCampaigns().catch(() => undefined);
    seen.push(server.seen.length);
  }
  expect(seen).toEqual([4, 5, 6, 7, 9]);
});

it('the client repeats a read that failed inside the service, and takes no for an answer otherwise', async () => {
  const texts = ['SYSTEM ERROR', 'NO SUCH TASK'];
  const server = await serve((_, n) => ({ status: 500, body: { status: 'ERROR', error: texts[n - 1] } }));
  const error = await failure(MarketplaceError, clientOf(server.url).getTaskInfo('t'));
  expect(error.code).toBe('NO_SUCH_TASK');
  expect(server.seen).toHaveLength(2);
});

it('the client knows that a refused connection was never a request, and repeats a write then', async () => {
  const infos: RequestInfo[] = [];
  const client = clientOf('http://127.0.0.1:1', { onRequest: (info) => infos.push(info) });
  expect(await failed(client.rateTask('c', okEntry))).toEqual(['connection', false]);
  const attempts = infos.map(({ attempt, status, result }) => [attempt, status, result]);
  expect(attempts).toEqual([1, 2, 3, 4].map((attempt) => [attempt, undefined, 'connection']));
});

it('the client says that a write was turned away where the status alone proves it', async () => {
  const server = await serve(({ path }) => ({ status: Number(path.split('/').at(-1)), body: '<html>' }));
  const client = clientOf(server.url);
  for (const status of [404, 413, 308, 302, 408, 500, 503]) {
    const applied = ![404, 413, 308].includes(status);
    const error = await failure(TransportError, client.restartCampaign(String(status), 1));
    expect(error, String(status)).toMatchObject({ kind: 'http', status, mayHaveBeenApplied: applied });
  }
  expect(server.seen).toHaveLength(7);
});

it('the client sends no file again, and closes it', async () => {
  const flowing = Readable.from(['x']);
  const infos: RequestInfo[] = [];
  const client = clientOf('http://127.0.0.1:1', { onRequest: (info) => infos.push(info) });
  const worker = { workerId: 'w', ip: '1.2.3.4', proof: 'p' };
  const file = { filename: 'a.txt', contentType: 'text/plain', stream: flowing, size: 1 };
  await failure(TransportError, client.submitFileProof('c', { ...worker, file }));
  expect(infos).toHaveLength(1);
  expect(flowing.destroyed).toBe(true);
  await failure(TransportError, client.submitFileProof('c', worker));
  expect(infos).toHaveLength(5);
});

const slowDown = (after: string) => ({ status: 429, headers: { 'retry-after': after }, body: 'slow down' });

it('the client obeys Retry-After for every request of the client, and repeats a write that got a 429', async () => {
  const times: number[] = [];
  const server = await serve((_, n) => {
    times.push(performance.now());
    return n === 1 ? slowDown('1') : noCampaigns;
  });
  const told = new EventEmitter();
  const client = clientOf(server.url, { onRequest: (info) => told.emit('request', info) });
  const answered = once(told, 'request');
  const first = client.rateTask('c', okEntry);
  await answered;
  await Promise.all([first, client.listCampaigns(), client.listCampaigns()]);
  expect(server.seen).toHaveLength(4);
  for (const time of times.slice(1)) expect(time - (times[0] ?? 0)).toBeGreaterThan(900);
});

it('the client does not wait longer than the call may take, nor lets others', async () => {
  const server = await serve(() => slowDown('60'));
  const client = clientOf(server.url);
  const error = await failure(TransportError, client.rateTask('c', okEntry));
  expect(error).toMatchObject({ kind: 'rate-limited', mayHaveBeenApplied: false });
  expect(error.retryAfterMs).toBeGreaterThan(59_000);
  expect(await failure(TransportError, client.listCampaigns())).toMatchObject({ kind: 'rate-limited' });
  expect(server.seen).toHaveLength(1);
});

it('the client that was only asked to wait repeats a read as before', async () => {
  const replies = [...Array<Reply>(4).fill(slowDown('0')), 'drop' as const];
  const server = await serve((_, n) => replies[n - 1] ?? noCampaigns);
  const client = clientOf(server.url);
  expect(await failure(TransportError, client.listCampaigns())).toMatchObject({ kind: 'rate-limited' });
  expect(await client.listCampaigns()).toEqual([]);
});

it('the client obeys Retry-After beside another status, and says so of a write', async () => {
  const server = await serve(() => ({ status: 503, headers: { 'retry-after': '60' }, body: 'busy' }));
  const client = clientOf(server.url);
  const error = await failure(TransportError, client.rateTask('c', okEntry));
  const limited = { status: 503, retryAfterMs: 60_000 };
  expect(error).toMatchObject({ kind: 'http', mayHaveBeenApplied: true, ...limited });
  expect(await failure(TransportError, client.listCampaigns())).toMatchObject({ kind: 'rate-limited' });
});

it('the client believes the body of a 429 that refuses for a known reason', async () => {
  const server = await serve(() => ({ status: 429, body: { status: 'ERROR', error: 'NO SUCH CAMPAIGN' } }));
  const error = await failure(MarketplaceError, clientOf(server.url).rateTask('c', okEntry));
  expect(error.code).toBe('NO_SUCH_CAMPAIGN');
});

it('the client ends a call at its deadline, the client’s or its own', async () => {
  const server = await serve(() => 'hang');
  const client = clientOf(server.url, { deadlineMs: 80 });
  expect(await failed(client.listCampaigns())).toEqual(['timeout', false]);
  const patient = clientOf(server.url);
  expect(await failed(patient.rateTask('c', okEntry, { deadlineMs: 800 }))).toEqual(['timeout', true]);
});

it('the client ends a call for which there is no connection, and knows that it was not applied', async () => {
  const dispatcher = new Pool('http://127.0.0.1:1', { connect: () => undefined });
  onTestFinished(() => dispatcher.destroy());
  const client = clientOf('http://127.0.0.1:1', { dispatcher, deadlineMs: 80 });
  expect(await failed(client.rateTask('c', okEntry))).toEqual(['timeout', false]);
});

it('the client counts the body into the deadline too', async () => {
  const server = await serve(() => (response) => {
    response.writeHead(200);
    response.write('{');
  });
  const client = clientOf(server.url, { deadlineMs: 80 });
  expect(await failure(TransportError, client.listCampaigns())).toMatchObject({ kind: 'timeout' });
});

it('the client knows that a write which never left its turn was not applied', async () => {
  const server = await serve(() => 'hang');
  const client = clientOf(server.url, { concurrency: 1, deadlineMs: 1500 });
  const first = failed(client.rateTask('c', okEntry));
  expect(await failed(client.rateTask('c', okEntry, { deadlineMs: 50 }))).toEqual(['timeout', false]);
  expect(await first).toEqual(['timeout', true]);
  expect(server.seen).toHaveLength(1);
});

it('a call ends with its caller’s signal, before, while waiting and after sending', async () => {
  const server = await serve(() => 'hang');
  const client = clientOf(server.url, { concurrency: 1 });
  const before = client.rateTask('c', okEntry, { signal: AbortSignal.abort() });
  expect(await failed(before)).toEqual(['aborted', false]);
  expect(server.seen).toHaveLength(0);

  const sent = new AbortController();
  const waiting = new AbortController();
  const first = failed(client.rateTask('c', okEntry, { signal: sent.signal }));
  const second = failed(client.rateTask('c', okEntry, { signal: waiting.signal }));
  while (server.seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
  waiting.abort();
  expect(await second).toEqual(['aborted', false]);
  sent.abort();
  expect(await first).toEqual(['aborted', true]);
});

it('the client starts no more requests in any second than allowed', async () => {
  const times: number[] = [];
  const server = await serve(() => {
    times.push(performance.now());
    return noCampaigns;
  });
  const client = clientOf(server.url, { concurrency: 50, requestsPerSecond: 5 });
  const began = performance.now();
  await Promise.all(Array.from({ length: 11 }, () => client.listCampaigns()));
  // A busy machine only makes them later.
  for (const [n, time] of times.entries())
    expect(time - began).toBeGreaterThan(Math.floor(n / 5) * 1_000 - 50);
});

it('closing ends what is under way, a file too, and refuses what comes after', async () => {
  const server = await serve(({ path }) => (response) => {
    if (!path.includes('download')) return;
    response.writeHead(200, { 'content-disposition': 'attachment; filename=a' });
    response.write('begun');
  });
  const client = clientOf(server.url);
  const { stream } = await client.downloadFileProof('t', 1);
  const broken = once(stream, 'error');
  const list = failed(client.listCampaigns());
  await client.close();
  expect((await broken)[0]).toMatchObject({ kind: 'aborted', mayHaveBeenApplied: false });
  expect(await list).toEqual(['aborted', false]);
  expect(await failed(client.rateTask('c', okEntry))).toEqual(['aborted', false]);
});

/** A call that waits however long it takes. */
const patient = { at: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
setMaxListeners(0, patient.signal);

it('a call that ends after its turn has come takes nobody else’s, and one in a pause says how long that is', async () => {
  const limiter = createRateLimiter({ concurrency: 1, requestsPerSecond: 1e6 });
  const own = new AbortController();
  await limiter.acquire('rating', { ...patient, signal: own.signal });
  const next = limiter.acquire('rating', patient);
  own.abort();
  limiter.release('rating');
  await next;
  limiter.pause(60_000);
  const soon = { ...patient, at: performance.now() + 1_000 };
  const { retryAfterMs } = await failure(PausedBeyondDeadline, limiter.acquire('rating', soon));
  expect(Math.round(retryAfterMs / 10_000)).toBe(6);
});

it('a rating goes before 300 results and 300 lists that were asked for earlier', async () => {
  // Nothing but ratings is answered before the rating was.
  const rated = gate();
  const server = await serve(async ({ path }) => {
    if (!path.includes('rate_task')) await rated.wait();
    return { body: { status: 'SUCCESS', campaign_id: 'c', csv: '', count: 0, campaigns: [] } };
  });
  const client = clientOf(server.url, { deadlineMs: 20_000 });
  const reads = Array.from({ length: 300 }, () => [client.campaignResults('c'), client.listCampaigns()]);
  const done = Promise.allSettled(reads.flat());
  await client.rateTask('c', okEntry);
  const before = server.seen.findIndex(({ path }) => path.includes('rate_task'));
  // Those that had begun when it came.
  expect(before).toBeLessThan(4);
  rated.open();
  await done;
  expect(server.seen).toHaveLength(601);
});

it('a rating starts within a second in which everything else may start only once less', async () => {
  const limiter = createRateLimiter({ concurrency: 1_000, requestsPerSecond: 10 });
  const started: Priority[] = [];
  const ask = async (priority: Priority) => {
    await limiter.acquire(priority, patient);
    started.push(priority);
  };
  for (let n = 0; n < 30; n += 1) void ask(n % 2 === 0 ? 'bulk' : 'ordinary');
  await ask('rating');
  expect(started).toHaveLength(10);
  expect(started.at(-1)).toBe('rating');
});

it('every request gets a slot, in the order of its kind, and one slot is always left to ratings', async () => {
  const kinds = fc.array(fc.constantFrom<Priority>('rating', 'ordinary', 'bulk'), { maxLength: 40 });
  const places = fc.integer({ min: 1, max: 6 });
  await forAllAsync({ numRuns: 50 }, kinds, places, fc.scheduler(), async (asked, concurrency, scheduler) => {
    const limiter = createRateLimiter({ concurrency, requestsPerSecond: 1e6 });
    const running: Priority[] = [];
    const order: Record<Priority, number[]> = { rating: [], ordinary: [], bulk: [] };
    const all = asked.map(async (priority, index) => {
      await limiter.acquire(priority, patient);
      running.push(priority);
      order[priority].push(index);
      expect(running.length).toBeLessThanOrEqual(concurrency);
      const others = running.filter((kind) => kind !== 'rating').length;
      if (concurrency > 1) expect(others).toBeLessThan(concurrency);
      if (concurrency > 2)
        expect(running.filter((kind) => kind === 'bulk').length).toBeLessThan(concurrency - 1);
      await scheduler.schedule(Promise.resolve());
      running.splice(running.indexOf(priority), 1);
      limiter.release(priority);
    });
    await scheduler.waitFor(Promise.all(all));
    for (const indexes of Object.values(order)) expect(indexes).toEqual([...indexes].sort((a, b) => a - b));
  });
});
