import type { Channel, Message, SandboxState, Updates } from '../model.ts';
import { share } from './share.ts';

/**
 * Returns the state after an update. Unchanged parts keep their identity, so that only changed parts render again.
 */
export function merge(previous: SandboxState | undefined, update: Updates): SandboxState {
  if (previous === undefined || update.whole) return share(previous, update.state);
  const known = new Map(previous.channels.map((channel) => [channel.id, channel]));
  const gone = update.gone.map((place) => place.split(':'));
  const channels = update.state.channels.map((channel): Channel => {
    const before = known.get(channel.id);
    const changed = update.messages.filter((message) => message.channel === channel.id);
    const removed = new Set(gone.flatMap(([id, ts]) => (id === channel.id && ts ? [ts] : [])));
    const messages = mergeMessages(before?.messages ?? [], changed, removed);
    // Thousands of messages are already merged and need not be compared again.
    const rest = share({ ...before, messages: [] }, { ...channel, messages: [] });
    return before && messages === before.messages && isSame(before, rest) ? before : { ...rest, messages };
  });
  const { channels: _known, ...otherBefore } = previous;
  const { channels: _sent, ...other } = update.state;
  const shared = share(otherBefore, other);
  const unchanged =
    channels.length === previous.channels.length &&
    channels.every((channel, index) => channel === previous.channels[index]);
  return { ...shared, channels: unchanged ? previous.channels : channels };
}

function isSame(before: Channel, next: Channel): boolean {
  return (Object.keys(next) as (keyof Channel)[]).every(
    (key) => key === 'messages' || before[key] === next[key],
  );
}

/** Returns the messages of a channel with new and changed ones merged in and deleted ones removed. */
function mergeMessages(before: Message[], changed: Message[], gone: ReadonlySet<string>): Message[] {
  if (changed.length === 0 && gone.size === 0) return before;
  const messages = gone.size === 0 ? [...before] : before.filter(({ ts }) => !gone.has(ts));
  for (const message of changed) {
    const isReply = message.thread_ts !== undefined && message.thread_ts !== message.ts;
    if (isReply) replaceReply(messages, message);
    if (!isReply || message.subtype === 'thread_broadcast') put(messages, message);
  }
  if (gone.size > 0) {
    for (const [index, { replies }] of messages.entries()) {
      const parent = messages[index];
      if (parent && replies.some(({ ts }) => gone.has(ts)))
        messages[index] = { ...parent, replies: replies.filter(({ ts }) => !gone.has(ts)) };
    }
  }
  return messages;
}

function replaceReply(messages: Message[], reply: Message): void {
  const index = indexOf(messages, reply.thread_ts ?? '');
  const parent = messages[index];
  if (parent === undefined || parent.ts !== reply.thread_ts) return;
  const replies = [...parent.replies];
  put(replies, reply);
  messages[index] = { ...parent, thread_ts: parent.ts, replies };
}

/** Inserts a message into a list ordered by time. */
function put(messages: Message[], message: Message): void {
  const index = indexOf(messages, message.ts);
  const known = messages[index];
  if (known?.ts === message.ts) messages[index] = share(known, message);
  else messages.splice(index, 0, message);
}

/** Returns the index at which a message with this timestamp is, or belongs. */
function indexOf(messages: Message[], ts: string): number {
  let low = 0;
  let high = messages.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Number(messages[middle]?.ts) < Number(ts)) low = middle + 1;
    else high = middle;
  }
  return low;
}
