import { unreachableCode } from './account-breakers.ts';
import type { Dependency } from './health.ts';
import { connectionRefusal } from './slack/connection-refusals.ts';
import { isWorkspaceErrorCode } from './slack/slack-error.ts';
import { type OpenBreaker, slackBreaker } from './store/breakers.ts';

/** The checks of `/readyz`. Each problem is a sentence, or undefined when there is none. */
export interface DependencyProbes {
  /** Why the process does not serve at all, such as that it is starting. */
  readonly unready: () => string | undefined;
  /** Reports uncaught errors. */
  readonly unexpected: () => string | undefined;
  readonly redis: () => Promise<string | undefined>;
  readonly slackConnection: () => string | undefined;
  /** The open breakers of the workspace; undefined while the workspace is unknown. */
  readonly openBreakers: () => Promise<readonly OpenBreaker[]> | undefined;
}

/** Returns the state of everything that the bot depends on. A breaker is never a reason for not being ready. */
export async function readDependencies(probes: DependencyProbes): Promise<Dependency[]> {
  const unready = probes.unready();
  const unexpected = probes.unexpected();
  const redis = await probes.redis();
  const breakers = redis === undefined ? await probes.openBreakers()?.catch(() => undefined) : undefined;
  return [
    ...(unready === undefined ? [] : [down('bot', unready)]),
    ...(unexpected === undefined
      ? []
      : [{ name: 'process', state: 'degraded', reason: unexpected } as const]),
    down('redis', redis),
    down('slack connection', probes.slackConnection()),
    ofBreakers(
      'slack web api',
      breakers?.filter(({ name }) => name === slackBreaker),
      slackReason,
    ),
    ofBreakers(
      'slack channels',
      breakers?.filter(({ name }) => name.startsWith('channel ')),
      channelReason,
    ),
    ofBreakers(
      'marketplace',
      breakers?.filter(({ name }) => name.startsWith('account ')),
      marketplaceReason,
    ),
  ];
}

function down(name: string, reason: string | undefined): Dependency {
  return reason === undefined ? { name, state: 'ok' } : { name, state: 'down', reason };
}

function ofBreakers(
  name: string,
  open: readonly OpenBreaker[] | undefined,
  reasonOf: (code: string) => string,
): Dependency {
  if (open === undefined) return { name, state: 'unknown' };
  if (open.length === 0) return { name, state: 'ok' };
  const reasons = new Set(open.map(({ code }) => reasonOf(code)));
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
