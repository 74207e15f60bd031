import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import type { Logger } from '../logger.ts';

/** The first and the longest backoff before a listener is retried; each one is twice the previous one. */
const defaultWaits = { firstMs: 500, longestMs: 15_000 };

/** Most events that wait. */
const defaultLimit = 1_000;

export interface EventRetryOptions {
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** Called with each attempt, so that a stop waits for it; a stop does not wait for the backoff between attempts. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
  /** Aborted when the app stops. */
  readonly signal: AbortSignal;
  readonly waits?: { readonly firstMs: number; readonly longestMs: number };
  readonly limit?: number;
}

export type EventRetry = ReturnType<typeof createEventRetry>;

/**
 * Creates retries for events. Slack does not repeat an acked event, and most are acked before their listener runs, so the
 * listener is retried here until it succeeds or the app stops, such as while Redis is unreachable. Only for listeners that
 * may run twice.
 *
 * Events with the same topic run in their order of arrival, so that "removed" and "invited again" are not swapped by a
 * retry. When too many wait, the oldest is dropped. Only that, and each event's first failure, is logged.
 */
export function createEventRetry({
  logger,
  track,
  signal,
  waits = defaultWaits,
  limit = defaultLimit,
}: EventRetryOptions) {
  /** Functions that drop the pending events, in order of arrival. */
  const pending = new Set<() => void>();
  /** The last event of each topic; settles when it is done or dropped. */
  const lastByTopic = new Map<string, Promise<unknown>>();

  async function runUntilDone(
    what: string,
    run: () => Promise<void>,
    dropped: AbortSignal,
  ): Promise<boolean> {
    for (let attempt = 0; !dropped.aborted; attempt++) {
      try {
        await track(run());
        return true;
      } catch (error) {
        if (attempt === 0) {
          logger.warn({ what, reason: messageOf(error) }, 'event failed, retrying');
        }
        const pause = Math.min(waits.firstMs * 2 ** attempt, waits.longestMs);
        await delay(pause, undefined, { signal: dropped, ref: false }).catch(() => undefined);
      }
    }
    return false;
  }

  /**
   * Runs a listener until it succeeds. Resolves to true when it is done, to false when it was dropped; never rejects.
   * @param topic such as a channel or a message: events of one topic wait for each other
   * @param what the event's name in the log
   */
  return function retryEvent(topic: string, what: string, run: () => Promise<void>): Promise<boolean> {
    const end = new AbortController();
    const drop = () => {
      logger.error({ what }, 'event dropped, too many waiting');
      pending.delete(drop);
      end.abort();
    };
    pending.add(drop);
    if (pending.size > limit) pending.values().next().value?.();

    const before = lastByTopic.get(topic) ?? Promise.resolve();
    const work = before
      .then(() => runUntilDone(what, run, AbortSignal.any([signal, end.signal])))
      .then((isDone) => {
        pending.delete(drop);
        if (lastByTopic.get(topic) === work) lastByTopic.delete(topic);
        return isDone;
      });
    lastByTopic.set(topic, work);
    return work;
  };
}
