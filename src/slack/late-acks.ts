import { setTimeout as delay } from 'node:timers/promises';
import type { App, ReceiverEvent } from '@slack/bolt';
import type { Logger } from '../logger.ts';
import { NotStored } from './not-stored.ts';
import { threadReplyOf } from './thread-replies.ts';

/** An event not stored within this time is not acked (ms): Slack waits for 3 seconds. */
const storedWithinMs = 2_000;

/**
 * Most events per hour that are left unacked: Slack stops delivering events to an app that fails nearly all of more than
 * 1,000 in an hour.
 */
const mostLeft = 200;
const hourMs = 3_600_000;

export interface LateAckOptions {
  readonly logger: Pick<Logger, 'warn'>;
  readonly now: () => number;
  readonly withinMs?: number;
  readonly mostLeft?: number;
}

type ProcessEvent = App['processEvent'];

/**
 * Wraps the processing of Slack's payloads, so that a reply in a thread is acked only once it is stored. A reply that cannot
 * be stored in time, such as while Redis is unavailable, is not acked: Slack redelivers it, at once, after a minute and
 * after five, to any process. This process keeps trying meanwhile; the reply takes effect once. Throws NotStored for
 * payloads that must not be acked.
 */
export function ackRepliesLate(
  processEvent: ProcessEvent,
  { logger, now, withinMs = storedWithinMs, mostLeft: most = mostLeft }: LateAckOptions,
): ProcessEvent {
  const leftAt: number[] = [];

  /** Returns whether one more event may be left unacked. */
  function mayLeave(): boolean {
    // Times in the future date from before the clock was set back.
    const isOver = (at: number) => at <= now() - hourMs || at > now();
    while (leftAt[0] !== undefined && isOver(leftAt[0])) leftAt.shift();
    if (leftAt.length >= most) return false;
    leftAt.push(now());
    return true;
  }

  return async (event) => {
    if (!isReply(event)) return processEvent(event);
    const stored = processEvent({ ...event, ack: async () => undefined }).then(
      () => true,
      () => false,
    );
    const ending = new AbortController();
    const late = delay(withinMs, false, { signal: ending.signal, ref: false }).catch(() => false);
    const isStored = await Promise.race([stored, late]);
    ending.abort();
    if (!isStored && mayLeave()) {
      logger.warn({ what: 'thread reply', retry: event.retryNum ?? 0 }, 'event not stored, left to Slack');
      throw new NotStored('the event is not stored yet');
    }
    await event.ack();
  };
}

/** Returns whether a payload is an event about a reply in a thread. */
function isReply({ body }: Pick<ReceiverEvent, 'body'>): boolean {
  const {
    type,
    team_id: team,
    event,
  } = body as {
    readonly type?: unknown;
    readonly team_id?: unknown;
    readonly event?: { readonly type?: unknown; readonly channel?: unknown };
  };
  if (type !== 'event_callback' || event?.type !== 'message') return false;
  if (typeof team !== 'string' || typeof event.channel !== 'string') return false;
  try {
    return threadReplyOf(team, event.channel, event) !== undefined;
  } catch {
    return false;
  }
}
