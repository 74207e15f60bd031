import { messageOf } from './errors.ts';
import type { HealthAnswer, HealthCheck } from './http-server.ts';
import { redisUnreachable } from './startup.ts';
import { refusalCode, refusalReason } from './store/redis-errors.ts';

/** Timeout of `/readyz` for Redis (ms). */
const answerTimeoutMs = 1_000;

const notAnswering = 'Redis does not answer. Work resumes once it does.';
const notServing = (code: string) =>
  `Redis refuses to store anything: ${refusalReason(code)} (${code}). Work resumes once it accepts writes.`;

/** Time to live of the probe's key (s). */
const probeSeconds = 60;

/** The part of a Redis connection that the check uses. */
interface RedisProbe {
  readonly status: string;
  set(key: string, value: string, unit: 'EX', seconds: number): Promise<unknown>;
}

/**
 * Returns a function that resolves to the reason why Redis is unusable right now, or to undefined when it is usable. Each
 * call sends a command, because a connection stays open even to a Redis that hangs; concurrent calls share one command. It
 * is a write: a Redis without memory, disk or replicas, and a replica, still answer reads.
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

/** A dependency of the bot, by its kind: no workspace, channel, account or campaign is ever named. */
export interface Dependency {
  readonly name: string;
  /** `degraded`: part of the work waits, but the process serves. `down`: it cannot serve. */
  readonly state: 'ok' | 'degraded' | 'down' | 'unknown';
  /** Why it is not ok, as sentences. */
  readonly reason?: string;
}

/**
 * Answers `/healthz` (the process is alive) and `/readyz`: 503 when something is down, else 200 with `ready` or `degraded`;
 * then one line for each dependency.
 */
export function createHealth(dependencies: () => Promise<readonly Dependency[]>): HealthCheck {
  async function readiness(): Promise<HealthAnswer> {
    const all = await dependencies();
    const isDown = all.some(({ state }) => state === 'down');
    const isDegraded = all.some(({ state }) => state === 'degraded');
    const summary = isDown ? 'not ready' : isDegraded ? 'degraded' : 'ready';
    const lines = all.map(({ name, state, reason }) => `${name}: ${state}${reason ? `. ${reason}` : ''}`);
    return { status: isDown ? 503 : 200, text: `${[summary, ...lines].join('\n')}\n` };
  }

  return async (path) =>
    path === '/healthz'
      ? { status: 200, text: 'ok\n' }
      : readiness().catch(() => ({ status: 503, text: 'not ready\n' }));
}
