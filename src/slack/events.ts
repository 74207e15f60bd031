import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '@slack/bolt';
import { z } from 'zod';
import { ChannelId, MemberId, WorkspaceId } from '../domain/terms.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { ThreadReply } from './feature.ts';
import { channelEvents } from './feature.ts';
import { actorOf, withErrorBoundary } from './interactions.ts';
import type { ListenerParts } from './listeners.ts';

export function connectEvents(app: App, parts: ListenerParts): void {
  const { features, retryEvent } = parts;

  /** Passes an event to each feature that handles it. @param topic events of one topic are handled in order */
  async function pass<T>(
    handlers: readonly (((event: T) => Promise<void>) | undefined)[],
    topic: string,
    what: string,
    event: T,
  ): Promise<void> {
    for (const handle of handlers) if (handle) await retryEvent(topic, what, () => handle(event));
  }

  for (const [event, meaning] of Object.entries(channelEvents)) {
    app.event(event, async ({ body, context }) => {
      // If Redis cannot tell, running twice is better than not at all.
      const workspace = WorkspaceId.parse(context.teamId);
      const first = parts.claimOnce(workspace, `event ${body.event_id}`).catch(() => true);
      if (!(await first)) return;
      const { channel, user } = body.event as { channel: string; user?: string };
      const isOfMember = meaning === 'member_joined_channel' || meaning === 'member_left_channel';
      const handlers = features.map(({ channelEvents: own }) => own?.[meaning]);
      await pass(handlers, channel, event, {
        workspace,
        channel: ChannelId.parse(channel),
        ...(isOfMember && user ? { member: MemberId.parse(user) } : {}),
      });
    });
  }
  app.event('user_change', async ({ context, event }) => {
    const { id, deleted } = event.user;
    const handlers = features.map(({ memberChanged }) => memberChanged);
    await pass(handlers, `member ${id}`, 'user_change', {
      workspace: WorkspaceId.parse(context.teamId),
      member: MemberId.parse(id),
      isDeactivated: deleted === true,
    });
  });
  app.event('message', async ({ event, context }) => {
    if (event.subtype === 'message_deleted') {
      const { channel, deleted_ts: ts, previous_message: before } = event;
      // Only the bot's own messages matter.
      const isOurs = 'bot_id' in before && before.bot_id === context.botId;
      const blocks = isOurs && 'blocks' in before ? (before.blocks ?? []) : [];
      if (blocks.length > 0) {
        const handlers = features.map(({ messageDeleted }) => messageDeleted);
        const location = { workspace: WorkspaceId.parse(context.teamId), channel: ChannelId.parse(channel) };
        await pass(handlers, `${channel} ${ts}`, 'message_deleted', { ...location, ts, blocks });
      }
    }
    // A reply takes effect once, so every delivery is passed on.
    const reply = threadReplyOf(context.teamId, event.channel, event);
    if (reply === undefined || parts.isRetired()) return;
    const handlers = features.map(({ threadReply }) => threadReply);
    await pass(handlers, `${reply.channel} ${reply.ts}`, 'thread reply', reply);
  });
  app.event('app_home_opened', async ({ context, event }) => {
    if (event.tab !== 'home') return;
    const actor = actorOf(parts.messengerOf, { team: context.teamId, user: event.user, how: 'click' });
    for (const { homeOpened } of features)
      if (homeOpened) await withErrorBoundary(parts, actor, 'app_home_opened', () => homeOpened(actor));
  });

  // Each may be delivered several times: the second time, the data are already deleted.
  const removed = (of: readonly string[], organization: string | undefined) =>
    retryEvent(`workspaces ${of.join()}`, 'app removed', () => parts.onAppRemoved(of, organization));
  app.event('app_uninstalled', ({ body, context }) => removed([body.team_id], context.enterpriseId));
  app.event('team_access_revoked', ({ event, context }) => removed(event.team_ids, context.enterpriseId));
  app.event('tokens_revoked', async ({ body, event, context }) => {
    // Tokens of people, which the app does not have, say nothing about the bot.
    if ((event.tokens.bot ?? []).length > 0) await removed([body.team_id], context.enterpriseId);
  });
}

/** The longest backoff before a listener is retried; each one is twice the previous one. */
const longestWaitMs = 15_000;

const defaultLimit = 1_000;

export interface EventRetryOptions {
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** Called with each attempt, so that a stop waits for it; a stop does not wait for the backoff between attempts. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
  /** Aborted when the app stops. */
  readonly signal: AbortSignal;
  readonly firstRetryMs: number;
  readonly limit?: number;
}

export type EventRetry = ReturnType<typeof createEventRetry>;

/**
 * Creates retries for events. Slack does not repeat an acked event, and most are acked before their listener runs, so the
 * listener is retried here until it succeeds or the app stops, such as while Redis is unreachable. Only for listeners that
 * may run twice.
 *
 * Events with the same topic run in their order of arrival, so that "removed" and "invited again" are not swapped by a
 * retry. While too many wait, further ones are dropped. Only that, and each event's first failure, is logged.
 */
export function createEventRetry({
  logger,
  track,
  signal,
  firstRetryMs,
  limit = defaultLimit,
}: EventRetryOptions) {
  let waiting = 0;
  /** The last event of each topic; settles when it is done. */
  const lastByTopic = new Map<string, Promise<unknown>>();

  async function runUntilDone(what: string, run: () => Promise<void>): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        return await track(run());
      } catch (error) {
        if (attempt === 0) logger.warn({ what, reason: messageOf(error) }, 'event failed, retrying');
        const pause = Math.min(firstRetryMs * 2 ** attempt, longestWaitMs);
        await delay(pause, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  /**
   * Runs a listener until it succeeds, or the app stops. Never rejects.
   * @param topic such as a channel or a message: events of one topic wait for each other
   * @param what the event's name in the log
   */
  return async function retryEvent(topic: string, what: string, run: () => Promise<void>): Promise<void> {
    if (waiting >= limit) return logger.error({ what }, 'event dropped, too many waiting');
    waiting += 1;
    const work = (lastByTopic.get(topic) ?? Promise.resolve()).then(() => runUntilDone(what, run));
    lastByTopic.set(topic, work);
    await work;
    waiting -= 1;
    if (lastByTopic.get(topic) === work) lastByTopic.delete(topic);
  };
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
      reply: message,
      before: Reply.safeParse(previous_message).data,
    })),
  z
    .object({ subtype: z.literal('message_deleted'), previous_message: Reply })
    .transform(({ previous_message: reply }) => ({ reply, before: undefined })),
  Reply.transform((reply) => ({ reply, before: undefined })),
]);

/** Returns the reply that a message event is about; undefined when it is about none. */
export function threadReplyOf(
  workspace: string | undefined,
  channel: string,
  event: unknown,
): ThreadReply | undefined {
  const parsed = MessageEvent.safeParse(event).data;
  if (parsed === undefined) return undefined;
  const { reply, before } = parsed;
  // The first message of a thread has its own timestamp there.
  if (reply.thread_ts === reply.ts) return undefined;
  return {
    workspace: WorkspaceId.parse(workspace),
    team: WorkspaceId.parse(reply.user_team ?? reply.team ?? workspace),
    member: MemberId.parse(reply.user),
    channel: ChannelId.parse(channel),
    thread: reply.thread_ts,
    ts: reply.ts,
    texts: [...new Set([reply.text, ...(before ? [before.text] : [])])],
  };
}
