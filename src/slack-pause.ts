import type { WorkspaceId } from './domain/terms.ts';
import { messageOf } from './errors.ts';
import type { Logger } from './logger.ts';
import { isWorkspaceError, type SlackError } from './slack/slack-error.ts';
import { type Pause, type Pauses, slackPause } from './store/pauses.ts';

/** Number of calls in a row without a usable answer that begin a pause: single ones may fail. */
const pausesAfter = 3;
/** How old the last result may be before `check` calls Slack itself (ms). */
const maxAgeMs = 60_000;

/** Creates what records the results of all calls of Slack's Web API for the workspace's pause. */
export function createSlackPause({
  pauses,
  logger,
  now,
  onOver,
}: {
  readonly pauses: Pauses;
  readonly logger: Logger;
  readonly now: () => number;
  /** Called once when a pause has ended with a call that succeeded. */
  readonly onOver: (workspace: WorkspaceId, pause: Pause) => Promise<void>;
}) {
  let resultAt = performance.now();

  /** A 429 is left to the rate limiter, and a refusal of one message proves that Slack answers. */
  async function record(workspace: WorkspaceId, failure: SlackError | undefined, began: number) {
    if (failure?.kind === 'rate-limited') return;
    resultAt = performance.now();
    if (failure && (failure.kind === 'unreachable' || isWorkspaceError(failure))) {
      const { code } = failure;
      const after = isWorkspaceError(failure) ? 1 : pausesAfter;
      if (await pauses.fail(workspace, slackPause, { code, began, pausesAfter: after }))
        logger.warn({ code }, 'jobs pause their calls to Slack');
      return;
    }
    const over = await pauses.succeed(workspace, slackPause, began);
    if (over === undefined) return;
    logger.info({ code: over.code, since: over.since }, 'Slack works again');
    await onOver(workspace, over);
  }

  return {
    /** Records the result of a call. Never rejects. @param ageMs how long ago it began */
    record: (workspace: WorkspaceId, failure: SlackError | undefined, ageMs: number): Promise<void> =>
      record(workspace, failure, now() - ageMs).catch((error: unknown) =>
        logger.warn({ reason: messageOf(error) }, 'result of a call to Slack not recorded'),
      ),

    /**
     * Makes a call when the last result is old or a pause has ended, so that an idle bot notices an outage, and its end.
     * @param ask makes any call of the Web API, whose result is recorded
     */
    async check(workspace: WorkspaceId, ask: () => Promise<unknown>): Promise<void> {
      const { waitMs, isProbe } = await pauses.enter(workspace, [slackPause]);
      if (waitMs > 0 || (!isProbe && performance.now() - resultAt < maxAgeMs)) return;
      resultAt = performance.now();
      ask().catch(() => undefined);
    },
  };
}
