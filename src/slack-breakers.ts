import type { ChannelId, WorkspaceId } from './domain/terms.ts';
import { messageOf } from './errors.ts';
import type { Logger } from './logger.ts';
import { isWorkspaceError, type SlackError } from './slack/slack-error.ts';
import {
  type Breakers,
  channelBreaker,
  type Entry,
  type OpenBreaker,
  type Outage,
  slackBreaker,
} from './store/breakers.ts';

/** Number of consecutive calls without a usable answer that opens the breaker: single ones may fail. */
const opensAfter = 3;
/** Maximum age of the last result before `check` calls Slack itself (ms), by whether Slack works. */
const maxAgeMs = { working: 60_000, failing: 3_000 };

export type SlackBreakers = ReturnType<typeof createSlackBreakers>;

/**
 * Creates the circuit breakers of Slack's Web API. Every call's result is reported, but only jobs wait. A 429 is left to the
 * rate limiter, and a refusal of one message proves that Slack answers.
 */
export function createSlackBreakers(deps: {
  readonly breakers: Breakers;
  readonly logger: Logger;
  /** The time between two calls when work returns after an outage (ms). */
  readonly paceMs: number;
  readonly onOutageOver: (workspace: WorkspaceId, outage: Outage) => Promise<void>;
}) {
  const { breakers, logger, paceMs } = deps;
  const reports = new WeakMap<SlackError, Promise<void>>();
  /** Whether a breaker counts failures or is open, as far as this process knows. */
  let matters = true;
  let reportedAt = performance.now();

  async function recordSuccess(workspace: WorkspaceId, ageMs: number): Promise<void> {
    matters = false;
    const outage = await breakers.recordSuccess(workspace, slackBreaker, { ageMs, paceMs });
    if (outage === undefined) return;
    logger.info({ code: outage.code, since: outage.since }, 'Slack works again');
    await deps.onOutageOver(workspace, outage);
  }

  async function recordFailure(
    workspace: WorkspaceId,
    { code }: SlackError,
    failure: { ageMs: number; opensAfter: number },
  ) {
    matters = true;
    if (await breakers.recordFailure(workspace, slackBreaker, { code, ...failure }))
      logger.warn({ code }, 'calls to Slack stop: only probes are made until one succeeds');
  }

  async function record(
    workspace: WorkspaceId,
    failure: SlackError | undefined,
    ageMs: number,
  ): Promise<void> {
    if (failure?.kind === 'rate-limited') return;
    reportedAt = performance.now();
    const isOutage = failure?.kind === 'unreachable' || (failure !== undefined && isWorkspaceError(failure));
    if (failure !== undefined && isOutage)
      return recordFailure(workspace, failure, {
        ageMs,
        opensAfter: isWorkspaceError(failure) ? 1 : opensAfter,
      });
    if (matters) await recordSuccess(workspace, ageMs);
  }

  return {
    /** Records the result of a Web API call. @param ageMs how long ago it began */
    report(workspace: WorkspaceId, failure: SlackError | undefined, ageMs: number): void {
      const recorded = record(workspace, failure, ageMs).catch((error: unknown) =>
        logger.warn({ reason: messageOf(error) }, 'result of a call to Slack not recorded'),
      );
      if (failure) reports.set(failure, recorded);
    },

    /** Resolves once a failure is recorded. */
    recorded: (failure: SlackError): Promise<void> => reports.get(failure) ?? Promise.resolve(),

    /** Requests a call by a job. @param isPaced whether the rate limiter already paces it */
    async enter(workspace: WorkspaceId, channel: ChannelId | undefined, isPaced: boolean): Promise<Entry> {
      const names = channel === undefined ? [slackBreaker] : [slackBreaker, channelBreaker(channel)];
      const entry = await breakers.enter(workspace, names, isPaced ? 0 : paceMs);
      matters ||= entry.matters;
      return entry;
    },

    /**
     * Returns the open breaker of Slack's Web API. Makes a call when the last result is old, so that an idle bot notices an
     * outage too.
     * @param ask makes any call of the Web API, whose result is reported
     */
    async check(workspace: WorkspaceId, ask: () => Promise<unknown>): Promise<OpenBreaker | undefined> {
      const [found] = await breakers.open(workspace, [slackBreaker]);
      matters ||= found !== undefined;
      if (performance.now() - reportedAt > (found ? maxAgeMs.failing : maxAgeMs.working)) {
        reportedAt = performance.now();
        ask().catch(() => undefined);
      }
      return found;
    },
  };
}
