import { z } from 'zod';
import { isShown, Mirrored, type PostEvent, withPost } from './live-message.ts';
import { CampaignId, ChannelId, MemberId } from './terms.ts';

/** Tasks that are due within this time (ms) are counted separately. */
export const soonMs = 24 * 3_600_000;

/** After saying for longer than this (ms) that nothing waits, a message is far up, so the next one is posted anew. */
const reusedMs = 3_600_000;

/** Maximum number of reviewers named: those with the most decisions. */
const namedReviewers = 5;

/** Content of a campaign's live message in a channel. */
export const QueueContent = z
  .object({
    /**
     * `waiting`: tasks wait · `posted`: they do, and all have cards · `none`: none does · `elsewhere`: the campaign is no
     * longer reviewed or announced in this channel.
     */
    state: z.enum(['waiting', 'posted', 'none', 'elsewhere']),
    /** Number of campaigns it combines (queue-share.ts); absent in the message of one. */
    campaigns: z.number().exactOptional(),
    /** Number of tasks without a card; in a digest, of all waiting tasks. */
    waiting: z.number(),
    /**
     * In a digest: how many of them have a card, in the channel where the campaign is reviewed. Absent in that channel.
     */
    cards: z.object({ count: z.number(), channel: ChannelId.exactOptional() }).readonly().exactOptional(),
    /** When the oldest of them was finished (ms); absent if unknown. */
    oldest: z.number().exactOptional(),
    /** When the first of them is due (ms); absent if unknown. */
    dueAt: z.number().exactOptional(),
    /** How many of them are due within {@link soonMs}. */
    soon: z.number(),
    /** Who has rated how many of the campaign's tasks today. */
    reviewed: z.array(z.object({ by: MemberId, count: z.number() }).readonly()).readonly(),
    /** Number of other reviewers. */
    otherReviewers: z.number(),
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

/** Empty content: for a place without a message. */
export const noContent: QueueContent = {
  state: 'none',
  waiting: 0,
  soon: 0,
  reviewed: [],
  otherReviewers: 0,
};

/** Returns the reviewers of a message: those named, and the number of others. */
export function namedFirst(all: QueueContent['reviewed']): Pick<QueueContent, 'reviewed' | 'otherReviewers'> {
  return {
    reviewed: all.slice(0, namedReviewers),
    otherReviewers: Math.max(0, all.length - namedReviewers),
  };
}

/** Applies an event. Returns the changed message, or undefined when nothing changes. Pure. */
export function applyQueueMessageEvent(
  before: QueueMessage | undefined,
  event: QueueMessageEvent,
): QueueMessage | undefined {
  if (event.type === 'counted') return counted(before, event);
  return before && withPost(before, event, before.state === 'waiting');
}

function counted(
  before: QueueMessage | undefined,
  { place, content, at, paceMs }: Extract<QueueMessageEvent, { type: 'counted' }>,
): QueueMessage | undefined {
  if (before === undefined || isOver(before, content, at)) {
    if (content.state !== 'waiting') return undefined;
    const revision = (before?.revision ?? 0) + 1;
    return { ...place, ...content, changedAt: at, card: { state: 'wanted' }, revision };
  }
  if (says(before) === says(content)) return undefined;
  const isUnposted = before.card.state === 'wanted' && before.card.attempt === undefined;
  const { card } = before;
  // A post that has not begun is no longer needed.
  if (isUnposted && content.state !== 'waiting')
    return { ...place, ...content, changedAt: at, card: { state: 'gone' }, revision: before.revision };
  const isAtPace = at - before.changedAt >= paceMs;
  if (!isUnposted && !isAtPace) return undefined;
  return { ...place, ...content, changedAt: at, card, revision: before.revision + 1 };
}

/** Returns whether a message is final, so that newly waiting tasks get a new one. */
function isOver(before: QueueMessage, { state }: QueueContent, at: number): boolean {
  if (!isShown(before)) return true;
  const isEnded = before.state !== 'waiting';
  return isEnded && state === 'waiting' && before.card.state === 'posted' && at - before.changedAt > reusedMs;
}

/** Returns a message's content as text, for comparison. */
function says({ state, campaigns, waiting, cards, oldest, dueAt, soon, ...rest }: QueueContent): string {
  const counts = state === 'waiting' ? [campaigns, waiting, cards, oldest, dueAt, soon] : [];
  return JSON.stringify([state, ...counts, rest.reviewed, rest.otherReviewers]);
}
