import { z } from 'zod';
import { CampaignId, ChannelId, MemberId, MessageId } from './terms.ts';

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

/** An inbox message and the Slack message that announces it; `backlog`: known, but not announced. */
export const Announcement = z
  .object({
    id: MessageId,
    subject: z.string(),
    messageType: z.string(),
    /** Milliseconds since 1970; absent when unreadable. */
    sentAt: z.number().exactOptional(),
    hasAttachment: z.boolean(),
    unread: z.boolean(),
    trashed: z.boolean(),
    /** The member who read or trashed it in Slack; absent if that happened elsewhere. */
    readBy: MemberId.exactOptional(),
    trashedBy: MemberId.exactOptional(),
    /** Set once the subject was removed (ms), see retention.ts. */
    subjectRemovedAt: z.number().exactOptional(),
    ...Mirrored.unwrap().shape,
  })
  .readonly();
export type Announcement = z.infer<typeof Announcement>;

export type ListedMessage = Pick<
  Announcement,
  'id' | 'subject' | 'messageType' | 'sentAt' | 'hasAttachment' | 'unread'
>;

type AnnouncementEvent =
  | { readonly type: 'listed'; readonly message: ListedMessage; readonly announce: boolean }
  /** It is no longer in the inbox, whoever moved it. */
  | { readonly type: 'left' }
  | { readonly type: 'read'; readonly by: MemberId }
  | { readonly type: 'trashed'; readonly by: MemberId }
  /** It was handled so long ago that its subject is no longer stored. */
  | { readonly type: 'subject-expired'; readonly at: number }
  | PostEvent;

/** Applies an event. Returns the changed announcement, or undefined when nothing changes. Pure. */
export function applyAnnouncementEvent(
  before: Announcement | undefined,
  event: AnnouncementEvent,
): Announcement | undefined {
  if (event.type === 'listed') return listed(before, event);
  if (before === undefined) return undefined;
  switch (event.type) {
    case 'left':
      return before.trashed ? undefined : shown(before, { trashed: true });
    case 'read':
      return before.unread ? shown(before, { unread: false, readBy: event.by }) : undefined;
    case 'trashed':
      return before.trashed ? undefined : shown(before, { trashed: true, trashedBy: event.by });
    case 'subject-expired':
      if (before.subjectRemovedAt !== undefined || (before.unread && !before.trashed)) return undefined;
      return { ...before, subject: '', subjectRemovedAt: event.at };
    default:
      return withPost(before, event, false);
  }
}

function listed(
  before: Announcement | undefined,
  { message, announce: wanted }: Extract<AnnouncementEvent, { type: 'listed' }>,
): Announcement | undefined {
  if (before === undefined) {
    return { ...message, trashed: false, card: { state: wanted ? 'wanted' : 'backlog' }, revision: 1 };
  }
  // It was read in Slack after this list was loaded, so the record is newer.
  const unread = message.unread && before.readBy === undefined;
  if (before.trashedBy !== undefined || (before.unread === unread && !before.trashed)) return undefined;
  const { subjectRemovedAt: _, ...rest } = before;
  return shown({ ...rest, subject: message.subject }, { unread, trashed: false });
}

function shown(before: Announcement, change: Partial<Announcement>): Announcement {
  return { ...before, ...change, revision: before.revision + 1 };
}

/** A reminder counts tasks that are due within these hours. */
export const reminderHours = [6, 24, 48] as const;

/** Maximum number of campaigns named in a reminder: those with the earliest deadlines. */
export const namedCampaigns = 5;

const hourMs = 3_600_000;

/** Returns the times (ms) up to which tasks are counted, at `now`; the first is for overdue tasks. */
export function reminderTimes(now: number): number[] {
  return [now, ...reminderHours.map((hours) => now + hours * hourMs)];
}

/** Content of a channel's reminder. Each count includes the previous one. */
export const ReminderContent = z
  .object({
    /**
     * `due`: tasks are due soon, or overdue · `none`: none that is reviewed in this channel is · `muted` in this channel.
     */
    state: z.enum(['due', 'none', 'muted']),
    late: z.number(),
    within: z.array(z.number()).readonly(),
    campaigns: z
      // `dueAt`: when the first of them is due (ms).
      .array(z.object({ id: CampaignId, tasks: z.number(), dueAt: z.number() }).readonly())
      .readonly(),
    /** Number of other campaigns. */
    others: z.number(),
  })
  .readonly();
export type ReminderContent = z.infer<typeof ReminderContent>;

/** The message in a channel about tasks that are due soon. */
export const Reminder = z
  .object({
    channel: ChannelId,
    ...ReminderContent.unwrap().shape,
    /** When its content last changed (ms). */
    changedAt: z.number(),
    ...Mirrored.unwrap().shape,
  })
  .readonly();
export type Reminder = z.infer<typeof Reminder>;

export type ReminderEvent =
  | {
      readonly type: 'counted';
      readonly channel: ChannelId;
      readonly content: ReminderContent;
      readonly at: number;
      /** Minimum interval between updates of a message's counts (ms). */
      readonly paceMs: number;
    }
  | PostEvent;

/** Empty content: for a channel without a reminder. */
export const noContent: ReminderContent = { state: 'none', late: 0, within: [], campaigns: [], others: 0 };

/** Applies an event. Returns the changed reminder, or undefined when nothing changes. Pure. */
export function applyReminderEvent(before: Reminder | undefined, event: ReminderEvent): Reminder | undefined {
  if (event.type === 'counted') return counted(before, event);
  return before && withPost(before, event, before.state === 'due');
}

function counted(
  before: Reminder | undefined,
  { channel, content, at, paceMs }: Extract<ReminderEvent, { type: 'counted' }>,
): Reminder | undefined {
  const isNew = before === undefined || !isShown(before);
  if (isNew && content.state !== 'due') return undefined;
  if (isNew) {
    const revision = (before?.revision ?? 0) + 1;
    return { channel, ...content, changedAt: at, card: { state: 'wanted' }, revision };
  }
  if (says(before) === says(content)) return undefined;
  // A post that has not begun is no longer needed.
  if (content.state !== 'due' && before.card.state === 'wanted' && before.card.attempt === undefined)
    return { ...before, ...content, changedAt: at, card: { state: 'gone' } };
  const isAtPace = at - before.changedAt >= paceMs;
  if (content.state === before.state && before.card.state === 'posted' && !isAtPace) return undefined;
  return { ...before, ...content, changedAt: at, revision: before.revision + 1 };
}

/** Returns a reminder's content as text, for comparison. */
function says({ state, late, within, campaigns, others }: ReminderContent): string {
  return state === 'due' ? JSON.stringify([late, within, campaigns, others]) : state;
}

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
      default:
        return before && withPost(before, event, false);
    }
  };
}
