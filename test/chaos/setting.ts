import type { Intervals } from '../../src/features.ts';
import type { RateLimits } from '../../src/store/rate-limiter.ts';
import type { Timeouts } from '../../src/store/timeouts.ts';

/** Posts come as fast as Slack's stand-in takes them: what is tested is order, not speed. */
export const chaosPace: RateLimits = { channelMs: 5, workspaceMs: 5, csvBytesPerMinute: 1_000_000_000 };

/** What is slow comes often, so that a run sees it many times. */
export const chaosRhythm: Intervals = { sweepMs: 10_000, pauseMs: 2_000 };

/** The defaults in proportion, about a tenth: a run of minutes has the kills of a bad day. */
export const chaosPatience: Timeouts = {
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
export interface Setting {
  readonly seed: number;
  readonly processes: number;
  readonly campaigns: number;
  readonly tasks: number;
  readonly decisions: number;
  readonly messages: number;
  readonly kills: number;
  readonly redisKills: number;
  /** How long Redis stays away the last of those times, in ms; the others are over after a moment. */
  readonly redisAwayMs: number;
  /** Of the calls to Slack and the marketplace, and of the deliveries. */
  readonly failing: number;
  /** Over how long tasks come in and decisions are made, in ms. */
  readonly spanMs: number;
  /** How long everything may take to settle once nothing fails any more, in ms. */
  readonly quietWithinMs: number;
}

export const shortSetting: Omit<Setting, 'seed'> = {
  processes: 2,
  campaigns: 5,
  tasks: 60,
  decisions: 40,
  messages: 3,
  kills: 6,
  redisKills: 1,
  redisAwayMs: 2_000,
  failing: 0.1,
  spanMs: 15_000,
  quietWithinMs: 60_000,
};

export const longSetting: Omit<Setting, 'seed'> = {
  processes: 3,
  campaigns: 40,
  tasks: 2_000,
  decisions: 1_500,
  messages: 30,
  kills: 60,
  redisKills: 5,
  redisAwayMs: 60_000,
  failing: 0.1,
  spanMs: 240_000,
  quietWithinMs: 240_000,
};
