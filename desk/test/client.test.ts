import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createClient, Failure } from '../src/client.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A client whose calls are answered as told, one after the other; what was asked. */
function clientOf(...answers: (Response | Error)[]) {
  const asked: { readonly path: string; readonly headers: Record<string, string> }[] = [];
  const client = createClient(async (path, { headers } = {}) => {
    asked.push({ path: path as string, headers: Object.fromEntries(new Headers(headers)) });
    const answer = answers.shift();
    return answer instanceof Response ? answer : Promise.reject(answer ?? new Error('not asked'));
  });
  return { ...client, asked };
}

describe('the client', () => {
  test('reads again, a moment later, what got no answer and is still wanted', async () => {
    const { read, asked } = clientOf(
      new TypeError('offline'),
      new Response('', { status: 502 }),
      Response.json(1),
    );
    const answer = read('/one');
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await answer).toBe(1);
    expect(asked).toHaveLength(3);
  });

  test('asks no more for what is not wanted any more, or is refused in a sentence', async () => {
    const { read, asked } = clientOf(
      new TypeError('offline'),
      Response.json({ error: 'Gone.' }, { status: 404 }),
    );
    const wanted = new AbortController();
    const first = read('/one', undefined, wanted.signal).catch(() => 'not wanted');
    wanted.abort();
    expect(await first).toBe('not wanted');
    await expect(read('/two')).rejects.toEqual(new Failure(404, 'Gone.'));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked.map(({ path }) => path)).toEqual(['/one', '/two']);
  });

  test('acts once, for the session that it shows', async () => {
    const { admit, bind, post, asked } = clientOf(new TypeError('offline'));
    admit('token');
    bind('session');
    await expect(post('/act', {})).rejects.toEqual(new Failure(0));
    expect(asked).toMatchObject([
      { headers: { authorization: 'Bearer token', 'x-desk-session': 'session' } },
    ]);
  });

  test('tells what has changed, also when an event arrives in parts', async () => {
    const parts = [': \n\n', 'data: t1\n\ndata: t2\n', '\ndata: t', '3\n\n: \n\n', 'data: t4'];
    const { changes } = clientOf(
      new Response(
        new ReadableStream({
          start(stream) {
            for (const part of parts) stream.enqueue(new TextEncoder().encode(part));
            stream.close();
          },
        }),
      ),
    );
    const told = [];
    for await (const some of changes()) told.push(some);
    expect(told).toEqual([[], ['t1'], ['t2'], ['t3']]);
  });
});
