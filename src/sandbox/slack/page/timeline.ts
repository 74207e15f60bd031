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
  /** Tells it from every other item of a list. */
  readonly key: string;
  /** How many blocks it has: about how high it is. */
  readonly blocks: number;
  /** Whose it is, for what may stand below another of the same author without a head of its own. */
  readonly author?: string | undefined;
};

const channelsItems = new WeakMap<Channel, { as: string; notes: Note[]; items: TimelineItem[] }>();

/** Returns what one person sees in a channel: the same list as before when nothing has changed, so that coming back is quick. */
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
  // Messages are in order already; of the rest there is little.
  for (const message of own) {
    const { ts, blocks } = message;
    insert(items, { kind: 'ephemeral', ts, message, key: `ephemeral-${ts}`, blocks: blocks.length });
  }
  for (const note of ownNotes)
    insert(items, { kind: 'note', ts: note.ts, note, key: `note-${note.ts}`, blocks: 0 });
  return items;
}

const itemsOf = new WeakMap<Message, TimelineItem>();

/** Returns the item of a message: the same one for as long as the message is. */
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
 * Returns the rows of items, arranged once for as long as the items are the same.
 * @param before the items as they were: of those at the beginning that are still the same, the rows are too
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

/** How many seconds after another a message of the same author goes without a head of its own. */
const groupSeconds = 300;

/** A line of the list: an item, with what is drawn before it. */
export interface Row {
  readonly item: TimelineItem;
  /** The name of the day that begins here. */
  readonly day: string | undefined;
  /** The first that the person has not read. */
  readonly isFirstNew: boolean;
  /** The author's name and picture stand above already. */
  readonly isFollowUp: boolean;
}

/**
 * Arranges items as Slack does: a divider where a day begins, a line above the first that is new, and one head for what
 * somebody wrote within a few minutes.
 * @param dayOf returns the name of a timestamp's day
 * @param readTo up to when the person has read; undefined: all of it
 * @param kept the rows of the first items, where they are known
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

/** What one person has not seen of a channel. */
export interface Unread {
  readonly messages: number;
  /** Those that name the person, and all of a direct message. */
  readonly mentions: number;
}

/** Counts what was written after a time, other than by the person. */
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
  // From the end: what was read is not looked at.
  for (let index = channel.messages.length - 1; index >= 0; index -= 1) {
    const message = channel.messages[index];
    if (message && !count(message)) break;
  }
  const own = channel.ephemerals.filter((item) => item.user === as && Number(item.ts) > readTo).length;
  return { messages: messages + own, mentions };
}

/** Returns when the last message that one person can see in a channel was written, in seconds. */
export function latestTs(channel: Channel, as: string): number {
  const own = channel.ephemerals.findLast((item) => item.user === as);
  return Math.max(Number(channel.messages.at(-1)?.ts ?? 0), Number(own?.ts ?? 0));
}
