import { messageOf } from '../errors.ts';
import { unreachableCode } from '../features/people/account-clients.ts';
import { connectionRefusal, isWorkspaceError } from '../slack/slack-error.ts';
import { probeKey } from '../store/format.ts';
import { type Pause, slackPause } from '../store/pauses.ts';
import { refusalCode, refusalReason } from '../store/redis.ts';
import type { HealthCheck } from './http-server.ts';
import { redisUnreachable } from './lifecycle.ts';

/** What is paused, by name; a name is in it once for each workspace. */
type NamedPauses = readonly (readonly [name: string, Pause])[];

/** How far a process has come. */
export interface Readiness {
  /** Why it does not serve, as a sentence; undefined while it does. */
  problem: string | undefined;
  /** Reads what is paused in all workspaces; undefined while they are unknown. */
  pauses: (() => Promise<NamedPauses>) | undefined;
}

/** The state of a dependency, by its kind: no workspace, channel, account or campaign is ever named. */
type Line = readonly [name: string, state: 'ok' | 'degraded' | 'down' | 'unknown', reason?: string];

/**
 * Answers `/healthz` (the process is alive) and `/readyz`: 503 when something is down, so that the process cannot serve, else
 * 200 with `ready` or, while part of the work waits, `degraded`; then one line for each dependency.
 * @param probes each problem is a sentence, or undefined when there is none
 */
export function createHealth(
  readiness: Readiness,
  probes: {
    /** Reports uncaught errors. */
    readonly unexpected: () => string | undefined;
    readonly redis: () => Promise<string | undefined>;
    readonly slackConnection: () => string | undefined;
    /** What gives the bot its tokens. */
    readonly tokens: 'auth.test' | 'oauth.v2.access';
  },
): HealthCheck {
  /** The kinds of pauses, by the first word of their names, and what each says of the code of an error. */
  const paused: readonly (readonly [name: string, kind: string, reasonOf: (code: string) => string])[] = [
    [
      'slack web api',
      slackPause,
      (code) =>
        isWorkspaceError({ code })
          ? connectionRefusal(probes.tokens, code)
          : `Slack cannot be called (${code}); trying again.`,
    ],
    ['slack channels', 'channel', (code) => `A channel cannot be posted to (${code}).`],
    [
      'marketplace',
      'account',
      (code) =>
        code === unreachableCode
          ? 'The marketplace isn’t answering; trying again.'
          : `The marketplace rejects an account (${code}).`,
    ],
  ];

  async function read(): Promise<Line[]> {
    const { problem } = readiness;
    const unexpected = probes.unexpected();
    const redis = await probes.redis();
    const pauses = redis === undefined ? await readiness.pauses?.().catch(() => undefined) : undefined;
    return [
      ...(problem === undefined ? [] : [down('bot', problem)]),
      ...(unexpected === undefined ? [] : [['process', 'degraded', unexpected] as const]),
      down('redis', redis),
      down('slack connection', probes.slackConnection()),
      ...paused.map(([name, kind, reasonOf]): Line => {
        if (pauses === undefined) return [name, 'unknown'];
        const codes = pauses.flatMap(([of, { code }]) => (of.split(' ')[0] === kind ? [code] : []));
        if (codes.length === 0) return [name, 'ok'];
        const reasons = [...new Set(codes.map(reasonOf))].join(' ');
        return [name, 'degraded', `${reasons} Nothing is lost meanwhile.`];
      }),
    ];
  }

  return async (path) => {
    if (path === '/healthz') return { status: 200, text: 'ok\n' };
    const all = await read().catch((): Line[] => [['bot', 'down', 'Its state cannot be read.']]);
    const has = (state: Line[1]) => all.some((line) => line[1] === state);
    const summary = has('down') ? 'not ready' : has('degraded') ? 'degraded' : 'ready';
    const lines = all.map(([name, state, reason]) => `${name}: ${state}${reason ? `. ${reason}` : ''}`);
    return { status: has('down') ? 503 : 200, text: `${[summary, ...lines].join('\n')}\n` };
  };
}

function down(name: string, reason: string | undefined): Line {
  return reason === undefined ? [name, 'ok'] : [name, 'down', reason];
}

/**
 * Returns the reason why Redis is unusable right now; undefined when it is usable. Sends a write: a connection stays open
 * even to a Redis that hangs, and one without memory, disk or replicas, and a replica, still answer reads.
 */
export async function redisProblem(redis: {
  readonly status: string;
  set(key: string, value: string, unit: 'EX', seconds: number): Promise<unknown>;
}): Promise<string | undefined> {
  if (redis.status !== 'ready') return redisUnreachable;
  try {
    await redis.set(probeKey, '1', 'EX', 60);
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
