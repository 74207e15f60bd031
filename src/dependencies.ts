import { unreachableCode } from './account-clients.ts';
import type { Dependency } from './health.ts';
import { connectionRefusal } from './slack/connection-refusals.ts';
import { isWorkspaceErrorCode } from './slack/slack-error.ts';
import { type Pause, slackPause } from './store/pauses.ts';

/** The checks of `/readyz`. Each problem is a sentence, or undefined when there is none. */
export interface DependencyProbes {
  /** Why the process does not serve at all, such as that it is starting. */
  readonly unready: () => string | undefined;
  /** Reports uncaught errors. */
  readonly unexpected: () => string | undefined;
  readonly redis: () => Promise<string | undefined>;
  readonly slackConnection: () => string | undefined;
  /** What is paused in the workspace, by name; undefined while the workspace is unknown. */
  readonly pauses: () => Promise<ReadonlyMap<string, Pause>> | undefined;
}

/** Returns the state of everything that the bot depends on. A pause is never a reason for not being ready. */
export async function readDependencies(probes: DependencyProbes): Promise<Dependency[]> {
  const unready = probes.unready();
  const unexpected = probes.unexpected();
  const redis = await probes.redis();
  const pauses = redis === undefined ? await probes.pauses()?.catch(() => undefined) : undefined;
  const codesOf = (isMeant: (name: string) => boolean) =>
    pauses && [...pauses].flatMap(([name, { code }]) => (isMeant(name) ? [code] : []));
  return [
    ...(unready === undefined ? [] : [down('bot', unready)]),
    ...(unexpected === undefined
      ? []
      : [{ name: 'process', state: 'degraded', reason: unexpected } as const]),
    down('redis', redis),
    down('slack connection', probes.slackConnection()),
    ofPauses(
      'slack web api',
      codesOf((name) => name === slackPause),
      slackReason,
    ),
    ofPauses(
      'slack channels',
      codesOf((name) => name.startsWith('channel ')),
      channelReason,
    ),
    ofPauses(
      'marketplace',
      codesOf((name) => name.startsWith('account ')),
      marketplaceReason,
    ),
  ];
}

function down(name: string, reason: string | undefined): Dependency {
  return reason === undefined ? { name, state: 'ok' } : { name, state: 'down', reason };
}

function ofPauses(
  name: string,
  codes: readonly string[] | undefined,
  reasonOf: (code: string) => string,
): Dependency {
  if (codes === undefined) return { name, state: 'unknown' };
  if (codes.length === 0) return { name, state: 'ok' };
  const reasons = new Set(codes.map(reasonOf));
  return { name, state: 'degraded', reason: `${[...reasons].join(' ')} Nothing is lost meanwhile.` };
}

function slackReason(code: string): string {
  return isWorkspaceErrorCode(code)
    ? connectionRefusal('auth.test', code)
    : `Slack cannot be called (${code}); trying again.`;
}

function channelReason(code: string): string {
  return `A channel cannot be posted to (${code}).`;
}

function marketplaceReason(code: string): string {
  return code === unreachableCode
    ? 'The marketplace does not answer; trying again.'
    : `The marketplace refuses an account (${code}).`;
}
