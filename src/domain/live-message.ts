import { z } from 'zod';
import { ChannelId } from './terms.ts';

/** The channel and timestamp that identify a message in Slack. */
export const MessageRef = z.object({ channel: ChannelId, ts: z.string() }).readonly();
export type MessageRef = z.infer<typeof MessageRef>;

/**
 * A post whose outcome is unknown: where and when (ms) it began, the same time on Slack's clock if known, and the round
 * of the task it shows.
 */
export const PostAttempt = z
  .object({
    channel: ChannelId,
    at: z.number(),
    slackAt: z.number().exactOptional(),
    round: z.number().exactOptional(),
    /** A message deleted meanwhile: perhaps this post, whose answer has not arrived yet. */
    deletedTs: z.string().exactOptional(),
  })
  .readonly();
export type PostAttempt = z.infer<typeof PostAttempt>;

/**
 * Places of the message before it moved from lost channels. If such a channel comes back, the message there links to the
 * new place.
 */
const Former = { former: z.array(MessageRef).readonly().exactOptional() };

/**
 * State of the message that mirrors a record: `backlog` waits for a place in its channel's window · `wanted` is to be
 * posted, in `channel` if its window has a place for it; with `attempt`, a post has begun and its outcome is unknown ·
 * `posted` · `gone`: deleted, and no longer needed.
 */
export const CardState = z
  .discriminatedUnion('state', [
    z.object({ state: z.literal('backlog'), ...Former }),
    z.object({
      state: z.literal('wanted'),
      channel: ChannelId.exactOptional(),
      attempt: PostAttempt.exactOptional(),
      ...Former,
    }),
    z.object({ state: z.literal('posted'), ...MessageRef.unwrap().shape, ...Former }),
    z.object({ state: z.literal('gone'), ...Former }),
  ])
  .readonly();
export type CardState = z.infer<typeof CardState>;

/** Fields of every record mirrored by a message. */
export const Mirrored = z
  .object({
    card: CardState,
    /** Counts the changes the message must show. */
    revision: z.number(),
  })
  .readonly();
export type Mirrored = z.infer<typeof Mirrored>;

/** Events of a record's message. Times are milliseconds since 1970. */
export type PostEvent =
  | {
      readonly type: 'posting';
      readonly channel: ChannelId;
      readonly at: number;
      /** The same time on Slack's clock. */
      readonly slackAt?: number;
    }
  | { readonly type: 'not-posted' }
  /**
   * The message is there: it was just posted, or somebody has clicked it. If the record has another place, this one becomes
   * a former place.
   */
  | { readonly type: 'posted'; readonly messageRef: MessageRef }
  /** Somebody deleted the message. */
  | { readonly type: 'card-gone'; readonly messageRef: MessageRef }
  /** Its channel is deleted or archived, or the bot was removed: it is posted again in another one. */
  | { readonly type: 'channel-lost'; readonly channel: ChannelId }
  /** Slack has given a channel another id: its messages are still there. */
  | { readonly type: 'channel-id-changed'; readonly from: ChannelId; readonly to: ChannelId }
  /** The message at a former place now links to the new one, or is gone. */
  | { readonly type: 'former-retired'; readonly messageRef: MessageRef };

/** Maximum number of former places stored. */
const maxFormer = 10;

/**
 * Applies a post's event to the state of a message. Pure.
 * @param isNeeded whether a deleted message is to be posted again
 * @param round the round of the task shown by a post
 * @returns undefined if the event does not apply, or no longer does
 */
export function postTransition(
  card: CardState,
  event: PostEvent,
  { isNeeded, round }: { readonly isNeeded: boolean; readonly round?: number },
): CardState | undefined {
  switch (event.type) {
    case 'posting': {
      if (card.state !== 'wanted') return undefined;
      const { channel, at, slackAt } = event;
      const known = slackAt === undefined ? {} : { slackAt };
      const attempt = { channel, at, ...known, ...(round === undefined ? {} : { round }) };
      return { ...card, attempt };
    }
    case 'not-posted': {
      if (card.state !== 'wanted') return undefined;
      const { attempt: _, ...rest } = card;
      return rest;
    }
    case 'posted': {
      if (card.state !== 'posted') return postedAt(card, event.messageRef, isNeeded);
      const known = [card, ...formerOf(card)];
      if (known.some((place) => isSame(place, event.messageRef))) return undefined;
      return { ...card, ...withFormer([...formerOf(card), event.messageRef]) };
    }
    case 'card-gone':
      if (card.state === 'wanted') return withDeleted(card, event.messageRef);
      if (card.state !== 'posted' || !isSame(card, event.messageRef)) return undefined;
      return deleted(card, card.channel, isNeeded);
    case 'channel-lost': {
      if (card.state !== 'posted' || card.channel !== event.channel) return undefined;
      const { channel, ts } = card;
      return { state: 'wanted', ...withFormer([...formerOf(card), { channel, ts }]) };
    }
    case 'channel-id-changed':
      return namesChannel(card, event.from) ? withChannelId(card, event.from, event.to) : undefined;
    case 'former-retired': {
      const former = formerOf(card);
      const left = without(former, event.messageRef);
      if (left.length === former.length) return undefined;
      const { former: _, ...rest } = card;
      return { ...rest, ...withFormer(left) };
    }
  }
}

/**
 * Returns a record after an event of its post; undefined when nothing changes. A deleted message that is posted again shows
 * the current state.
 * @param isNeeded whether a deleted message is to be posted again
 */
export function withPost<R extends Mirrored>(before: R, event: PostEvent, isNeeded: boolean): R | undefined {
  const card = postTransition(before.card, event, { isNeeded });
  return card && { ...before, card, revision: before.revision + (event.type === 'card-gone' ? 1 : 0) };
}

/** Returns whether a record names a channel. */
export function namesChannel(record: unknown, channel: ChannelId): boolean {
  return JSON.stringify(record).includes(`"channel":"${channel}"`);
}

/** Returns a record in which a channel has another id, in all places of messages. */
export function withChannelId<R>(record: R, from: ChannelId, to: ChannelId): R {
  const text = JSON.stringify(record);
  return JSON.parse(text, (key, value) => (key === 'channel' && value === from ? to : value)) as R;
}

function postedAt(card: CardState, place: MessageRef, isNeeded: boolean): CardState {
  const { channel, ts } = place;
  const attempt = card.state === 'wanted' ? card.attempt : undefined;
  if (attempt?.channel === channel && attempt.deletedTs === ts) return deleted(card, channel, isNeeded);
  return { state: 'posted', channel, ts, ...withFormer(without(formerOf(card), place)) };
}

/** Returns the state after a deletion; a message to be posted again keeps its place in the window. */
function deleted(card: CardState, channel: ChannelId, isNeeded: boolean): CardState {
  const former = withFormer(formerOf(card));
  return isNeeded ? { state: 'wanted', channel, ...former } : { state: 'gone', ...former };
}

/** Returns the card with a deletion recorded while a post into the channel is in progress. */
function withDeleted(
  card: Extract<CardState, { state: 'wanted' }>,
  { channel, ts }: MessageRef,
): CardState | undefined {
  if (card.attempt?.channel !== channel || card.attempt.deletedTs === ts) return undefined;
  return { ...card, attempt: { ...card.attempt, deletedTs: ts } };
}

/** Returns the former places of a message, latest last. */
export function formerOf(card: CardState): readonly MessageRef[] {
  return card.former ?? [];
}

/** Returns the field of former places for a card's next state. */
export function withFormer(former: readonly MessageRef[]): { readonly former?: readonly MessageRef[] } {
  return former.length === 0 ? {} : { former: former.slice(-maxFormer) };
}

function without(former: readonly MessageRef[], ref: MessageRef): readonly MessageRef[] {
  return former.filter((place) => !isSame(place, ref));
}

/** Returns whether two places are the same. */
export function isSame(one: MessageRef, other: MessageRef): boolean {
  return one.ts === other.ts && one.channel === other.channel;
}

/** Returns whether the message is posted, or about to be. */
export function isShown({ card }: Pick<Mirrored, 'card'>): boolean {
  return card.state === 'wanted' || card.state === 'posted';
}
