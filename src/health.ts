import type { RequestListener } from 'node:http';
import { messageOf } from './errors.ts';
import { redisUnreachable } from './startup.ts';
import { refusalCode, refusalReason } from './store/redis-errors.ts';

/** How long `/readyz` waits for Redis. */
const answerTimeoutMs = 1_000;

const notAnswering = 'Redis does not answer. Work resumes once it does.';
const notServing = (code: string) =>
  `Redis refuses to store anything: ${refusalReason(code)} (${code}). Work resumes once it accepts writes.`;

/** The probe's key disappears by itself. */
const probeSeconds = 60;

/** The part of a Redis connection that the check uses. */
interface RedisProbe {
  readonly status: string;
  set(key: string, value: string, unit: 'EX', seconds: number): Promise<unknown>;
}

/**
 * Returns a function that resolves to why Redis cannot be used right now, or to undefined when it can. Each call sends a
 * command, because a connection also stays open to a Redis that hangs; concurrent calls share one command. It is a write:
 * a Redis without memory, disk or replicas, and a replica, still answer reads.
 * @param key the key that is written
 */
export function createRedisWatch(redis: RedisProbe, key: string): () => Promise<string | undefined> {
  let pending: Promise<string | undefined> | undefined;

  async function ask(): Promise<string | undefined> {
    try {
      await redis.set(key, '1', 'EX', probeSeconds);
      return undefined;
    } catch (error) {
      const code = refusalCode(error) ?? /^[A-Z]+(?= )/.exec(messageOf(error))?.[0];
      if (code !== undefined) return notServing(code);
      return messageOf(error) === 'Command timed out' ? notAnswering : redisUnreachable;
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

/** Something that the bot depends on, by its kind: no workspace, channel, account or campaign is ever named. */
export interface Dependency {
  readonly name: string;
  /** `degraded`: part of the work waits, and the process serves. `down`: it cannot serve. */
  readonly state: 'ok' | 'degraded' | 'down' | 'unknown';
  /** Why it is not ok, as sentences. */
  readonly reason?: string;
}

/**
 * Serves `/healthz` (the process is alive) and `/readyz`: 503 when something is down, else 200, as `ready` or `degraded`;
 * then one line for each dependency.
 */
export function createHealth(dependencies: () => Promise<readonly Dependency[]>): RequestListener {
  return (request, response) => {
    const path = request.url?.split('?')[0];
    const type = { 'content-type': 'text/plain' };
    if (path !== '/healthz' && path !== '/readyz')
      return void response.writeHead(404, type).end('not found\n');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return void response.writeHead(405, { ...type, allow: 'GET, HEAD' }).end('method not allowed\n');
    if (path === '/healthz') return void response.writeHead(200, type).end('ok\n');
    dependencies().then(
      (all) => {
        const isDown = all.some(({ state }) => state === 'down');
        const isDegraded = all.some(({ state }) => state === 'degraded');
        const summary = isDown ? 'not ready' : isDegraded ? 'degraded' : 'ready';
        const lines = all.map(({ name, state, reason }) => `${name}: ${state}${reason ? `. ${reason}` : ''}`);
        response.writeHead(isDown ? 503 : 200, { 'content-type': 'text/plain; charset=utf-8' });
        response.end(`${[summary, ...lines].join('\n')}\n`);
      },
      () => response.writeHead(503).end('not ready\n'),
    );
  };
}
