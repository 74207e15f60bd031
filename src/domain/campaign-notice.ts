import { z } from 'zod';
import { type MessageRef, Mirrored, type PostEvent, postTransition } from './live-message.ts';
import { CampaignId, ChannelId, campaignStatuses } from './terms.ts';

/** A campaign that is as it was not before, and when (ms) that was confirmed. */
export const CampaignChange = z
  .object({ campaign: CampaignId, status: z.enum(campaignStatuses), at: z.number() })
  .readonly();
export type CampaignChange = z.infer<typeof CampaignChange>;

/** How many changes one message remembers: it counts the others. */
export const maxChanges = 50;

/** The latest message in a channel that tells of campaigns that have finished, paused or are blocked. */
export const CampaignNotice = z
  .object({
    channel: ChannelId,
    changes: z.array(CampaignChange).readonly(),
    /** How many there were besides. */
    others: z.number(),
    /** When the last of them was added (ms). */
    changedAt: z.number(),
    ...Mirrored.unwrap().shape,
  })
  .readonly();
export type CampaignNotice = z.infer<typeof CampaignNotice>;

export type CampaignNoticeEvent =
  | {
      readonly type: 'changed';
      readonly channel: ChannelId;
      readonly changes: readonly CampaignChange[];
      readonly at: number;
    }
  /** It was found in the channel, and tells of these. */
  | {
      readonly type: 'found';
      readonly messageRef: MessageRef;
      readonly changes: readonly CampaignChange[];
    }
  | PostEvent;

/** What changes within this time (ms) of the last change is added to the same message. */
const mergeMs = 60_000;

/** Applies an event. Returns the changed notice, or undefined when nothing changes: each change is told once. Pure. */
export function applyCampaignNoticeEvent(
  before: CampaignNotice | undefined,
  event: CampaignNoticeEvent,
): CampaignNotice | undefined {
  if (event.type === 'changed') return changed(before, event);
  if (before === undefined) return undefined;
  if (event.type === 'found') {
    const says = new Set(event.changes.map(keyOf));
    const isThis = before.card.state === 'wanted' && before.changes.every((one) => says.has(keyOf(one)));
    return isThis ? { ...before, card: { state: 'posted', ...event.messageRef } } : undefined;
  }
  const card = postTransition(before.card, event, { isNeeded: false });
  return card && { ...before, card };
}

function changed(
  before: CampaignNotice | undefined,
  { channel, changes, at }: Extract<CampaignNoticeEvent, { type: 'changed' }>,
): CampaignNotice | undefined {
  const known = new Set(before?.changes.map(keyOf));
  const added = changes.filter((one) => !known.has(keyOf(one)));
  if (added.length === 0) return undefined;
  const isOpen =
    before !== undefined &&
    (before.card.state === 'wanted' ||
      (before.card.state === 'posted' && at - before.changedAt < mergeMs && at >= before.changedAt));
  const all = isOpen ? [...before.changes, ...added] : added;
  return {
    channel,
    changes: all.slice(0, maxChanges),
    others: (isOpen ? before.others : 0) + Math.max(0, all.length - maxChanges),
    changedAt: at,
    card: isOpen ? before.card : { state: 'wanted' },
    revision: (before?.revision ?? 0) + 1,
  };
}

function keyOf({ campaign, status, at }: CampaignChange): string {
  return `${campaign} ${status} ${at}`;
}
