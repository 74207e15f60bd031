import { Reschedule } from './jobs/runner.ts';
import { SlackError } from './slack/slack-error.ts';
import {
  type CallSlack,
  type CallSlackOf,
  type LimitedCall,
  postMethod,
  type RateLimiter,
} from './store/rate-limiter.ts';

/**
 * How jobs call Slack. A call that Slack limits is held up for all jobs of all processes that want the same there, and
 * for nobody else. Throws {@link Reschedule} until it is the call's turn.
 */
export function createCallSlack(pace: RateLimiter): CallSlackOf {
  return (workspace, reservedBefore) => {
    let reserved = reservedBefore;
    const call = async <T>(
      at: Pick<LimitedCall, 'method' | 'channel'>,
      run: () => Promise<T>,
    ): Promise<T> => {
      const wanted = { workspace, ...at };
      const turn = await pace.acquire(wanted, reserved);
      if (turn.waitMs > 0) throw new Reschedule(turn.waitMs, turn.reserved ?? reserved);
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof SlackError) || error.kind !== 'rate-limited') throw error;
        await pace.blockFor(wanted, error.retryAfterMs);
        const next = await pace.acquire(wanted);
        throw new Reschedule(next.waitMs, next.reserved ?? reserved);
      }
    };
    const reservePost: CallSlack['reservePost'] = async (channel, aheadMs) => {
      const turn = await pace.acquire({ workspace, method: postMethod, channel }, reserved);
      reserved = turn.reserved;
      if (turn.waitMs > aheadMs) throw new Reschedule(turn.waitMs - aheadMs, reserved);
    };
    return Object.assign(call, { reservePost });
  };
}
