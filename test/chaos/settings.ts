import type { Intervals } from '../../src/features.ts';
import type { RateLimits } from '../../src/store/rate-limiter.ts';
import type { Timeouts } from '../../src/store/timeouts.ts';

/** Posts go out as fast as the Slack sandbox accepts them: the run tests order, not speed. */
export const chaosRateLimits: RateLimits = {
  channelMs: 5,
  workspaceMs: 5,
  csvBytesPerMinute: 1_000_000_000,
};

/** Short enough that one run sees the rare sweeps and pauses many times. */
export const chaosIntervals: Intervals = { sweepMs: 10_000, pauseMs: 2_000, lostAfterMs: 1_000 };

/** About a tenth of the defaults: a run of minutes sees as many kills as a bad day. */
export const chaosTimeouts: Timeouts = {
  marketplaceMs: 15_000,
  slackMs: 2_000,
  renderLeaseMs: 3_000,
  lateArrivalMs: 3_000,
  sendLeaseMs: 4_000,
  leaseMs: 2_000,
  jobLockMs: 3_000,
  firstRetryMs: 1_000,
  requeueAfterMs: 1_000,
};

/** How large a run is. */
export interface ChaosSettings {
  readonly seed: number;
  readonly processes: number;
  readonly campaigns: number;
  /** All tasks that are submitted, the backlog included. */
  readonly tasks: number;
  /** Tasks that are submitted before the bots start: more than get a card at first. */
  readonly backlog: number;
  readonly decisions: number;
  readonly messages: number;
  readonly kills: number;
  readonly redisKills: number;
  /** How long Redis stays down the last time, in ms; it is back within seconds the other times. */
  readonly redisDownMs: number;
  /** The share of calls to Slack, of calls to the marketplace and of Slack's deliveries that fail. */
  readonly failureRate: number;
  /** How long tasks come in and decisions are made, in ms. */
  readonly spanMs: number;
  /** How long everything may take to settle once the faults are over, in ms. */
  readonly settleWithinMs: number;
}

export const shortSettings: Omit<ChaosSettings, 'seed'> = {
  processes: 2,
  campaigns: 5,
  tasks: 80,
  backlog: 28,
  decisions: 40,
  messages: 10,
  kills: 6,
  redisKills: 1,
  redisDownMs: 2_000,
  failureRate: 0.1,
  spanMs: 15_000,
  settleWithinMs: 60_000,
};

export const longSettings: Omit<ChaosSettings, 'seed'> = {
  processes: 3,
  campaigns: 40,
  tasks: 2_000,
  backlog: 240,
  decisions: 1_500,
  messages: 120,
  kills: 66,
  redisKills: 5,
  redisDownMs: 60_000,
  failureRate: 0.1,
  spanMs: 240_000,
  settleWithinMs: 180_000,
};
