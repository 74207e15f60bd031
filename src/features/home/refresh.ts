import type { MemberId, WorkspaceId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { slackPause } from '../../store/pauses.ts';
import type { LimitedCall } from '../../store/rate-limiter.ts';
import type { FeatureContext } from '../shared/context.ts';

/**
 * Calls of views.publish per minute after which the rest is reserved for tabs people are waiting for; Slack takes 100
 * and more.
 */
const dispensableCallsPerMinute = 60;
/** Number of home tabs one job publishes; the next job continues. */
const atOnce = 25;
/** Retry delay when the limit left no room (ms). */
const retryMs = 10_000;

const publishMethod = 'views.publish';

/** Creates the job that publishes changed home tabs, within Slack's limit. */
export function createRefresh({
  homeRefresh,
  logger,
  now,
  openedHomes,
  pauses,
  publish,
  rateLimiter,
}: Pick<FeatureContext, 'homeRefresh' | 'logger' | 'now' | 'openedHomes' | 'pauses' | 'rateLimiter'> & {
  readonly publish: (workspace: WorkspaceId, member: MemberId, due: number) => Promise<void>;
}) {
  /** Returns how long background publishing must wait (ms); 0 if it need not. */
  async function waitFor(call: LimitedCall): Promise<number> {
    const { waitMs } = await rateLimiter.acquire(call);
    if (waitMs > 0) return waitMs;
    return (await rateLimiter.counted(call)) < dispensableCallsPerMinute ? 0 : retryMs;
  }

  async function publishOne(workspace: WorkspaceId, member: MemberId, due: number): Promise<void> {
    try {
      await publish(workspace, member, due);
    } catch (error) {
      if (error instanceof SlackError && error.kind === 'rate-limited')
        return rateLimiter.blockFor({ workspace, method: publishMethod }, error.retryAfterMs);
      // Opening the tab publishes it again; the remaining due tabs must not wait for this one.
      await openedHomes.published(workspace, member, now(), due);
      if (!(error instanceof SlackError)) throw error;
      logger.warn({ err: error, member }, 'home tab not updated');
    }
  }

  return {
    /** Counts a publication; those people wait for leave less room for the others. */
    async count(workspace: WorkspaceId): Promise<void> {
      await rateLimiter.count({ workspace, method: publishMethod });
    },

    async run({ workspace }: Payload<'refresh-homes'>): Promise<void> {
      for (const [member, since] of await openedHomes.due(workspace, now(), atOnce)) {
        const waitMs = await waitFor({ workspace, method: publishMethod });
        if (waitMs > 0) return homeRefresh.later(workspace, now() + waitMs);
        const pause = await pauses.enter(workspace, [slackPause]);
        if (pause.waitMs > 0) return homeRefresh.later(workspace, now() + pause.waitMs);
        await publishOne(workspace, member, since);
        await pause.release();
      }
      await homeRefresh.resume(workspace);
    },
  };
}
