import { once } from 'node:events';
import { connect } from 'node:net';
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
    await ann.types('C01REVIEW', '/proofdesk help');
    await ann.sees('C01REVIEW', /connect/);
  });
});
