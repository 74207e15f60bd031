import { z } from 'zod';
import { ChannelId, MemberId, WorkspaceId } from '../domain/terms.ts';
import type { OnEvent } from './event-listeners.ts';
import type { EventRetry } from './event-retry.ts';
import type { Feature, ThreadReply } from './feature.ts';

export interface ThreadReplyParts {
  readonly features: readonly Feature[];
  readonly retryEvent: EventRetry;
  /** Whether the app was removed. */
  readonly isRetired: () => boolean;
}

/** A person's message in a thread. Excludes messages of bots, and those that Slack writes itself (joins, topics). */
const Reply = z.object({
  ts: z.string(),
  thread_ts: z.string(),
  user: z.string(),
  text: z.string().default(''),
  bot_id: z.undefined().optional(),
  // A reply that was also sent to the channel.
  subtype: z.enum(['thread_broadcast']).optional(),
  team: z.string().optional(),
  user_team: z.string().optional(),
});

/** Changes to messages, as Slack reports them. */
const MessageEvent = z.union([
  z
    .object({
      subtype: z.literal('message_changed'),
      message: Reply,
      previous_message: z.unknown().optional(),
    })
    .transform(({ message, previous_message }) => ({
      change: 'changed' as const,
      reply: message,
      before: Reply.safeParse(previous_message).data,
    })),
  z
    .object({ subtype: z.literal('message_deleted'), previous_message: Reply })
    .transform(({ previous_message: reply }) => ({ change: 'deleted' as const, reply, before: undefined })),
  Reply.transform((reply) => ({ change: 'new' as const, reply, before: undefined })),
]);

/** Returns the reply that a message event is about; undefined when it is about none. */
export function threadReplyOf(workspace: string, channel: string, event: unknown): ThreadReply | undefined {
  const parsed = MessageEvent.safeParse(event).data;
  if (parsed === undefined) return undefined;
  const { change, reply, before } = parsed;
  // The first message of a thread has its own timestamp there.
  if (reply.thread_ts === reply.ts) return undefined;
  return {
    workspace: WorkspaceId.parse(workspace),
    team: WorkspaceId.parse(reply.user_team ?? reply.team ?? workspace),
    member: MemberId.parse(reply.user),
    channel: ChannelId.parse(channel),
    thread: reply.thread_ts,
    ts: reply.ts,
    change,
    texts: [...new Set([reply.text, ...(before ? [before.text] : [])])],
  };
}

/** Passes on people's replies in threads. A reply takes effect once, so every delivery is passed on. */
export function connectThreadReplies(
  on: OnEvent,
  { features, retryEvent, isRetired }: ThreadReplyParts,
): void {
  const handlers = features.flatMap(({ threadReply }) => threadReply ?? []);
  if (handlers.length === 0) return;
  on('message', async ({ body, event }) => {
    const reply = threadReplyOf(body.team_id, event.channel, event);
    if (reply === undefined || isRetired()) return;
    for (const handle of handlers) {
      await retryEvent(`${reply.channel} ${reply.ts}`, 'thread reply', () => handle(reply));
    }
  });
}
