import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import type { Logger } from '../logger.ts';

/** The first wait before a listener is tried again, and the longest; each wait doubles the one before. */
const defaultWaits = { firstMs: 500, longestMs: 15_000 };

/** So many events wait at most. */
const defaultLimit = 1_000;

export interface EventRetryOptions {
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** Told of each attempt, so that a stop waits for it; a pause between two keeps no stop waiting. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
  /** Aborted when the app stops. */
  readonly signal: AbortSignal;
  readonly waits?: { readonly firstMs: number; readonly longestMs: number };
  readonly limit?: number;
}

export type EventRetry = ReturnType<typeof createEventRetry>;

/**
 * Slack does not repeat an event that was acked, and Bolt acks before anything is done: what the event asks for is
 * tried here until it succeeds or the app stops, such as while Redis is away. Only for listeners that may be run twice.
 *
 * Events about one thing are taken in the order they came: one that is tried again does not overtake, nor is it
 * overtaken, so that "removed" and "invited again" end the same way round. When too many wait, the one that has waited
 * longest is given up; that, and each event's first failure, is logged, nothing else.
 */
export function createEventRetry({
  logger,
  track,
  signal,
  waits = defaultWaits,
  limit = defaultLimit,
}: EventRetryOptions) {
  /** How to give up each event that is not done, in the order they came. */
  const pending = new Set<() => void>();
  /** The last event about each thing, which settles when it is done or given up. */
  const lastByTopic = new Map<string, Promise<void>>();

  async function runUntilDone(what: string, run: () => Promise<void>, dropped: AbortSignal): Promise<void> {
    for (let attempt = 0; !dropped.aborted; attempt++) {
      try {
        await track(run());
        return;
      } catch (error) {
        if (attempt === 0) {
          logger.warn({ what, reason: messageOf(error) }, 'an event could not be dealt with; trying again');
        }
        const pause = Math.min(waits.firstMs * 2 ** attempt, waits.longestMs);
        await delay(pause, undefined, { signal: dropped, ref: false }).catch(() => undefined);
      }
    }
  }

  /**
   * Runs what an event asks for, again and again until it is done.
   * @param about what it is about, such as a channel or a message: events about the same wait for each other
   * @param what how the log calls it
   * @returns settles when it is done or given up; never rejects
   */
  return function retryEvent(about: string, what: string, run: () => Promise<void>): Promise<void> {
    const end = new AbortController();
    const drop = () => {
      logger.error({ what }, 'an event was given up: too many wait');
      pending.delete(drop);
      end.abort();
    };
    pending.add(drop);
    if (pending.size > limit) pending.values().next().value?.();

    const before = lastByTopic.get(about) ?? Promise.resolve();
    const work = before
      .then(() => runUntilDone(what, run, AbortSignal.any([signal, end.signal])))
      .then(() => {
        pending.delete(drop);
        if (lastByTopic.get(about) === work) lastByTopic.delete(about);
      });
    lastByTopic.set(about, work);
    return work;
  };
}
