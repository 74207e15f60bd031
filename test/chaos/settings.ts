import { readConfig } from '../../src/config.ts';
import { defaultIntervals, type Intervals } from '../../src/feature-context.ts';
import { maxRequestsPerSecond } from '../../src/marketplace/api-assumptions.ts';
import { defaultRateLimits, type RateLimits } from '../../src/store/rate-limiter.ts';
import { defaultTimeouts, type Timeouts } from '../../src/store/timeouts.ts';

/**
 * How many times faster than in production everything runs: every timeout, lease, interval and rate limit of the bot, the
 * poll, Undo, the rate limits of both sandboxes, and the schedule of outages. The promised time to settle afterwards
 * (`settleWithinMs`) is not scaled.
 */
export const timeScale = 10;

function faster<T extends object>(times: T): T {
  return Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, Number(ms) / timeScale])) as T;
}

/** The minimal environment for a bot; everything else is as shipped. */
const leastEnvironment = {
  SLACK_BOT_TOKEN: 'xoxb-sandbox',
  SLACK_APP_TOKEN: 'xapp-sandbox',
  MARKETPLACE_BASE_URL: 'http://localhost',
};

export const chaosTimeouts: Timeouts = faster(defaultTimeouts);
export const chaosIntervals: Intervals = faster(defaultIntervals);
export const chaosRateLimits: RateLimits = {
  channelMs: defaultRateLimits.channelMs / timeScale,
  workspaceMs: defaultRateLimits.workspaceMs / timeScale,
  backgroundMs: defaultRateLimits.backgroundMs / timeScale,
  csvBytesPerMinute: defaultRateLimits.csvBytesPerMinute * timeScale,
};
/** The minimum interval between message updates under Slack's limit: 50 a minute. */
export const slackUpdateMs = 60_000 / 50 / timeScale;
export const chaosRequestsPerSecond = maxRequestsPerSecond * timeScale;
/** The defaults of POLL_SECONDS and UNDO_SECONDS, scaled. */
export const chaosPollSeconds = 30 / timeScale;
export const chaosUndoSeconds = 10 / timeScale;

/** The default of OPEN_CARDS: the window of the shared account's channels. The other account's channel has no limit. */
export const openCardsShipped = readConfig(leastEnvironment).openCards;

/** The size of a run. */
export interface ChaosSettings {
  readonly seed: number;
  readonly processes: number;
  readonly campaigns: number;
  /** The number of all submitted tasks, including the backlog. */
  readonly tasks: number;
  /** The number of tasks submitted before the bots start: more than fit in the windows. */
  readonly backlog: number;
  readonly decisions: number;
  readonly messages: number;
  /** The number of days. After each one, all faults end, and everything has to settle. */
  readonly days: number;
  /** The length of a day's outages in total, in ms; hours without outages are omitted. */
  readonly dayMs: number;
  /** How many processes are killed at fault points, in addition to the schedule. */
  readonly kills: number;
  /**
   * How long people continue after the day's outages, in ms, while single calls still fail and processes are killed at work.
   * Needed because most acts during the outages cannot be accepted.
   */
  readonly eveningMs: number;
  readonly eveningDecisions: number;
  /** The maximum time, in ms, that they continue without failures until each act that a run must exercise was done. */
  readonly lastActsMs: number;
  /** The number of tasks submitted to the shared account at the beginning of the evening, so that there is work left. */
  readonly eveningTasks: number;
  readonly eveningKills: number;
  /** The share of calls to Slack, calls to the marketplace and Slack's deliveries that fail in addition to the schedule. */
  readonly failureRate: number;
  /** How long everything may take to settle once all faults are over, in addition to Slack's rate limits, in ms. */
  readonly settleWithinMs: number;
}

export const shortSettings: Omit<ChaosSettings, 'seed'> = {
  processes: 2,
  campaigns: 6,
  tasks: 160,
  backlog: 60,
  decisions: 90,
  messages: 10,
  days: 1,
  dayMs: 24_000,
  kills: 4,
  eveningMs: 10_000,
  eveningDecisions: 150,
  lastActsMs: 60_000,
  eveningTasks: 60,
  eveningKills: 4,
  failureRate: 0.1,
  settleWithinMs: 60_000,
};

/** A week. */
export const longSettings: Omit<ChaosSettings, 'seed'> = {
  processes: 3,
  campaigns: 40,
  tasks: 20_000,
  backlog: 1_000,
  decisions: 3_500,
  messages: 400,
  days: 7,
  dayMs: 150_000,
  kills: 140,
  eveningMs: 60_000,
  eveningDecisions: 4_000,
  lastActsMs: 60_000,
  eveningTasks: 0,
  eveningKills: 70,
  failureRate: 0.1,
  settleWithinMs: 60_000,
};
