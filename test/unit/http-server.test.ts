import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { App, ReceiverEvent } from '@slack/bolt';
import { afterEach, expect, test } from 'vitest';
import {
  createRequestListener,
  defaultHttpLimits,
  type HttpLimits,
  listen,
} from '../../src/app/http-server.ts';
import { createLogger } from '../../src/logger.ts';
import { createHttpReceiver } from '../../src/slack/receiver.ts';
import { eventually } from '../harness/eventually.ts';
import { signatureOf } from '../harness/signed.ts';

const limits: HttpLimits = { ...defaultHttpLimits, connections: 20 };
const impatient: HttpLimits = { ...limits, headersMs: 300, requestMs: 600 };
const logger = createLogger('fatal', []);
const signingSecret = 'a secret';

let server: Awaited<ReturnType<typeof listen>>;
let port: number;
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await server.close();
});

/** Serves as in HTTP mode. Returns what has arrived of Slack's requests, which nobody answers. */
async function serve(within = limits): Promise<readonly ReceiverEvent[]> {
  const arrivals: ReceiverEvent[] = [];
  const receiver = createHttpReceiver(signingSecret, logger);
  const processEvent = (event: ReceiverEvent) => {
    arrivals.push(event);
    return new Promise(() => undefined);
  };
  receiver.init({ processEvent } as App);
  await receiver.start();
  const health = async () => ({ status: 200, text: 'ok' });
  const listener = createRequestListener({ health, slack: receiver.requests, logger });
  server = await listen({ port: 0, host: '127.0.0.1' }, listener, within);
  port = server.port;
  return arrivals;
}

function open(text: string | Buffer = ''): Socket & { answer: string } {
  const socket = Object.assign(connect(port, '127.0.0.1'), { answer: '' });
  sockets.add(socket);
  socket.on('error', () => undefined);
  socket.on('data', (data: Buffer) => {
    socket.answer += data.toString('latin1');
  });
  socket.write(text);
  return socket;
}

/** Sends bytes on a connection of its own and returns the answers' statuses, once it is closed or `ms` later. */
async function statuses(text: string | Buffer, ms = 10_000): Promise<number[]> {
  const socket = open(text);
  await Promise.race([once(socket, 'close'), new Promise((resolve) => setTimeout(resolve, ms))]);
  return [...socket.answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
}

/** The lines of a valid signature of a body. */
const signed = (body: string) =>
  Object.entries(signatureOf(body, signingSecret))
    .map(([name, value]) => `${name}: ${value}`)
    .join('\r\n');

const post = (headers: string, body = '', signature = signed(body)) =>
  `POST /slack/events HTTP/1.1\r\nHost: b\r\nConnection: close\r\n${signature}\r\n${headers}\r\n\r\n${body}`;
const form = 'Content-Type: application/x-www-form-urlencoded';
/** A request with these lines of its header. */
const get = (...lines: string[]) => ['GET /healthz HTTP/1.1', 'Host: b', ...lines, '', ''].join('\r\n');
const close = 'HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n';

test.each([
  ['a half of a request line', 'GET /rea', [408]],
  ['headers that do not end', 'GET /readyz HTTP/1.1\r\nHost: b\r\nX: ', [408]],
  ['a body that does not come', post('Content-Length: 10'), [408]],
  ['a body that is shorter than it says', post('Content-Length: 10', 'abc'), [408]],
])('%s is answered once its time is over', async (_, text, expected) => {
  await serve(impatient);
  expect(await statuses(text, 10_000)).toEqual(expected);
});

const seconds = Math.floor(Date.now() / 1_000);
const [mark, time] = [`X-Slack-Signature: v0=${'0'.repeat(64)}`, 'X-Slack-Request-Timestamp:'];

test.each([
  [mark],
  [`${time} ${seconds}`],
  [`${mark}\r\n${time} ${seconds - 301}`],
  [`${mark}\r\n${time} soon`],
  [`X-Slack-Signature: v0=00\r\n${time} ${seconds}`],
])('what Slack cannot have signed is refused before its body is read: %j', async (headers) => {
  await serve();
  // Of the body nothing is ever sent.
  expect(await statuses(post('Content-Length: 900000', '', headers))).toEqual([401]);
});

test.each(['null', '[]', '"x"', '1', '{}', '{', ''])('%j is refused, though it is signed', async (json) => {
  await serve();
  for (const [type, body] of [
    ['json', json],
    ['x-www-form-urlencoded', `payload=${encodeURIComponent(json)}`],
  ] as const) {
    const request = post(`Content-Type: application/${type}\r\nContent-Length: ${body.length}`, body);
    expect(await statuses(request)).toEqual([400]);
  }
});

const challenge = '{"type":"url_verification","challenge":"x"}';
const json = `Content-Type: application/json\r\nContent-Length: ${challenge.length}`;
const tooLargeChunk = `f4241\r\n${'a'.repeat(1_000_001)}\r\n0\r\n\r\n`;

test.each([
  ['a body that is longer than it says', post('Content-Length: 2', 'a=1'), [400]],
  ['a body that is too large', post('Content-Length: 1000001', 'a'.repeat(1_000_001)), [413]],
  ['a body that is too large, in chunks', post('Transfer-Encoding: chunked', tooLargeChunk), [413]],
  ['a body that nobody signed', post('Content-Length: 2000', '', 'X: y'), [401]],
  ['a body that was signed otherwise', post('Content-Length: 2', '{}', signed('[]')), [401]],
  ['a signed body that is nothing of Slack’s', post('Content-Length: 2', '{}'), [400]],
  ['a check of the certificate', post(`${form}\r\nContent-Length: 11`, 'ssl_check=1', signed('')), [200]],
  ['the challenge', post(json, challenge), [200]],
  ['two lengths', post('Content-Length: 1\r\nContent-Length: 2', 'ab'), [400]],
  ['a negative length', post('Content-Length: -1'), [400]],
  ['a length and chunks', post('Content-Length: 3\r\nTransfer-Encoding: chunked', '0\r\n\r\n'), [400]],
  ['chunks of nonsense', post('Transfer-Encoding: chunked', 'zz\r\n\r\n'), [400]],
  ['nonsense', 'hello\r\n\r\n', [400]],
  ['the beginning of TLS', Buffer.from('16030100a1010000', 'hex'), [400]],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
  ['no host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', [400]],
  ['a header of 20 KB', get(`X: ${'a'.repeat(20_000)}`), [431]],
  ['an address of 20 KB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: b\r\n\r\n`, [431]],
  ['an upgrade', get('Connection: Upgrade, close', 'Upgrade: websocket'), [200]],
  ['a tunnel', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: b\r\n\r\n', [405]],
  ['an expectation', get('Expect: nonsense', 'Connection: close'), [417]],
  ['HEAD', `HEAD /healthz ${close}`, [200]],
  ['OPTIONS', `OPTIONS /healthz ${close}`, [405]],
  ['OPTIONS of all', `OPTIONS * ${close}`, [404]],
  ['TRACE', `TRACE /readyz ${close}`, [405]],
  ['DELETE', `DELETE /slack/events ${close}`, [405]],
  ['a path that is none', `GET //evil.example/%00 ${close}`, [404]],
  ['another path', `GET /metric ${close}`, [404]],
  ['three at once', `${get()}POST /x HTTP/1.1\r\nHost: b\r\n\r\nGET /readyz ${close}`, [200, 404, 200]],
])('%s is answered', async (_, text, expected) => {
  await serve();
  expect(await statuses(text)).toEqual(expected);
  expect(await statuses(`GET /readyz ${close}`)).toEqual([200]);
});

test('a connection over the limit is served; the one that has waited longest for its request makes room', async () => {
  await serve();
  const waiting = [open('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n')];
  await eventually('an answer', () => waiting[0]?.answer.includes(' 200 '));
  for (let index = 1; index <= limits.connections; index++) {
    waiting.push(open('GET /re'));
    await once(waiting[index] as Socket, 'connect');
  }
  await eventually('the idle one to be closed', () => waiting[0]?.destroyed);
  expect(await statuses(`GET /readyz ${close}`)).toEqual([200]);
  await eventually('the oldest to be closed', () => waiting[1]?.answer.includes(' 408 '));
  expect(waiting.slice(2).every(({ destroyed }) => !destroyed)).toBe(true);
});

test('a connection over the limit is refused while all others are being answered, and these are', async () => {
  const arrivals = await serve();
  const body = 'type=event_callback';
  const request = post(`${form}\r\nContent-Length: ${body.length}`, body);
  const answered = Array.from({ length: limits.connections }, () => statuses(request));
  await eventually('all to arrive', () => arrivals.length === limits.connections);
  expect(await statuses(`GET /readyz ${close}`)).toEqual([503]);
  for (const { ack } of arrivals) await ack();
  for (const one of answered) expect(await one).toEqual([200]);
  expect(await statuses(`GET /readyz ${close}`)).toEqual([200]);
});
