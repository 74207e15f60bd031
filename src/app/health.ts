import { messageOf } from '../errors.ts';
import { unreachableCode } from '../kit/account-clients.ts';
import { connectionRefusal, isWorkspaceError } from '../slack/slack-error.ts';
import { type Pause, slackPause } from '../store/pauses.ts';
import { refusalCode, refusalReason } from '../store/redis.ts';
import type { HealthAnswer, HealthCheck } from './http-server.ts';
import { redisUnreachable } from './lifecycle.ts';

/** A dependency of the bot, by its kind: no workspace, channel, account or campaign is ever named. */
interface Dependency {
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

/** What is paused, by name; a name is in it once for each workspace. */
type NamedPauses = readonly (readonly [name: string, Pause])[];

/** How far a process has come. */
export interface Readiness {
  /** Why it does not serve, as a sentence; undefined while it does. */
  problem: string | undefined;
  /** Reads what is paused in all workspaces; undefined while they are unknown. */
  pauses: (() => Promise<NamedPauses>) | undefined;
}

/**
 * Returns the state of everything that the bot depends on. A pause is never a reason for not being ready.
 * @param probes each problem is a sentence, or undefined when there is none
 */
export async function readDependencies(
  readiness: Readiness,
  probes: {
    /** Reports uncaught errors. */
    readonly unexpected: () => string | undefined;
    readonly redis: () => Promise<string | undefined>;
    readonly slackConnection: () => string | undefined;
    /** What gives the bot its tokens. */
    readonly tokens: 'auth.test' | 'oauth.v2.access';
  },
): Promise<Dependency[]> {
  const unready = readiness.problem;
  const unexpected = probes.unexpected();
  const redis = await probes.redis();
  const pauses = redis === undefined ? await readiness.pauses?.().catch(() => undefined) : undefined;

  function paused(
    name: string,
    isMeant: (pause: string) => boolean,
    reasonOf: (code: string) => string,
  ): Dependency {
    if (pauses === undefined) return { name, state: 'unknown' };
    const reasons = new Set([...pauses].flatMap(([of, { code }]) => (isMeant(of) ? [reasonOf(code)] : [])));
    if (reasons.size === 0) return { name, state: 'ok' };
    return { name, state: 'degraded', reason: `${[...reasons].join(' ')} Nothing is lost meanwhile.` };
  }

  return [
    ...(unready === undefined ? [] : [down('bot', unready)]),
    ...(unexpected === undefined
      ? []
      : [{ name: 'process', state: 'degraded', reason: unexpected } as const]),
    down('redis', redis),
    down('slack connection', probes.slackConnection()),
    paused(
      'slack web api',
      (of) => of === slackPause,
      (code) =>
        isWorkspaceError({ code })
          ? connectionRefusal(probes.tokens, code)
          : `Slack cannot be called (${code}); trying again.`,
    ),
    paused(
      'slack channels',
      (of) => of.startsWith('channel '),
      (code) => `A channel cannot be posted to (${code}).`,
    ),
    paused(
      'marketplace',
      (of) => of.startsWith('account '),
      (code) =>
        code === unreachableCode
          ? 'The marketplace isn’t answering; trying again.'
          : `The marketplace rejects an account (${code}).`,
    ),
  ];
}

function down(name: string, reason: string | undefined): Dependency {
  return reason === undefined ? { name, state: 'ok' } : { name, state: 'down', reason };
}

/** Time to live of the key that is written (s). */
const probeSeconds = 60;

/**
 * Returns the reason why Redis is unusable right now; undefined when it is usable. Sends a write: a connection stays open
 * even to a Redis that hangs, and one without memory, disk or replicas, and a replica, still answer reads.
 */
export async function redisProblem(
  redis: {
    readonly status: string;
    set(key: string, value: string, unit: 'EX', seconds: number): Promise<unknown>;
  },
  key: string,
): Promise<string | undefined> {
  if (redis.status !== 'ready') return redisUnreachable;
  try {
    await redis.set(key, '1', 'EX', probeSeconds);
    return undefined;
  } catch (error) {
    const code = refusalCode(error) ?? /^[A-Z]+(?= )/.exec(messageOf(error))?.[0];
    if (code !== undefined) return refusesWrites(code);
    return messageOf(error) === 'Command timed out' ? notAnswering : redisUnreachable;
  }
}

const notAnswering = 'Redis does not answer. Work resumes once it does.';
const refusesWrites = (code: string) =>
  `Redis refuses to store anything: ${refusalReason(code)} (${code}). Work resumes once it accepts writes.`;
