import type { RequestListener } from 'node:http';
import { messageOf } from './errors.ts';
import { redisUnreachable } from './startup.ts';

/** How long `/readyz` waits for Redis. */
const answerTimeoutMs = 1_000;

const notAnswering = 'Redis does not answer; work waits until it does.';
const notServing = (code: string) => `Redis does not serve at present (${code}); work waits until it does.`;

/** What is asked of Redis. */
interface RedisProbe {
  readonly status: string;
  exists(key: string): Promise<unknown>;
}

/**
 * Gives a function that says why Redis cannot be worked with at present, or undefined when it can. It is asked each
 * time: a connection stays open to a Redis that stands still. One question is under way at a time, however many ask.
 * @param key any key of ours. Reading it says more than PING, which a node of a cluster answers that serves nothing
 */
export function createRedisWatch(redis: RedisProbe, key: string): () => Promise<string | undefined> {
  let pending: Promise<string | undefined> | undefined;

  async function ask(): Promise<string | undefined> {
    try {
      await redis.exists(key);
      return undefined;
    } catch (error) {
      const reason = messageOf(error);
      const code = /^[A-Z]+(?= )/.exec(reason)?.[0];
      if (code !== undefined) return notServing(code);
      return reason === 'Command timed out' ? notAnswering : redisUnreachable;
    }
  }

  return async () => {
    if (redis.status !== 'ready') return redisUnreachable;
    pending ??= ask().finally(() => {
      pending = undefined;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(notAnswering), answerTimeoutMs);
    });
    return Promise.race([pending, late]).finally(() => clearTimeout(timer));
  };
}

/**
 * What `/healthz` (the process is alive) and `/readyz` (it can do its work) answer.
 * @param reasons why it cannot do its work at present, in words for people; none: it can
 */
export function createHealth(reasons: () => Promise<string[]>): RequestListener {
  return (request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/healthz')
      return void response.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n');
    if (path !== '/readyz') {
      return void response.writeHead(404, { 'content-type': 'text/plain' }).end('There is nothing here.\n');
    }
    reasons().then(
      (all) => {
        const found = [...new Set(all)];
        response.writeHead(found.length === 0 ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' });
        response.end(found.length === 0 ? 'ready\n' : `${found.join('\n')}\n`);
      },
      () => response.writeHead(503).end('not ready\n'),
    );
  };
}
