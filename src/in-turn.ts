import { Later } from './jobs/worker.ts';
import { SlackFailure } from './slack/failure.ts';
import type { InTurnOf, Pace } from './store/pace.ts';

/**
 * How jobs call Slack. A call that Slack limits is held up for all jobs of all processes that want the same there, and
 * for nobody else. Throws {@link Later} until it is the call's turn.
 */
export function createInTurn(pace: Pace): InTurnOf {
  return (workspace, reserved) => async (at, run) => {
    const call = { workspace, ...at };
    const turn = await pace.turn(call, reserved);
    if (turn.waitMs > 0) throw new Later(turn.waitMs, turn.reserved);
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof SlackFailure) || error.kind !== 'rate-limited') throw error;
      await pace.limited(call, error.retryAfterMs);
      const next = await pace.turn(call);
      throw new Later(next.waitMs, next.reserved);
    }
  };
}
