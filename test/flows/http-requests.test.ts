import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { startHalfSentRequests } from '../harness/half-sent-requests.ts';
import { transports, worldPerTest } from '../harness/worlds.ts';

const { begin } = worldPerTest();

/** Sends one raw request and returns the status of the answer. */
async function statusOf(port: number, requestLine: string): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  socket.end(`${requestLine} HTTP/1.1\r\nHost: bot\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  await once(socket, 'close');
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}

const about = { type: 'event_callback', team_id: 'T0SANDBOX', event_id: 'E1' };
const event = (inner: unknown) => ({ ...about, event: inner });

/** What Slack never sends: without what Bolt reads, or called like something of its client. */
const payloads = [
  ['interactive', null],
  ['interactive', []],
  ['interactive', { type: 'nonsense' }],
  ['interactive', { type: 'block_actions' }],
  ['interactive', { type: 'view_submission', view: { callback_id: 'nobody' } }],
  ['slash_commands', { command: 'no slash' }],
  ['slash_commands', { command: 1 }],
  ['events_api', event({ type: 'disconnected' })],
  ['events_api', event({ type: 'error' })],
] as const;

/** What the client over a socket cannot read, so that nothing of it arrives. */
const byHttp = [
  ['events_api', {}],
  ['events_api', { type: 'event_callback' }],
  ['events_api', event(null)],
  ['events_api', event({ type: 'ws_message' })],
] as const;

describe.each(transports)('over %s', (transport) => {
  test('whatever arrives on the port without a signature is answered, and the bot works on', async () => {
    const { ann, port } = await begin({ transport });
    const method = transport === 'http' ? 405 : 404;
    expect(await statusOf(port, 'GET /slack/events')).toBe(method);
    expect(await statusOf(port, 'HEAD /slack/events')).toBe(method);
    expect(await statusOf(port, 'PUT /slack/events?x=1')).toBe(method);
    expect(await statusOf(port, 'POST /slack/events')).toBe(transport === 'http' ? 401 : 404);
    expect(await statusOf(port, 'GET /slack/')).toBe(404);
    expect(await statusOf(port, 'POST /slack/x')).toBe(404);
    expect(await statusOf(port, 'POST //')).toBe(404);
    expect(await statusOf(port, 'POST http://[/slack/events')).toBe(404);
    expect(await statusOf(port, 'NONSENSE /slack/events')).toBe(400);
    // In Socket Mode, nobody but this machine has anything to ask.
    const outside = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    for (const { address } of outside.filter(({ family, internal }) => family === 'IPv4' && !internal)) {
      const answer = await fetch(`http://${address}:${port}/healthz`).catch(() => undefined);
      expect(answer?.status).toBe(transport === 'http' ? 200 : undefined);
    }
    await ann.asks('/proofdesk help', /connect/);
  });

  test('what Slack would never send is answered at once, and the bot works on', async () => {
    const { ann, slack } = await begin({ transport, env: { REVIEW_CHANNEL: undefined } });
    const lost: unknown[] = [];
    const note = (error: unknown) => lost.push(error);
    process.on('unhandledRejection', note);
    for (const [kind, payload] of [...payloads, ...(transport === 'http' ? byHttp : [])]) {
      const { acked, error } = await slack.delivers(kind, payload);
      const title = `${kind} ${JSON.stringify(payload)}`;
      // By HTTP, what is wrong has a status that says so. What nobody answers is told apart: a timeout.
      if (!acked) expect(error, title).toMatch(/^http_error [45]/);
    }
    await ann.asks('/proofdesk help', /connect/);
    process.off('unhandledRejection', note);
    expect(lost).toEqual([]);
  });
});

test('3,000 half-sent requests at once, again and again, keep nobody else waiting until they run out', async () => {
  const { ann, port } = await begin({ transport: 'http', env: { REVIEW_CHANNEL: undefined } });
  const flood = startHalfSentRequests(port, 3_000);
  try {
    for (let round = 0; round < 5; round++) {
      await flood.sent();
      const signal = AbortSignal.timeout(60_000);
      const { status } = await fetch(`http://127.0.0.1:${port}/readyz`, { signal });
      expect(status).toBe(200);
    }
    await ann.asks('/proofdesk help', /connect/);
  } finally {
    await flood.stop();
  }
});
