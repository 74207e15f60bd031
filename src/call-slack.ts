import { setTimeout as delay } from 'node:timers/promises';
import { SlackBusy } from './jobs/runner.ts';
import { isChannelError, SlackError } from './slack/slack-error.ts';
import { type CallSlackOf, type LimitedCall, postMethod, type RateLimiter } from './store/limits.ts';
import { channelPause, type Pauses, slackPause } from './store/pauses.ts';

/** Maximum time that a post, or a further call of the same job, waits for its turn within the job (ms). */
const longestWaitMs = 2_000;

/**
 * Creates the function by which jobs call Slack. While Slack or the channel pauses, they wait; then one call is the probe.
 * When Slack limits a method in a channel, all jobs of all processes that make the same call wait, and no others but the
 * workspace's background calls of that method, if it was one of them.
 */
export function createCallSlack(rateLimiter: RateLimiter, pauses: Pauses): CallSlackOf {
  return (workspace, { isBackground = false } = {}) => {
    /** Whether the job has made a call: were it to begin anew for the next one, it would make the first one again. */
    let hasCalled = false;

    async function acquire(call: LimitedCall): Promise<void> {
      for (;;) {
        const waitMs = await rateLimiter.acquire(call);
        if (waitMs <= 0) return;
        const waitsHere = call.method === postMethod || hasCalled;
        if (!waitsHere || waitMs > longestWaitMs) throw new SlackBusy(waitMs, call.method);
        await delay(waitMs);
      }
    }
    return async (at, run) => {
      const call = { workspace, ...at, isBackground };
      const names = at.channel === undefined ? [slackPause] : [slackPause, channelPause(at.channel)];
      const entry = await pauses.enter(workspace, names);
      if (entry.waitMs > 0) throw new SlackBusy(entry.waitMs, at.method);
      let isRefusedByChannel = false;
      try {
        await acquire(call);
        const answer = await run();
        hasCalled = true;
        return answer;
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        isRefusedByChannel = isChannelError(error);
        if (error.kind !== 'rate-limited') throw error;
        await rateLimiter.blockFor(call, error.retryAfterMs);
        throw new SlackBusy(error.retryAfterMs, at.method);
      } finally {
        // Who posts records that the channel refuses it. Until then, it stays the only probe.
        if (!isRefusedByChannel) await entry.release();
      }
    };
  };
}
