import { connect } from 'node:net';
import fc from 'fast-check';
import { hostileText, weighted } from './values.ts';

/** Bytes that somebody sends to the port, and whether they then go away without waiting. */
export interface RawRequest {
  readonly bytes: string;
  /** Where the bytes are cut, as a part of them; 1: nowhere. */
  readonly until: number;
  readonly how: 'end' | 'destroy';
}

const paths = ['/', '/slack/events', '/slack/events?x=1', '/slack/events/', '/healthz', '/readyz', '//', '*'];
const method = weighted(
  [6, fc.constantFrom('GET', 'POST', 'HEAD', 'PUT', 'OPTIONS', 'DELETE')],
  [2, fc.constantFrom('CONNECT', 'TRACE', 'PATCH', 'NONSENSE', 'get', 'PRI')],
  [1, hostileText],
);
const path = weighted(
  [4, fc.constantFrom(...paths)],
  [1, fc.constantFrom('http://[/slack/events', '/%zz', '/slack/../slack/events', '/a b')],
  [1, hostileText],
  [1, fc.webPath().map((text) => text || '/')],
);
const version = weighted(
  [9, fc.constant('HTTP/1.1')],
  [2, fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'http/1.1', '')],
);
const now = () => String(Math.floor(Date.now() / 1_000));
const header = fc.oneof(
  fc.constantFrom(
    'Content-Length: 10',
    'Content-Length: -1',
    'Content-Length: 99999999999999999999',
    'Content-Length: 2000000',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: chunked, identity',
    'Content-Encoding: gzip',
    'Content-Type: application/json',
    'Content-Type: application/x-www-form-urlencoded',
    'Content-Type: multipart/form-data; boundary=x',
    'Content-Type: application/json; charset=utf-99',
    'Expect: 100-continue',
    'Expect: nonsense',
    'Connection: Upgrade\r\nUpgrade: websocket',
    'Connection: close',
    'Host:',
    'Host: a\r\nHost: b',
    'X-Slack-Signature: v0=00',
    'X-Slack-Signature: v0=zz',
    'X-Slack-Request-Timestamp: NaN',
    'X-Slack-Request-Timestamp: 99999999999999',
    'X-Slack-Retry-Num: -1',
    `X-Long: ${'a'.repeat(20_000)}`,
    ' folded: x',
    'no colon',
    '__proto__: x',
  ),
  fc.constant('').map(() => `X-Slack-Request-Timestamp: ${now()}`),
  fc.tuple(hostileText, hostileText).map(([name, value]) => `${name}: ${value}`),
);
const body = fc.oneof(
  fc.constantFrom(
    '',
    'payload=null',
    'payload=%7B%7D',
    'command=%2Fproofdesk&text=help',
    'ssl_check=1',
    '{"type":"url_verification","challenge":"x"}',
    '{"type":"event_callback"}',
    '[]',
    '5\r\nhello\r\n0\r\n\r\n',
    'FFFFFFFFFFFFFFFF\r\nx',
    'payload='.repeat(50_000),
  ),
  hostileText,
);

const request = fc
  .record({
    method,
    path,
    version,
    headers: fc.array(header, { maxLength: 5 }),
    body,
    hasHost: fc.integer({ min: 0, max: 9 }),
    hasLength: fc.boolean(),
    // Of others the body is not read.
    isSigned: fc.boolean(),
  })
  .map(({ method: verb, path: at, version: of, headers, body: content, hasHost, hasLength, isSigned }) => {
    const own = [
      ...(hasHost > 0 ? ['Host: bot'] : []),
      ...(hasLength ? [`Content-Length: ${Buffer.byteLength(content)}`] : []),
      ...(isSigned ? [`X-Slack-Signature: v0=${'0'.repeat(64)}`, `X-Slack-Request-Timestamp: ${now()}`] : []),
      ...headers,
    ];
    return `${verb} ${at} ${of}\r\n${own.map((line) => `${line}\r\n`).join('')}\r\n${content}`;
  });

/** Whole requests and parts of them, with odd methods, paths, headers and bodies; several in one; and plain bytes. */
export const rawRequests: fc.Arbitrary<RawRequest> = fc.record({
  bytes: weighted(
    [8, request],
    [1, fc.array(request, { minLength: 2, maxLength: 3 }).map((all) => all.join(''))],
    [1, fc.uint8Array({ maxLength: 200 }).map((all) => Buffer.from(all).toString('latin1'))],
  ),
  until: weighted([2, fc.constant(1)], [1, fc.double({ min: 0, max: 1, noNaN: true })]),
  how: fc.constantFrom('end', 'end', 'end', 'destroy'),
});

/**
 * Sends bytes to a port and then nothing more. Resolves to everything that came back, once the other side has closed the
 * connection too. Rejects for an answer that a stranger must not get: an error of the server.
 */
export function sendRaw(port: number, { bytes, until, how }: RawRequest): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1');
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
    });
    // A connection that is reset is closed as well.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      const status = /^HTTP\/1\.1 (5\d\d)/m.exec(answer)?.[1];
      if (status === undefined || status === '503') resolve(answer);
      else reject(new Error(`was answered with ${status}`));
    });
    const sent = bytes.slice(0, Math.ceil(bytes.length * until));
    socket.write(sent, 'latin1', () => {
      if (how === 'destroy') socket.destroy();
      else socket.end();
    });
  });
}
