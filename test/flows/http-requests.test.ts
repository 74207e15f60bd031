import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { startHalfSentRequests } from '../harness/half-sent-requests.ts';
import { transports, worldPerTest } from '../harness/worlds.ts';

const { begin } = worldPerTest();

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
  test('whoever is not on this machine has nothing to ask of a bot that listens to a socket', async () => {
    const { port } = await begin({ transport });
    const outside = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    for (const { address } of outside.filter(({ family, internal }) => family === 'IPv4' && !internal)) {
      const answer = await fetch(`http://${address}:${port}/healthz`).catch(() => undefined);
      expect(answer?.status).toBe(transport === 'http' ? 200 : undefined);
    }
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
