import { EventEmitter } from 'node:events';
import { type ActResult, createSandboxSlack } from '@proofdesk/slack-sandbox';
import { sandboxClient, slackHandle } from '@proofdesk/slack-sandbox/testing';
import type { App, ReceiverEvent } from '@slack/bolt';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createRequestListener, listen } from '../../src/app/http-server.ts';
import { trackWork } from '../../src/app/lifecycle.ts';
import { createLogger } from '../../src/logger.ts';
import type { ListenerParts } from '../../src/slack/listeners.ts';
import {
  connectBolt,
  createHttpReceiver,
  createSocketReceiver,
  keepConnected,
} from '../../src/slack/receiver.ts';
import { eventually } from '../harness/eventually.ts';
import { ask } from '../harness/health.ts';
import { postSigned } from '../harness/signed.ts';
import { type Transport, transports } from '../harness/world.ts';

const signingSecret = 'sandbox-signing-secret';

/** A sandbox, and a receiver whose payloads wait in a list until the test processes them. */
async function receiving(transport: Transport) {
  const sandbox = await createSandboxSlack({});
  onTestFinished(() => sandbox.close());
  const lines: string[] = [];
  const logger = createLogger('info', [], { write: (line: string) => void lines.push(line) });
  const receiver =
    transport === 'http'
      ? createHttpReceiver(signingSecret, logger)
      : createSocketReceiver({ appToken: 'xapp-sandbox', apiUrl: sandbox.apiUrl, hasProxy: false, logger });
  const arrivals: (ReceiverEvent & { done(error?: Error): void })[] = [];
  const processEvent = (event: ReceiverEvent) =>
    new Promise<void>((resolve, reject) => {
      arrivals.push({ ...event, done: (error) => (error ? reject(error) : resolve()) });
    });
  receiver.init({ processEvent } as App);
  const health = async () => ({ status: 200, text: 'ok' });
  const listener = createRequestListener({ health, slack: receiver.requests, logger });
  const { port, close } = await listen({ port: 0, host: '127.0.0.1' }, listener);
  onTestFinished(async () => {
    await receiver.stop();
    await close();
  });
  if (transport === 'http')
    await slackHandle(sandbox.url).settings({ requestUrl: `http://127.0.0.1:${port}/slack/events` });
  const deliver = (payload: object, kind = 'interactive') =>
    sandboxClient(sandbox.url).act<ActResult & { body?: unknown }>('deliver', { kind, payload });
  return { receiver, port, arrivals, lines, deliver };
}

/** Sends a click to the port as Slack would; returns the status of the answer. */
async function post(port: number, secret = signingSecret): Promise<number> {
  return (await postSigned(port, JSON.stringify({ type: 'block_actions' }), { secret })).status;
}

describe.each(transports)('over %s', (transport) => {
  test('a click is acked before it is processed, a form when it has an answer', async () => {
    const { receiver, arrivals, deliver } = await receiving(transport);
    await receiver.start();
    expect(await deliver({ type: 'block_actions' })).toMatchObject({ acked: true });
    expect(await deliver({ command: '/proofdesk' }, 'slash_commands')).toMatchObject({ acked: true });
    const submission = deliver({ type: 'view_submission' });
    await eventually('the form', () => arrivals.length === 3);
    await arrivals[2]?.ack({ response_action: 'clear' } as never);
    expect(await submission).toMatchObject({ acked: true, body: { response_action: 'clear' } });
  });

  test('what no listener has acked is acked once all have run', async () => {
    const { receiver, arrivals, deliver } = await receiving(transport);
    await receiver.start();
    const submission = deliver({ type: 'view_submission' });
    await eventually('the form', () => arrivals.length === 1);
    arrivals[0]?.done();
    expect(await submission).toMatchObject({ acked: true });
  });

  test('what cannot be processed is answered, and logged', async () => {
    const { receiver, arrivals, lines, deliver } = await receiving(transport);
    await receiver.start();
    const submission = deliver({ type: 'view_submission' });
    await eventually('the form', () => arrivals.length === 1);
    arrivals[0]?.done(new Error('broken'));
    expect(await submission).toMatchObject(
      transport === 'http' ? { acked: false, error: 'http_error 500' } : { acked: true },
    );
    expect(lines.join()).toContain('what Slack sent could not be processed');
  });
});

test('over HTTP, Slack is told that nothing is there until the bot takes requests', async () => {
  const { receiver, port, arrivals } = await receiving('http');
  expect(await ask(port, '/readyz')).toEqual({ status: 200, text: 'ok' });
  expect(await post(port)).toBe(404);
  await receiver.start();
  expect(await post(port)).toBe(200);
  expect(arrivals).toHaveLength(1);
});

test('over HTTP, a flood that nobody has signed is one line of the log, without the secret', async () => {
  const { receiver, port, arrivals, lines } = await receiving('http');
  await receiver.start();
  for (let n = 0; n < 3; n += 1) expect(await post(port, 'somebody-else')).toBe(401);
  expect(arrivals).toEqual([]);
  expect(lines.filter((line) => line.includes('was refused'))).toHaveLength(1);
  expect(lines.join()).not.toContain(signingSecret);
});

test('a stop waits for what was received, also while it is not known yet whose it is', async () => {
  const { track, settled } = trackWork();
  let bolt: Pick<App, 'processEvent'> | undefined;
  const receiver = {
    init(app: typeof bolt) {
      bolt = app;
    },
  };
  let known = () => {};
  const authorize = () =>
    new Promise<never>((_, reject) => {
      known = () => reject(new Error('unknown workspace'));
    });
  const logger = createLogger('silent', []);
  const listenerParts = { features: [], track, logger } as unknown as ListenerParts;
  await connectBolt({ apiUrl: undefined, receiver: receiver as never, authorize, logger, listenerParts });
  const body = { type: 'block_actions', team: { id: 'T1' }, user: { id: 'U1' }, actions: [] };
  const processed = bolt?.processEvent({ body, ack: async () => undefined });
  let isSettled = false;
  const stopped = settled().then(() => {
    isSettled = true;
  });
  await new Promise(setImmediate);
  expect(isSettled).toBe(false);
  known();
  await processed?.catch(() => undefined);
  await stopped;
});

test('a connection that ends at once is opened again after a second, one that held for five seconds at once', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const openedAt: number[] = [];
  const client = Object.assign(new EventEmitter(), {
    async start() {
      openedAt.push(Date.now());
      if (openedAt.length === 3) return;
      if (openedAt.length === 2) vi.advanceTimersByTime(5_000);
      client.emit('disconnected');
    },
    disconnect: async () => void client.emit('disconnected'),
  });
  const { start, stop } = keepConnected(client as never, createLogger('silent', []), () => undefined);
  await start();
  await eventually('the third connection', () => openedAt.length === 3);
  await stop();
  const [first = 0, second = 0, third = 0] = openedAt;
  expect(second - first).toBeGreaterThan(900);
  expect(third - second).toBeLessThan(900);
});
