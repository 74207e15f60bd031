import { Later } from './jobs/worker.ts';
import { SlackFailure } from './slack/failure.ts';
import { type InTurn, type InTurnOf, type Pace, type PacedCall, posting } from './store/pace.ts';

/**
 * How jobs call Slack. A call that Slack limits is held up for all jobs of all processes that want the same there, and
 * for nobody else. Throws {@link Later} until it is the call's turn.
 */
export function createInTurn(pace: Pace): InTurnOf {
  return (workspace, reservedBefore) => {
    let reserved = reservedBefore;
    const call = async <T>(at: Pick<PacedCall, 'method' | 'channel'>, run: () => Promise<T>): Promise<T> => {
      const wanted = { workspace, ...at };
      const turn = await pace.turn(wanted, reserved);
      if (turn.waitMs > 0) throw new Later(turn.waitMs, turn.reserved ?? reserved);
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof SlackFailure) || error.kind !== 'rate-limited') throw error;
        await pace.limited(wanted, error.retryAfterMs);
        const next = await pace.turn(wanted);
        throw new Later(next.waitMs, next.reserved ?? reserved);
      }
    };
    const reservePost: InTurn['reservePost'] = async (channel, aheadMs) => {
      const turn = await pace.turn({ workspace, method: posting, channel }, reserved);
      reserved = turn.reserved;
      if (turn.waitMs > aheadMs) throw new Later(turn.waitMs - aheadMs, reserved);
    };
    return Object.assign(call, { reservePost });
  };
}
