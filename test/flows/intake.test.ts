import { createHmac } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ActResult, createSandboxSlack } from '../../src/sandbox/slack/index.ts';
import { createHttpIntake } from '../../src/slack/http-intake.ts';
import type { Arrival, IntakeSettings } from '../../src/slack/intake.ts';
import { createThreadIntake } from '../../src/slack/intake-in-thread.ts';
import type { Log } from '../../src/slack/slack-logger.ts';
import { createSocketIntake } from '../../src/slack/socket-intake.ts';
import { eventually } from '../harness/eventually.ts';
import { ask } from '../harness/health.ts';
import { freePort } from '../harness/ports.ts';
import { slackHandle } from '../harness/slack.ts';
import { sandboxClient } from '../harness/slack-client.ts';
import { type Transport, transports } from '../harness/world.ts';

type Create = typeof createThreadIntake;

const signingSecret = 'sandbox-signing-secret';

/** An intake in this thread, of a bot that is at work, or not. */
const inThisThread =
  (isAtWork = () => true): Create =>
  ({ log, ...settings }, listener) =>
    settings.mode === 'http'
      ? createHttpIntake({ ...settings, log, isAtWork }, listener)
      : createSocketIntake({ ...settings, log, isAtWork }, listener);

/** An intake in threads, which are added to a list. */
const noting =
  (threads: Worker[]): Create =>
  (options, listener) =>
    createThreadIntake(options, listener, (...given) => {
      const thread = new Worker(...given);
      threads.push(thread);
      return thread;
    });

/** Lines that are logged are added to a list, each as JSON. */
function logTo(lines: string[]): Log {
  const write = (fields: object, text: string) => void lines.push(JSON.stringify({ ...fields, text }));
  return { trace: write, info: write, warn: write, error: write, isLevelEnabled: () => true };
}

/** A sandbox, and an intake whose arrivals nobody takes up. Its bot answers health checks with `ok`. */
async function receiving(transport: Transport, create: Create = createThreadIntake) {
  const sandbox = await createSandboxSlack({});
  onTestFinished(() => sandbox.close());
  const slack = slackHandle(sandbox.url);
  const port = await freePort();
  const arrivals: Arrival[] = [];
  const problems: (string | undefined)[] = [];
  const lines: string[] = [];
  const settings: IntakeSettings =
    transport === 'http'
      ? { mode: 'http', signingSecret, port, host: '127.0.0.1' }
      : { mode: 'socket', appToken: 'xapp-sandbox', apiUrl: sandbox.apiUrl };
  const intake = create(
    { ...settings, log: logTo(lines) },
    {
      arrived: (arrival) => void arrivals.push(arrival),
      problem: (problem) => void problems.push(problem),
      health: async (path) => ({ status: 200, text: `${path}: ok` }),
    },
  );
  onTestFinished(() => intake.stop());
  if (transport === 'http') await slack.settings({ requestUrl: `http://127.0.0.1:${port}/slack/events` });
  const deliver = (kind: string, payload: object) =>
    sandboxClient(sandbox.url).act<ActResult & { body?: unknown }>('deliver', { kind, payload });
  return {
    slack,
    intake,
    port,
    arrivals,
    problems,
    lines,
    deliver,
    async start(): Promise<void> {
      await intake.open?.();
      await intake.start();
    },
  };
}

/** The same, started. */
async function started(...given: Parameters<typeof receiving>) {
  const all = await receiving(...given);
  await all.start();
  return all;
}

/** Sends a body to the port as Slack would; returns the status of the answer. */
async function post(
  port: number,
  payload: object,
  { secret = signingSecret, headers = {} }: { secret?: string; headers?: Record<string, string> } = {},
): Promise<number> {
  const body = JSON.stringify(payload);
  const time = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex');
  const { status } = await fetch(`http://127.0.0.1:${port}/slack/events`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-slack-request-timestamp': time,
      'x-slack-signature': `v0=${signature}`,
      ...headers,
    },
    body,
  });
  return status;
}

describe.each(transports)('over %s', (transport) => {
  test.each([
    ['this thread', inThisThread()],
    ['a thread of its own', createThreadIntake],
  ])(
    'in %s, a click is acked before anybody takes it up, a form when it has an answer',
    async (_, create) => {
      const { intake, arrivals, deliver } = await started(transport, create);
      expect(await deliver('interactive', { type: 'block_actions' })).toMatchObject({ acked: true });
      expect(await deliver('slash_commands', { command: '/proofdesk' })).toMatchObject({ acked: true });
      await eventually('both arrivals', () => arrivals.length === 2);
      expect(arrivals.map(({ isAcked }) => isAcked)).toEqual([true, true]);

      const submission = deliver('interactive', { type: 'view_submission' });
      await eventually('the form', () => arrivals.length === 3);
      const [, , form] = arrivals;
      expect(form?.isAcked).toBe(false);
      intake.ack(form?.id ?? '', { response_action: 'clear' });
      expect(await submission).toMatchObject({ acked: true, body: { response_action: 'clear' } });
    },
  );

  test('while the bot hangs, Slack is not told that it has a click', async () => {
    let isAtWork = false;
    const { intake, arrivals, deliver } = await started(
      transport,
      inThisThread(() => isAtWork),
    );
    const click = deliver('interactive', { type: 'block_actions' });
    await eventually('the click', () => arrivals.length === 1);
    const [first] = arrivals;
    expect(first?.isAcked).toBe(false);
    // It goes on before Slack gives up.
    isAtWork = true;
    intake.ack(first?.id ?? '');
    expect(await click).toMatchObject({ acked: true });
  });

  test('a thread that ends is started again', async () => {
    const threads: Worker[] = [];
    const { slack, port, arrivals, problems, lines, deliver } = await started(transport, noting(threads));
    await threads[0]?.terminate();
    await eventually('that it is lost', () => typeof problems.at(-1) === 'string');
    await eventually('that it is back', () => problems.at(-1) === undefined);
    if (transport === 'socket') await slack.sockets(1);
    else expect(await ask(port, '/healthz')).toEqual({ status: 200, text: '/healthz: ok' });
    expect(await deliver('interactive', { type: 'block_actions' })).toMatchObject({ acked: true });
    await eventually('the click', () => arrivals.length === 1);
    expect(threads).toHaveLength(2);
    expect(lines.join('\n')).toMatch(/has ended, and is started again/);
  });
});

describe('over a socket', () => {
  test('a thread that is started again tries until Slack accepts the token', async () => {
    const threads: Worker[] = [];
    const { slack, problems } = await started('socket', noting(threads));
    await slack.settings({ tokenRevoked: true });
    await threads[0]?.terminate();
    await eventually('that it is refused', () => /SLACK_APP_TOKEN/.test(problems.at(-1) ?? ''));
    await slack.settings({ tokenRevoked: false });
    await eventually('that it is back', () => problems.at(-1) === undefined);
    await slack.sockets(1);
  });

  test('a token that Slack refuses ends the start of the thread, with what to do', async () => {
    const { slack, start } = await receiving('socket');
    await slack.settings({ tokenRevoked: true });
    await expect(start()).rejects.toThrow(/SLACK_APP_TOKEN/);
  });
});

describe('over HTTP, in a thread of its own', () => {
  test('until the bot takes requests, health checks are answered, and Slack is told that nothing is there', async () => {
    const { intake, port, arrivals } = await receiving('http');
    await intake.open?.();
    expect(await ask(port, '/readyz')).toEqual({ status: 200, text: '/readyz: ok' });
    expect(await post(port, { type: 'block_actions' })).toBe(404);
    await intake.start();
    expect(await post(port, { type: 'block_actions' })).toBe(200);
    await eventually('the click', () => arrivals.length === 1);
  });

  test('what nobody has signed never reaches the bot, and the log names no secret', async () => {
    const { port, arrivals, lines } = await started('http');
    const click = { type: 'block_actions' };
    expect(await post(port, click, { secret: 'somebody-else' })).toBe(401);
    expect(await post(port, click, { headers: { 'x-slack-signature': 'v0=00' } })).toBe(401);
    expect(await post(port, click, { headers: { 'x-slack-request-timestamp': '1' } })).toBe(401);
    // What comes next is the first to arrive.
    await post(port, { ...click, isSigned: true });
    await eventually('the click', () => arrivals.length > 0);
    expect(arrivals.map(({ body }) => body)).toEqual([{ ...click, isSigned: true }]);
    // A flood of them would not be a flood of lines.
    expect(lines.filter((line) => /were refused/.test(line))).toHaveLength(1);
    expect(lines.join('\n')).not.toContain(signingSecret);
  });

  test('an event that is not stored, and one that cannot be processed, have the statuses that say so', async () => {
    const { intake, port, arrivals } = await started('http');
    const headers = { 'x-slack-retry-num': '2', 'x-slack-retry-reason': 'http_timeout' };
    const event = post(port, { type: 'event_callback' }, { headers });
    await eventually('the event', () => arrivals.length === 1);
    expect(arrivals[0]).toMatchObject({ isAcked: false, retryNum: 2, retryReason: 'http_timeout' });
    intake.fail(arrivals[0]?.id ?? '', 'not stored');
    expect(await event).toBe(503);
    const other = post(port, { type: 'event_callback' });
    await eventually('the next', () => arrivals.length === 2);
    intake.fail(arrivals[1]?.id ?? '', 'not processed');
    expect(await other).toBe(500);
  });

  test('a stop waits for the answer to a form, and the port is free then', async () => {
    const { intake, port, arrivals, deliver } = await started('http');
    const submission = deliver('interactive', { type: 'view_submission' });
    await eventually('the form', () => arrivals.length === 1);
    const stopped = intake.stop();
    intake.ack(arrivals[0]?.id ?? '');
    expect(await submission).toMatchObject({ acked: true });
    await stopped;
    expect(await ask(port, '/healthz')).toBeUndefined();
  });

  test('a port in use ends the start, with what to do', async () => {
    const { port } = await started('http');
    const second = createThreadIntake(
      { mode: 'http', signingSecret, port, host: '127.0.0.1', log: logTo([]) },
      { arrived() {}, problem() {}, health: async () => ({ status: 200, text: '' }) },
    );
    await expect(second.open?.()).rejects.toThrow(/Port \d+ cannot be used .*Set PORT to a free port/);
  });
});
