import type { ChannelId } from './domain/terms.ts';
import { Limited, Reschedule } from './jobs/runner.ts';
import { isChannelError, SlackError } from './slack/slack-error.ts';
import { channelPause, type Pauses, slackPause } from './store/pauses.ts';
import type { CallSlack, CallSlackOf, LimitedCall, RateLimiter, Slot } from './store/rate-limiter.ts';

/**
 * Creates the function by which jobs call Slack. While Slack or the channel pauses, they wait; then one call is the probe. When Slack limits a method in a channel, all jobs of all processes that make the same call wait, and no others but
 * the workspace's background calls of that method, if it was one of them.
 * Throws {@link Reschedule} until the call may be made.
 */
export function createCallSlack(rateLimiter: RateLimiter, pauses: Pauses): CallSlackOf {
  return (workspace, reservedBefore, isBackground = false) => {
    let reserved = reservedBefore;
    const call = async <T>(
      at: Pick<LimitedCall, 'method' | 'channel'>,
      run: () => Promise<T>,
    ): Promise<T> => {
      const wanted = { workspace, ...at, isBackground };
      const names = at.channel === undefined ? [slackPause] : [slackPause, channelPause(at.channel)];
      const entry = await pauses.enter(workspace, names);
      if (entry.waitMs > 0) throw new Reschedule(entry.waitMs, reserved);
      let isRefusedByChannel = false;
      try {
        const slot = await rateLimiter.acquire(wanted, reserved);
        if (slot.waitMs > 0) throw waitFor(slot, at.channel, reserved);
        return await run();
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        isRefusedByChannel = isChannelError(error);
        if (error.kind !== 'rate-limited') throw error;
        await rateLimiter.blockFor(wanted, error.retryAfterMs);
        throw waitFor(await rateLimiter.acquire(wanted), at.channel, reserved);
      } finally {
        // Who posts records that the channel refuses it. Until then, it stays the only probe.
        if (!isRefusedByChannel) await entry.release();
      }
    };
    const reservePost: CallSlack['reservePost'] = async (channel, aheadMs) => {
      const slot = await rateLimiter.reservePost(workspace, channel, reserved);
      const isNew = slot.reserved !== reserved;
      reserved = slot.reserved;
      if (slot.waitMs > (isNew ? 0 : aheadMs)) throw new Reschedule(slot.waitMs - aheadMs, reserved);
      return reserved;
    };
    return Object.assign(call, { reservePost });
  };
}

/** Returns the error that makes a job wait for a slot; a slot it reserved before stays its own. */
function waitFor(slot: Slot, channel: ChannelId | undefined, reserved: number | undefined): Reschedule {
  const { limitedMs, waitMs } = slot;
  const kept = slot.reserved ?? reserved;
  if (limitedMs === undefined) return new Reschedule(waitMs, kept);
  return new Limited(waitMs, { channel, ms: limitedMs }, kept);
}
