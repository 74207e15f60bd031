import { z } from 'zod';
import { Mirrored, type PostEvent, postTransition } from './live-message.ts';
import { MemberId } from './terms.ts';

/**
 * A direct message about a request: it asks a member who may answer it, or tells whoever asked what became of it. It has a
 * copy of the request, which is removed once it has ended.
 */
export interface RequestMessage<T> extends Mirrored {
  readonly member: MemberId;
  readonly request: T;
  /** When the request last changed (ms). */
  readonly changedAt: number;
}

export type RequestMessageEvent<T> =
  /** A member is asked, or told. */
  | { readonly type: 'told'; readonly member: MemberId; readonly request: T; readonly at: number }
  /** The request has gone on: who was told of it reads that. */
  | { readonly type: 'went-on'; readonly request: T; readonly at: number }
  /** Slack does not deliver the message. */
  | { readonly type: 'undeliverable' }
  | PostEvent;

/** Returns the schema of the messages about requests of one kind. */
export function requestMessage<Request extends z.ZodType>(request: Request) {
  return z
    .object({ member: MemberId, request, changedAt: z.number(), ...Mirrored.unwrap().shape })
    .readonly();
}

/**
 * Returns what applies an event to a message about a request. Pure.
 * @param stageOf how far a request has come: it never goes back
 */
export function requestEvents<T>(stageOf: (request: T) => number) {
  return (
    before: RequestMessage<T> | undefined,
    event: RequestMessageEvent<T>,
  ): RequestMessage<T> | undefined => {
    switch (event.type) {
      case 'told': {
        if (before !== undefined) return undefined;
        const { member, request, at } = event;
        return { member, request, changedAt: at, card: { state: 'wanted' }, revision: 1 };
      }
      case 'went-on': {
        if (before === undefined || stageOf(event.request) <= stageOf(before.request)) return undefined;
        // Nobody is asked any more what has been answered.
        const isUnsent = before.card.state === 'wanted' && before.card.attempt === undefined;
        const card = isUnsent ? ({ state: 'gone' } as const) : before.card;
        const { request, at: changedAt } = event;
        return { ...before, request, changedAt, card, revision: before.revision + 1 };
      }
      case 'undeliverable':
        return before && before.card.state !== 'gone' ? { ...before, card: { state: 'gone' } } : undefined;
      default: {
        const card = before && postTransition(before.card, event, { isNeeded: false });
        return before && card && { ...before, card };
      }
    }
  };
}
