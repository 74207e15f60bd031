import { z } from 'zod';
import { isShown, Mirrored, type PostEvent, withPost } from './live-message.ts';
import { CampaignId, ChannelId } from './terms.ts';

/** After saying for longer than this (ms) that nothing waits, a message is far up, so the next one is posted anew. */
const reusedMs = 3_600_000;

/** Content of a campaign's live message in a channel. */
export const QueueContent = z
  .object({
    /** Number of campaigns it combines (queue-share.ts); absent in the message of one. */
    campaigns: z.number().exactOptional(),
    /** Number of tasks without a card; in a digest, of all waiting tasks. 0 where nothing is counted any more. */
    waiting: z.number(),
    /**
     * In a digest: how many of them have a card, in the channel where the campaign is reviewed. Absent in that channel.
     */
    cards: z.object({ count: z.number(), channel: ChannelId.exactOptional() }).readonly().exactOptional(),
    /** When the oldest of them was finished (ms); absent if unknown. */
    oldest: z.number().exactOptional(),
    /** When the first of them is due (ms); absent if unknown. */
    dueAt: z.number().exactOptional(),
  })
  .readonly();
export type QueueContent = z.infer<typeof QueueContent>;

/**
 * The live message of a campaign in a channel: the tasks beyond the window of open cards, or the whole queue as a
 * digest.
 */
export const QueueMessage = z
  .object({
    channel: ChannelId,
    campaign: CampaignId,
    ...QueueContent.unwrap().shape,
    /** When its content last changed (ms). */
    changedAt: z.number(),
    ...Mirrored.unwrap().shape,
  })
  .readonly();
export type QueueMessage = z.infer<typeof QueueMessage>;

/** The place of a live message: a channel and a campaign. */
export type QueuePlace = Pick<QueueMessage, 'channel' | 'campaign'>;

/** Identifies the live message of a place. */
export const QueueMessageId = z.string().brand<'QueueMessageId'>();
export type QueueMessageId = z.infer<typeof QueueMessageId>;

/** Returns the id of a place's message. */
export function queueMessageId({ channel, campaign }: QueuePlace): QueueMessageId {
  return QueueMessageId.parse(`${channel} ${campaign}`);
}

export type QueueMessageEvent =
  | {
      readonly type: 'counted';
      readonly place: QueuePlace;
      readonly content: QueueContent;
      readonly at: number;
      /** Minimum interval between displayed changes (ms). */
      readonly paceMs: number;
    }
  | PostEvent;

/** Applies an event. Returns the changed message, or undefined when nothing changes. Pure. */
export function applyQueueMessageEvent(
  before: QueueMessage | undefined,
  event: QueueMessageEvent,
): QueueMessage | undefined {
  if (event.type === 'counted') return counted(before, event);
  return before && withPost(before, event, before.waiting > 0);
}

function counted(
  before: QueueMessage | undefined,
  { place, content, at, paceMs }: Extract<QueueMessageEvent, { type: 'counted' }>,
): QueueMessage | undefined {
  if (before === undefined || isOver(before, content, at)) {
    if (content.waiting === 0) return undefined;
    const revision = (before?.revision ?? 0) + 1;
    return { ...place, ...content, changedAt: at, card: { state: 'wanted' }, revision };
  }
  if (says(before) === says(content)) return undefined;
  const isUnposted = before.card.state === 'wanted' && before.card.attempt === undefined;
  const { card } = before;
  // A post that has not begun is no longer needed.
  if (isUnposted && content.waiting === 0)
    return { ...place, ...content, changedAt: at, card: { state: 'gone' }, revision: before.revision };
  const isAtPace = at - before.changedAt >= paceMs;
  if (!isUnposted && !isAtPace) return undefined;
  return { ...place, ...content, changedAt: at, card, revision: before.revision + 1 };
}

/** Returns whether a message is final, so that newly waiting tasks get a new one. */
function isOver(before: QueueMessage, { waiting }: QueueContent, at: number): boolean {
  if (!isShown(before)) return true;
  const isEnded = before.waiting === 0 && waiting > 0;
  return isEnded && before.card.state === 'posted' && at - before.changedAt > reusedMs;
}

/** Returns a message's content as text, for comparison. */
function says({ campaigns, waiting, cards, oldest, dueAt }: QueueContent): string {
  return waiting === 0 ? '' : JSON.stringify([campaigns, waiting, cards, oldest, dueAt]);
}
