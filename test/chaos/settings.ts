import { readConfig } from '../../src/config.ts';
import { defaultIntervals, type Intervals } from '../../src/feature-context.ts';
import { maxRequestsPerSecond } from '../../src/marketplace/api-assumptions.ts';
import { defaultRateLimits, type RateLimits } from '../../src/store/rate-limiter.ts';
import { defaultTimeouts, type Timeouts } from '../../src/store/timeouts.ts';

/**
 * How many times faster than in production everything goes: every timeout, lease, interval and rate limit of the bot, the
 * poll, Undo, the rate limits of both sandboxes, and the schedule of outages. What the promise allows for afterwards
 * (`settleWithinMs`) is not shortened.
 */
export const timeScale = 10;

function faster<T extends object>(times: T): T {
  return Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, Number(ms) / timeScale])) as T;
}

/** The least by which a bot starts: all else is as shipped. */
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
  csvBytesPerMinute: defaultRateLimits.csvBytesPerMinute * timeScale,
};
/** How far apart Slack takes updates of messages: 50 a minute. */
export const slackUpdateMs = 60_000 / 50 / timeScale;
export const chaosRequestsPerSecond = maxRequestsPerSecond * timeScale;
/** POLL_SECONDS and UNDO_SECONDS by default. */
export const chaosPollSeconds = 30 / timeScale;
export const chaosUndoSeconds = 10 / timeScale;

/** OPEN_CARDS by default: the window of the channels of the shared account. The other account's channel has no limit. */
export const openCardsShipped = readConfig(leastEnvironment).openCards;

/** How large a run is. */
export interface ChaosSettings {
  readonly seed: number;
  readonly processes: number;
  readonly campaigns: number;
  /** All tasks that are submitted, the backlog included. */
  readonly tasks: number;
  /** Tasks that are submitted before the bots start: more than the windows have room for. */
  readonly backlog: number;
  readonly decisions: number;
  readonly messages: number;
  /** How many days there are. After each one all faults end, and everything has to settle. */
  readonly days: number;
  /** How long a day's outages last together, in ms; the hours without any are left out. */
  readonly dayMs: number;
  /** How many processes are killed at fault points, besides the schedule. */
  readonly kills: number;
  /**
   * How long people go on after the day's outages, in ms, while single calls still fail and processes are killed at what they
   * do: during the outages most of what they try cannot be accepted.
   */
  readonly eveningMs: number;
  readonly eveningDecisions: number;
  /** How long they go on at the most, when nothing fails any more, until each act was done that a run is to exercise, in ms. */
  readonly lastActsMs: number;
  /** Tasks of the shared account that are submitted at the beginning of the evening: there is something left to do. */
  readonly eveningTasks: number;
  readonly eveningKills: number;
  /** The share of calls to Slack, of calls to the marketplace and of Slack's deliveries that fail, besides the schedule. */
  readonly failureRate: number;
  /** How long everything may take to settle once all faults are over, besides what Slack's rate limits take, in ms. */
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
