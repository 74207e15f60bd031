import { ChannelId, MemberId, WorkspaceId } from '../domain/terms.ts';
import { withErrorBoundary } from './error-boundary.ts';
import type { OnEvent } from './event-listeners.ts';
import type { ListenerParts } from './listeners.ts';
import { actorOf } from './payloads.ts';
import { connectThreadReplies } from './thread-replies.ts';

/** Slack's events by meaning: private channels have separate names for the same events. */
export const channelEvents = {
  member_joined_channel: 'member_joined_channel',
  member_left_channel: 'member_left_channel',
  channel_shared: 'channel_shared',
  channel_left: 'channel_left',
  group_left: 'channel_left',
  channel_archive: 'channel_archive',
  group_archive: 'channel_archive',
  channel_unarchive: 'channel_unarchive',
  group_unarchive: 'channel_unarchive',
  channel_deleted: 'channel_deleted',
  group_deleted: 'channel_deleted',
} as const;

/** Registers the features' handlers of Slack's events. */
export function connectEvents(on: OnEvent, parts: ListenerParts): void {
  for (const [event, meaning] of Object.entries(channelEvents)) {
    const listeners = parts.features.flatMap(({ channelEvents: own }) => own?.[meaning] ?? []);
    on(event, async ({ body }) => {
      // If Redis cannot tell, running twice is better than not at all.
      const first = parts.claimOnce(`event ${body.team_id} ${body.event_id}`).catch(() => true);
      if (!(await first)) return;
      const { channel, user } = body.event as { channel: string; user?: string };
      const location = { workspace: WorkspaceId.parse(body.team_id), channel: ChannelId.parse(channel) };
      const isOfMember = meaning === 'member_joined_channel' || meaning === 'member_left_channel';
      const about = isOfMember && user ? { member: MemberId.parse(user) } : {};
      for (const listener of listeners) {
        await parts.retryEvent(channel, event, () => listener({ ...location, ...about }));
      }
    });
  }
  const idHandlers = parts.features.flatMap(({ channelIdChanged }) => channelIdChanged ?? []);
  if (idHandlers.length > 0) {
    on('channel_id_changed', async ({ body, event }) => {
      const from = ChannelId.parse(event.old_channel_id);
      const changed = {
        workspace: WorkspaceId.parse(body.team_id),
        from,
        to: ChannelId.parse(event.new_channel_id),
      };
      for (const handle of idHandlers)
        await parts.retryEvent(from, 'channel_id_changed', () => handle(changed));
    });
  }
  connectMemberEvents(on, parts);
  const deletionHandlers = parts.features.flatMap(({ messageDeleted }) => messageDeleted ?? []);
  if (deletionHandlers.length > 0) {
    on('message', async ({ body, event, context }) => {
      if (event.subtype !== 'message_deleted') return;
      const { channel, deleted_ts: ts, previous_message: before } = event;
      // Only the bot's own messages matter.
      const isOurs = 'bot_id' in before && before.bot_id === context.botId;
      const blocks = isOurs && 'blocks' in before ? (before.blocks ?? []) : [];
      if (blocks.length === 0) return;
      const location = { workspace: WorkspaceId.parse(body.team_id), channel: ChannelId.parse(channel) };
      for (const deleted of deletionHandlers) {
        await parts.retryEvent(`${channel} ${ts}`, 'message_deleted', () =>
          deleted({ ...location, ts, blocks }),
        );
      }
    });
  }
  connectThreadReplies(on, parts);
  const homeHandlers = parts.features.flatMap(({ homeOpened }) => homeOpened ?? []);
  if (homeHandlers.length === 0) return;
  on('app_home_opened', async ({ body, event }) => {
    if (event.tab !== 'home') return;
    const actor = actorOf(parts.messengerOf, { team: body.team_id, user: event.user, how: 'click' });
    for (const opened of homeHandlers)
      await withErrorBoundary(parts, actor, 'app_home_opened', () => opened(actor));
  });
}

function connectMemberEvents(on: OnEvent, parts: ListenerParts): void {
  const memberHandlers = parts.features.flatMap(({ memberChanged }) => memberChanged ?? []);
  if (memberHandlers.length > 0) {
    on('user_change', async ({ body, event }) => {
      const { id, deleted } = event.user;
      const changed = {
        workspace: WorkspaceId.parse(body.team_id),
        member: MemberId.parse(id),
        isDeactivated: deleted === true,
      };
      for (const handle of memberHandlers)
        await parts.retryEvent(`member ${id}`, 'user_change', () => handle(changed));
    });
  }
  const groupHandlers = parts.features.flatMap(({ groupChanged }) => groupChanged ?? []);
  if (groupHandlers.length > 0) {
    on('subteam_members_changed', async ({ body, event }) => {
      const { subteam_id: group } = event;
      const changed = { workspace: WorkspaceId.parse(body.team_id), group };
      for (const handle of groupHandlers)
        await parts.retryEvent(`group ${group}`, 'subteam_members_changed', () => handle(changed));
    });
  }
}
