import type { Channel, Ephemeral, Message } from '../model.ts';

/** A message from Slackbot that exists on this page only. */
export interface Note {
  ts: string;
  channel: string;
  thread: string | undefined;
  text: string;
}

export type TimelineItem =
  | { kind: 'message'; ts: string; message: Message }
  | { kind: 'ephemeral'; ts: string; message: Ephemeral }
  | { kind: 'note'; ts: string; note: Note };

/** Returns what one person sees in a channel, or in one of its threads, in order. */
export function timeline(channel: Channel, as: string, notes: Note[], thread?: string): TimelineItem[] {
  const parent = channel.messages.find((message) => message.ts === thread);
  const messages = thread === undefined ? channel.messages : parent ? [parent, ...parent.replies] : [];
  const own = channel.ephemerals.filter((item) => item.user === as && item.thread_ts === thread);
  const ownNotes = notes.filter((note) => note.channel === channel.id && note.thread === thread);
  const items: TimelineItem[] = [
    ...messages.map((message) => ({ kind: 'message' as const, ts: message.ts, message })),
    ...own.map((message) => ({ kind: 'ephemeral' as const, ts: message.ts, message })),
    ...ownNotes.map((note) => ({ kind: 'note' as const, ts: note.ts, note })),
  ];
  return items.sort((a, b) => Number(a.ts) - Number(b.ts));
}

/** Returns when the last message that one person can see in a channel was written, in seconds. */
export function latestTs(channel: Channel, as: string): number {
  const own = channel.ephemerals.filter((item) => item.user === as);
  const all = [...channel.messages.flatMap((message) => [message, ...message.replies]), ...own];
  return all.reduce((latest, { ts }) => Math.max(latest, Number(ts)), 0);
}
