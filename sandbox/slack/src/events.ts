import type { Deliver } from './delivery.ts';
import { apiMessage } from './messages.ts';
import type { Channel, Message } from './model.ts';
import { APP_ID, BOT_USER } from './seed.ts';
import { newId, type World } from './world.ts';

export type Events = {
  /** Delivers an event if the app subscribed to it. `subscription` is its name in the manifest. */
  emit: (subscription: string, event: Record<string, unknown> & { type: string }, channel?: string) => void;
  /** Delivers the events of a new, changed or deleted message. `previous` is the message before a change. */
  message: (message: Message, change?: 'changed' | 'deleted', previous?: Record<string, unknown>) => void;
};

/** Creates the sender of Events API payloads. */
export function createEvents(world: World, deliver: Deliver): Events {
  const emit: Events['emit'] = (subscription, event, channel) => {
    if (!world.app.bot_events.includes(subscription)) return;
    deliver.event({
      kind: 'events_api',
      type: event.type,
      channel,
      acceptsPayload: false,
      payload: {
        token: 'sandbox-verification',
        team_id: world.team.id,
        api_app_id: APP_ID,
        event: { ...event, event_ts: event.event_ts ?? world.nextTs() },
        type: 'event_callback',
        event_id: newId('Ev'),
        event_time: Math.floor(world.now() / 1000),
        authorizations: [
          {
            enterprise_id: null,
            team_id: world.team.id,
            user_id: BOT_USER,
            is_bot: true,
            is_enterprise_install: false,
          },
        ],
        is_ext_shared_channel: world.channels.get(channel ?? '')?.is_ext_shared === true,
        event_context: `4-${newId('EC')}`,
      },
    });
  };

  return {
    emit,
    message: (message, change, previous) => {
      const channel = world.channels.get(message.channel);
      if (channel === undefined || !channel.members.includes(BOT_USER)) return;
      const base = { channel: channel.id, channel_type: channelType(channel) };
      const copy = apiMessage(world, message, { metadata: true });
      const subscription = `message.${{ channel: 'channels', group: 'groups', im: 'im' }[base.channel_type]}`;
      if (change === 'changed') {
        emit(
          subscription,
          {
            type: 'message',
            subtype: 'message_changed',
            hidden: true,
            ts: world.nextTs(),
            message: copy,
            ...(previous === undefined ? {} : { previous_message: previous }),
            ...base,
          },
          channel.id,
        );
      } else if (change === 'deleted') {
        emit(
          subscription,
          {
            type: 'message',
            subtype: 'message_deleted',
            hidden: true,
            ts: world.nextTs(),
            deleted_ts: message.ts,
            previous_message: copy,
            ...base,
          },
          channel.id,
        );
      } else {
        emit(subscription, { ...copy, type: 'message', ...base, event_ts: message.ts }, channel.id);
        if (message.bot_id === undefined && !channel.is_im && message.text.includes(`<@${BOT_USER}>`))
          emit('app_mention', { ...copy, type: 'app_mention', channel: channel.id }, channel.id);
      }
    },
  };
}

/** Returns `channel`, `group` (private) or `im`. */
export function channelType(channel: Channel): 'channel' | 'group' | 'im' {
  return channel.is_im ? 'im' : channel.is_private ? 'group' : 'channel';
}
