import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import { startWorld, transports, type World } from '../harness/world.ts';

let world: World;
afterEach(() => world?.close());

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

describe.each(transports)('over %s', (transport) => {
  test('whatever arrives on the port without a signature is answered, and the bot works on', async () => {
    world = await startWorld({ transport });
    const { ann, port } = world;
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
    await ann.types('C01REVIEW', '/proofdesk help');
    await ann.sees('C01REVIEW', /connect/);
  });
});

test('3,000 half-sent requests at once, again and again, leave /readyz answering within a second', async () => {
  world = await startWorld({ transport: 'http', env: { REVIEW_CHANNEL: undefined } });
  const { ann, port } = world;
  // Those that are closed come back, so that there are as many at any time. In a thread of its own, as they come from elsewhere.
  const flood = new Worker(
    `const { connect } = require('node:net');
    const { parentPort, workerData: port } = require('node:worker_threads');
    const halves = new Set();
    function open() {
      const socket = connect(port, '127.0.0.1');
      halves.add(socket);
      socket.on('error', () => undefined).on('close', () => halves.delete(socket)).resume();
      socket.write('POST /slack/events HTTP/1.1\\r\\nHost: bot\\r\\nContent-Length: 100\\r\\n\\r\\nhalf');
    }
    setInterval(() => {
      while (halves.size < 3_000) open();
      parentPort.postMessage('sent');
    }, 100);`,
    { eval: true, workerData: port },
  );
  // Other tests share the machine. What they delay is seen at a server that nobody floods, in the thread that asks: it waits
  // for no work of the bot, which runs in this one.
  const asker = new Worker(
    `const { createServer, get } = require('node:http');
    const { parentPort, workerData: port } = require('node:worker_threads');
    const ask = (to) => new Promise((resolve, reject) => {
      const began = performance.now();
      get({ port: to, host: '127.0.0.1', path: '/readyz', agent: false }, (answer) => {
        answer.resume().on('end', () => resolve({ status: answer.statusCode, ms: performance.now() - began }));
      }).on('error', reject);
    });
    const control = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    parentPort.on('message', async () => {
      parentPort.postMessage(await Promise.all([ask(port), ask(control.address().port)]));
    });`,
    { eval: true, workerData: port },
  );
  const longer: number[] = [];
  try {
    for (let round = 0; round < 10; round++) {
      await once(flood, 'message');
      asker.postMessage('now');
      const [[ready, control]] = (await once(asker, 'message')) as [{ status: number; ms: number }[]];
      expect(ready?.status).toBe(200);
      longer.push((ready?.ms ?? Number.POSITIVE_INFINITY) - (control?.ms ?? 0));
    }
    await ann.types('C01REVIEW', '/proofdesk help');
    await ann.sees('C01REVIEW', /connect/);
  } finally {
    await Promise.all([flood.terminate(), asker.terminate()]);
  }
  expect(Math.max(...longer)).toBeLessThan(1_000);
});

describe('a signed request', () => {
  const secret = 'sandbox-signing-secret';

  /** Sends a body as Slack does, signed. Returns the status of the answer; rejects when there is none. */
  async function sends(body: string, type = 'application/x-www-form-urlencoded'): Promise<number> {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
    const response = await fetch(`http://127.0.0.1:${world.port}/slack/events`, {
      method: 'POST',
      headers: {
        'content-type': type,
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${signature}`,
      },
      body,
      signal: AbortSignal.timeout(5_000),
    });
    return response.status;
  }

  test('that is nothing Slack sends is answered, and the bot works on', async () => {
    world = await startWorld({ transport: 'http' });
    const form = (payload: string) => `payload=${encodeURIComponent(payload)}`;
    const bodies = ['null', '[]', '"x"', '1', '{}', '{', 'undefined', ''].map(form);
    for (const body of [
      ...bodies,
      '',
      'payload',
      'other=1',
      'command=',
      '%zz',
      'payload=null&payload=null',
    ]) {
      expect([200, 400, 404], body).toContain(await sends(body));
    }
    for (const body of ['null', '[]', '"x"', '1', '{}', '{', '']) {
      expect([200, 400, 404], `JSON ${body}`).toContain(await sends(body, 'application/json'));
    }
    // Bolt answers what nobody has acked after 3 seconds.
    const types = ['block_actions', 'view_submission', 'block_suggestion', 'shortcut', 'nonsense'];
    const answers = await Promise.all(types.map((type) => sends(form(JSON.stringify({ type })))));
    for (const status of answers) expect([200, 400, 404, 500]).toContain(status);
    const { ann } = world;
    await ann.types('C01REVIEW', '/proofdesk help');
    await ann.sees('C01REVIEW', /connect/);
  });
});
