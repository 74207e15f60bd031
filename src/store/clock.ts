import { uptime } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { messageOf } from '../errors.ts';
import { createThrottledWarning, type Logger } from '../logger.ts';
import { clockKey } from './keys.ts';

/** Interval at which the time is compared with Redis's (ms). */
const defaultSampleEveryMs = 1_000;

/** Wait before retrying a clock that could not be read (ms). */
const retryMs = 500;

const unreadable = "Redis's clock cannot be read";

/** A clock that is off by more than this was set, or its process was suspended (ms). */
export const clockJumpMs = 1_000;

/** A sample whose answer took longer than this is too inexact to judge a clock by (ms). */
const longestAnswerMs = 500;

/** Redis's own clock is trusted when it agrees with Slack's within this (ms). */
const agreementMs = 60_000;

/** While Redis's own clock is trusted, the correction shrinks by this share of the elapsed time. */
const slewRate = 1 / 20;

/** The clock of the bot, the same in every process: Redis's, corrected for its steps. */
export interface Clock {
  /** Returns the time (ms since 1970). */
  readonly now: () => number;
  /** Compares the time with Redis's clock, as soon as Redis answers, and then about once a second. */
  start(signal?: AbortSignal): Promise<void>;
  stop(): void;
}

/** Redis's answer: its own time, the correction to it, and the latest time that any process has vouched for (ms). */
export interface Sample {
  readonly raw: number;
  readonly correction: number;
  readonly vouched: number | undefined;
}

/**
 * Returns the correction that makes a sample right. Pure.
 *
 * Time that deviates from what this process expects means that Redis's clock was set, or that this process is wrong because
 * its machine stood still unnoticed. In the latter case other processes have vouched for the new time.
 *
 * @param expected the time by this process; undefined when it has just started: time must not go back then
 */
export function correctionFor({ raw, correction, vouched }: Sample, expected: number | undefined): number {
  const now = raw + correction;
  if (expected === undefined)
    return vouched !== undefined && vouched > now + clockJumpMs ? vouched - raw : correction;
  if (Math.abs(now - expected) <= clockJumpMs) return correction;
  const [from, to] = now > expected ? [expected + clockJumpMs, now] : [now - 2 * clockJumpMs, now];
  const isVouched = vouched !== undefined && vouched > from && vouched <= to + clockJumpMs;
  return isVouched ? correction : expected - raw;
}

/** Prelude of every script. KEYS: clock. */
const readClock = `
local time = redis.call('TIME')
local raw = time[1] * 1000 + math.floor(time[2] / 1000)
local correction = tonumber(redis.call('HGET', KEYS[1], 'correction') or '0')
local function vouch() redis.call('HSET', KEYS[1], 'vouched', string.format('%.0f', raw + correction)) end`;

/**
 * Reads the clock. ARGV: the time that the process expects, or ''; the tolerance. Vouches for the time when it is as
 * expected. Returns Redis's own time, the correction, and the time vouched for before.
 */
const sampleScript = `${readClock}
local vouched = redis.call('HGET', KEYS[1], 'vouched')
if ARGV[1] ~= '' and math.abs(raw + correction - ARGV[1]) <= tonumber(ARGV[2]) then vouch() end
return { raw, correction, vouched }`;

/**
 * Changes the correction, unless another process has changed it since it was read. ARGV: correction read, new correction,
 * minimum age of the last change (ms).
 */
const correctScript = `${readClock}
if correction ~= tonumber(ARGV[1]) then return 0 end
local changed = tonumber(redis.call('HGET', KEYS[1], 'changed') or '0')
correction = tonumber(ARGV[2])
if math.abs(raw + correction - changed) < tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], 'correction', ARGV[2], 'changed', string.format('%.0f', raw + correction))
vouch()
return 1`;

export interface ClockParts {
  readonly logger: Logger;
  /** How far Slack's clock is ahead of the given time (ms); undefined while unknown. */
  readonly slackAheadOf?: (time: number) => number | undefined;
  /** Called when Redis's clock was set: times to live in Redis are then wrong. */
  readonly onRedisStep?: () => void;
  readonly sampleEveryMs?: number;
}

/**
 * Creates the clock of this process. Between samples, and while Redis is unavailable, it counts elapsed time, so that
 * neither this machine's clock nor Redis's makes it jump.
 */
export function createClock(
  redis: Redis,
  { logger, slackAheadOf, onRedisStep, sampleEveryMs = defaultSampleEveryMs }: ClockParts,
): Clock {
  const warn = createThrottledWarning(logger);
  const elapsed = createElapsed();
  let anchor = { time: Date.now(), elapsed: elapsed() };
  let lastCorrection: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const now = () => Math.round(anchor.time + elapsed() - anchor.elapsed);

  async function correct(from: number, to: number, sinceMs = 0): Promise<boolean> {
    return (await redis.eval(correctScript, 1, clockKey, from, Math.round(to), sinceMs)) === 1;
  }

  /** Compares the time with Redis's clock. Returns false when it must be sampled again. */
  async function sample(): Promise<boolean> {
    const sentAt = elapsed();
    const isFirst = lastCorrection === undefined;
    const answer = await redis.eval(sampleScript, 1, clockKey, isFirst ? '' : now(), clockJumpMs);
    const answeredAt = elapsed();
    if (!isFirst && answeredAt - sentAt > longestAnswerMs) return true;
    const [raw, correction, vouched] = answer as [number, number, string | null];
    const found = {
      raw: raw + (answeredAt - sentAt) / 2,
      correction,
      vouched: vouched == null ? undefined : Number(vouched),
    };
    const right = correctionFor(found, isFirst ? undefined : now());
    if (right !== correction) {
      if (await correct(correction, right)) {
        const seconds = Math.round((correction - right) / 1_000);
        logger.warn({ seconds }, "Redis's clock was set; the time of the bot goes on as before");
      }
      return false;
    }
    const time = found.raw + correction;
    const isSet = lastCorrection !== undefined && Math.abs(correction - lastCorrection) > clockJumpMs;
    anchor = { time, elapsed: answeredAt };
    lastCorrection = correction;
    if (isSet) onRedisStep?.();
    // Vouches for the time immediately: another starting process may need it.
    if (isFirst) return false;
    await slew(time, correction);
    return true;
  }

  /** Shrinks the correction while Slack's clock agrees with Redis's own. */
  async function slew(time: number, correction: number): Promise<void> {
    const ahead = slackAheadOf?.(time);
    if (correction === 0 || ahead === undefined || Math.abs(ahead + correction) > agreementMs) return;
    const most = sampleEveryMs * slewRate;
    await correct(correction, correction - Math.max(-most, Math.min(most, correction)), sampleEveryMs * 0.9);
  }

  async function sampleUntilAgreed(): Promise<void> {
    while (!(await sample()));
  }

  return {
    now,
    async start(signal) {
      for (;;) {
        try {
          await sampleUntilAgreed();
          break;
        } catch (error) {
          if (signal?.aborted) throw error;
          warn({ reason: messageOf(error) }, unreadable);
          await delay(retryMs, undefined, signal ? { signal } : {});
        }
      }
      let isSampling = false;
      timer = setInterval(() => {
        if (isSampling) return;
        isSampling = true;
        sampleUntilAgreed()
          .catch((error: unknown) => warn({ reason: messageOf(error) }, unreadable))
          .finally(() => {
            isSampling = false;
          });
      }, sampleEveryMs);
      timer.unref();
    },
    stop() {
      clearInterval(timer);
    },
  };
}

/** The machine's uptime is read at most this often (ms): reading it costs more than everything else that tells the time. */
const uptimeEveryMs = 25;

/**
 * Creates a monotonic count of elapsed time (ms), unaffected by clock changes. The precise count may stand still while the
 * machine is suspended; the machine's uptime does not.
 */
function createElapsed(): () => number {
  const startedAt = performance.now() - uptime() * 1_000;
  let suspended = 0;
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const precise = performance.now();
    if (precise - askedAt >= uptimeEveryMs) {
      askedAt = precise;
      const behind = uptime() * 1_000 + startedAt - precise;
      if (behind - suspended > clockJumpMs) suspended = behind;
    }
    return precise + suspended;
  };
}
