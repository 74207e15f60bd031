import type { Channel, Ephemeral, Message } from '../model.ts';

/** A message from Slackbot that exists on this page only. */
export interface Note {
  ts: string;
  channel: string;
  thread: string | undefined;
  text: string;
}

export type TimelineItem = (
  | { kind: 'message'; ts: string; message: Message }
  | { kind: 'ephemeral'; ts: string; message: Ephemeral }
  | { kind: 'note'; ts: string; note: Note }
) & {
  /** Unique within a list. */
  readonly key: string;
  /** The number of blocks, from which the height is estimated. */
  readonly blocks: number;
  /** The author, if the item may follow another of the same author without its own head. */
  readonly author?: string | undefined;
};

const channelsItems = new WeakMap<Channel, { as: string; notes: Note[]; items: TimelineItem[] }>();

/** Returns what one person sees in a channel, as a cached list while nothing changes, so that coming back is quick. */
export function channelTimeline(channel: Channel, as: string, notes: Note[]): TimelineItem[] {
  const known = channelsItems.get(channel);
  if (known?.as === as && known.notes === notes) return known.items;
  const items = timeline(channel, as, notes);
  channelsItems.set(channel, { as, notes, items });
  return items;
}

/** Returns what one person sees in a channel, or in one of its threads, in order. */
export function timeline(channel: Channel, as: string, notes: Note[], thread?: string): TimelineItem[] {
  const parent = thread === undefined ? undefined : channel.messages.find((message) => message.ts === thread);
  const messages = thread === undefined ? channel.messages : parent ? [parent, ...parent.replies] : [];
  const items = messages.map(itemOf);
  const own = channel.ephemerals.filter((item) => item.user === as && item.thread_ts === thread);
  const ownNotes = notes.filter((note) => note.channel === channel.id && note.thread === thread);
  // Messages are already in order, and there are few other items.
  for (const message of own) {
    const { ts, blocks } = message;
    insert(items, { kind: 'ephemeral', ts, message, key: `ephemeral-${ts}`, blocks: blocks.length });
  }
  for (const note of ownNotes)
    insert(items, { kind: 'note', ts: note.ts, note, key: `note-${note.ts}`, blocks: 0 });
  return items;
}

const itemsOf = new WeakMap<Message, TimelineItem>();

/** Returns the item of a message, cached by the message's identity. */
function itemOf(message: Message): TimelineItem {
  const known = itemsOf.get(message);
  if (known) return known;
  const { ts, blocks, user, username = '', subtype } = message;
  const item: TimelineItem = {
    kind: 'message',
    ts,
    message,
    key: `message-${ts}`,
    blocks: blocks.length,
    author: subtype === undefined ? `${user} ${username}` : undefined,
  };
  itemsOf.set(message, item);
  return item;
}

function insert(items: TimelineItem[], item: TimelineItem): void {
  const after = items.findLastIndex(({ ts }) => Number(ts) <= Number(item.ts));
  items.splice(after + 1, 0, item);
}

const arranged = new WeakMap<
  TimelineItem[],
  { dayOf: (ts: string) => string; readTo: number | undefined; rows: Row[] }
>();

/**
 * Returns the rows of items, cached by the list's identity.
 * @param before the previous items: the unchanged ones at the beginning keep their rows
 */
export function rowsOf(
  items: TimelineItem[],
  dayOf: (ts: string) => string,
  readTo?: number,
  before?: TimelineItem[],
): Row[] {
  const known = arranged.get(items);
  if (known?.dayOf === dayOf && known.readTo === readTo) return known.rows;
  const earlier = before && arranged.get(before);
  const isAsBefore = earlier?.dayOf === dayOf && earlier.readTo === readTo;
  const kept = isAsBefore ? earlier.rows.slice(0, sameAtBeginning(items, before)) : [];
  const rows = arrange(items, dayOf, readTo, kept);
  arranged.set(items, { dayOf, readTo, rows });
  return rows;
}

function sameAtBeginning(items: TimelineItem[], before: TimelineItem[] = []): number {
  const changed = items.findIndex((item, index) => item !== before[index]);
  return changed < 0 ? items.length : changed;
}

/** Within this many seconds, messages of the same author share a head. */
const groupSeconds = 300;

/** A row of the list: an item, with what is rendered before it. */
export interface Row {
  readonly item: TimelineItem;
  /** The name of the day that begins here. */
  readonly day: string | undefined;
  /** Whether it is the first unread item. */
  readonly isFirstNew: boolean;
  /** Whether the author's name and picture are already shown above. */
  readonly isFollowUp: boolean;
}

/**
 * Arranges items as Slack does: a divider where a day begins, a line above the first unread item, and one head for
 * an author's messages within a few minutes.
 * @param dayOf returns the name of a timestamp's day
 * @param readTo the time up to which the person has read; undefined: everything
 * @param kept the rows of the first items, if known
 */
export function arrange(
  items: TimelineItem[],
  dayOf: (ts: string) => string,
  readTo?: number,
  kept: Row[] = [],
): Row[] {
  const rows = [...kept];
  const last = kept.at(-1)?.item;
  let dayBefore = last && dayOf(last.ts);
  let newIsMarked = readTo === undefined || (last !== undefined && Number(last.ts) > readTo);
  for (let index = kept.length; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) break;
    const dayName = dayOf(item.ts);
    const day = dayName === dayBefore ? undefined : dayName;
    dayBefore = dayName;
    const isFirstNew = !newIsMarked && Number(item.ts) > (readTo ?? 0);
    newIsMarked ||= isFirstNew;
    const before = items[index - 1];
    const isFollowUp = day === undefined && !isFirstNew && before !== undefined && follows(before, item);
    rows.push({ item, day, isFirstNew, isFollowUp });
  }
  return rows;
}

function follows(before: TimelineItem, item: TimelineItem): boolean {
  return (
    before.author !== undefined &&
    before.author === item.author &&
    Number(item.ts) - Number(before.ts) < groupSeconds
  );
}

/** The unread messages of a channel for one person. */
export interface Unread {
  readonly messages: number;
  /** The messages that mention the person, and all direct messages. */
  readonly mentions: number;
}

/** Counts others' messages after a time. */
export function unreadOf(channel: Channel, as: string, readTo: number): Unread {
  let messages = 0;
  let mentions = 0;
  const count = ({ ts, user, text }: Message): boolean => {
    if (Number(ts) <= readTo) return false;
    if (user !== as) {
      messages += 1;
      if (channel.is_im || text.includes(`<@${as}>`)) mentions += 1;
    }
    return true;
  };
  // Goes backwards from the end and stops at the first read message.
  for (let index = channel.messages.length - 1; index >= 0; index -= 1) {
    const message = channel.messages[index];
    if (message && !count(message)) break;
  }
  const own = channel.ephemerals.filter((item) => item.user === as && Number(item.ts) > readTo).length;
  return { messages: messages + own, mentions };
}

/** Returns the time (s) of the last message that a person can see in a channel. */
export function latestTs(channel: Channel, as: string): number {
  const own = channel.ephemerals.findLast((item) => item.user === as);
  return Math.max(Number(channel.messages.at(-1)?.ts ?? 0), Number(own?.ts ?? 0));
}
