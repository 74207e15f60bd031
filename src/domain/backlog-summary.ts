import { z } from 'zod';
import { isShown, type MessageRef, Mirrored, type PostEvent, postTransition } from './live-message.ts';
import { ChannelId } from './terms.ts';

/** The message in a channel that says how many tasks have no card yet. */
export const BacklogSummary = z
  .object({
    channel: ChannelId,
    /** Tasks without a card whose cards would go to this channel. */
    count: z.number(),
    /** Tasks without a card in the whole account at that time: when this number changes, they are counted again. */
    total: z.number(),
    ...Mirrored.unwrap().shape,
  })
  .readonly();
export type BacklogSummary = z.infer<typeof BacklogSummary>;

export type SummaryEvent =
  | { readonly type: 'counted'; readonly channel: ChannelId; readonly count: number; readonly total: number }
  /** It was found in the channel: what it counts is not known. */
  | { readonly type: 'found'; readonly messageRef: MessageRef }
  | PostEvent;

/** What a summary that was found without a record counts, until the tasks are counted again. */
export const unknownCount = -1;

/** Applies an event. Returns the changed summary, or undefined when nothing changes. Pure. */
export function applySummaryEvent(
  before: BacklogSummary | undefined,
  event: SummaryEvent,
): BacklogSummary | undefined {
  if (event.type === 'counted') return counted(before, event);
  if (event.type === 'found') return found(before, event.messageRef);
  if (before === undefined) return undefined;
  const card = postTransition(before.card, event, { isNeeded: before.count > 0 });
  if (card === undefined) return undefined;
  return { ...before, card, revision: before.revision + (event.type === 'card-gone' ? 1 : 0) };
}

function found(before: BacklogSummary | undefined, messageRef: MessageRef): BacklogSummary | undefined {
  // A channel has several in the course of time; only the latest is one.
  if (before?.card.state === 'posted' && before.card.ts >= messageRef.ts) return undefined;
  const card = { state: 'posted', ...messageRef } as const;
  const { channel } = messageRef;
  return {
    channel,
    card,
    count: before?.count ?? unknownCount,
    total: unknownCount,
    revision: before?.revision ?? 0,
  };
}

function counted(
  before: BacklogSummary | undefined,
  { channel, count, total }: Extract<SummaryEvent, { type: 'counted' }>,
): BacklogSummary | undefined {
  const known: BacklogSummary = before ?? {
    channel,
    count: 0,
    total: 0,
    card: { state: 'gone' },
    revision: 0,
  };
  if (known.count === count) return known.total === total ? undefined : { ...known, total };
  return {
    channel,
    card: isShown(known) ? known.card : { state: 'wanted' },
    count,
    total,
    revision: known.revision + 1,
  };
}
