import { lengthOf } from '../blockkit/rules.ts';
import { addEphemeral, addMessage, apiMessage, changeMessage, removeMessage } from '../messages.ts';
import type { Channel, Message } from '../model.ts';
import { BOT_USER } from '../seed.ts';
import { findMessage, type World } from '../world.ts';
import {
  type Args,
  bool,
  type Content,
  channelOf,
  contentOf,
  type Method,
  needStr,
  SlackApiError,
  str,
  writableChannel,
} from './method.ts';

/** The maximum lengths of text: `chat.postMessage` truncates far later than `chat.update` refuses. */
const MAX_POST = 40_000;
const MAX_UPDATE = 4000;

const WRITE = { scopes: ['chat:write'], token: 'bot' } as const;

function assertSomething(content: Content): void {
  const empty =
    (content.text ?? '').trim() === '' &&
    (content.blocks ?? []).length === 0 &&
    (content.attachments ?? []).length === 0;
  if (empty) throw new SlackApiError('no_text');
}

function messageOf(world: World, channel: Channel, ts: string): Message {
  const message = findMessage(world, channel.id, ts);
  if (message === undefined || message.subtype === 'tombstone') throw new SlackApiError('message_not_found');
  return message;
}

function threadOf(world: World, channel: Channel, args: Args): string | undefined {
  const thread = str(args, 'thread_ts');
  if (thread !== undefined && findMessage(world, channel.id, thread) === undefined)
    throw new SlackApiError('thread_not_found');
  return thread;
}

/** Returns Slack's warning for blocks without a fallback text. */
function warnings(content: Content): Record<string, unknown> {
  return (content.text ?? '') === '' && (content.attachments ?? []).length === 0
    ? { warning: 'missing_text_in_message', response_metadata: { warnings: ['missing_text_in_message'] } }
    : {};
}

export const chatMethods: Record<string, Method> = {
  'chat.postMessage': {
    ...WRITE,
    tier: 'posting',
    run: (args, { world, events }) => {
      const channel = writableChannel(world, str(args, 'channel'), str(args, 'thread_ts'));
      const content = contentOf(world, args);
      assertSomething(content);
      if (lengthOf(content.text ?? '') > MAX_POST) throw new SlackApiError('msg_too_long');
      const message = addMessage(world, {
        channel: channel.id,
        user: BOT_USER,
        text: content.text ?? '',
        blocks: content.blocks ?? [],
        attachments: content.attachments ?? [],
        metadata: content.metadata,
        thread_ts: threadOf(world, channel, args),
        reply_broadcast: bool(args, 'reply_broadcast'),
      });
      events.message(message);
      return {
        channel: channel.id,
        ts: message.ts,
        message: apiMessage(world, message, { metadata: true }),
        ...warnings(content),
      };
    },
  },
  'chat.update': {
    ...WRITE,
    tier: 'tier3',
    run: (args, { world, events }) => {
      const channel = channelOf(world, needStr(args, 'channel'));
      if (channel.is_archived) throw new SlackApiError('is_archived');
      if (!channel.members.includes(BOT_USER)) throw new SlackApiError('not_in_channel');
      const message = messageOf(world, channel, needStr(args, 'ts'));
      if (message.user !== BOT_USER) throw new SlackApiError('cant_update_message');
      const given = contentOf(world, args);
      // A text without blocks takes away those that are there.
      const content = given.text === undefined ? given : { ...given, blocks: given.blocks ?? [] };
      if (content.text === undefined && content.blocks === undefined && content.attachments === undefined)
        throw new SlackApiError('no_text');
      if (lengthOf(content.text ?? '') > MAX_UPDATE) throw new SlackApiError('msg_too_long');
      assertSomething({
        ...content,
        blocks: content.blocks ?? message.blocks,
        attachments: content.attachments ?? message.attachments,
      });
      changeMessage(world, message, content);
      events.message(message, 'changed');
      return {
        channel: channel.id,
        ts: message.ts,
        text: message.text,
        message: apiMessage(world, message, { metadata: true }),
      };
    },
  },
  'chat.delete': {
    ...WRITE,
    tier: 'tier3',
    run: (args, { world, events }) => {
      const channel = channelOf(world, needStr(args, 'channel'));
      if (channel.is_archived) throw new SlackApiError('is_archived');
      const message = messageOf(world, channel, needStr(args, 'ts'));
      if (message.user !== BOT_USER) throw new SlackApiError('cant_delete_message');
      removeMessage(world, message);
      events.message(message, 'deleted');
      return { channel: channel.id, ts: message.ts };
    },
  },
  'chat.postEphemeral': {
    ...WRITE,
    tier: 'tier4',
    run: (args, { world }) => {
      const channel = writableChannel(world, str(args, 'channel'));
      const user = needStr(args, 'user');
      if (!world.users.some((person) => person.id === user)) throw new SlackApiError('user_not_found');
      if (!channel.members.includes(user)) throw new SlackApiError('user_not_in_channel');
      const content = contentOf(world, args);
      assertSomething(content);
      if (lengthOf(content.text ?? '') > MAX_POST) throw new SlackApiError('msg_too_long');
      const ephemeral = addEphemeral(world, {
        channel: channel.id,
        user,
        text: content.text ?? '',
        blocks: content.blocks ?? [],
        attachments: content.attachments ?? [],
        thread_ts: threadOf(world, channel, args),
      });
      return { message_ts: ephemeral.ts, ...warnings(content) };
    },
  },
  'chat.getPermalink': {
    scopes: [],
    token: 'bot',
    tier: 'special',
    run: (args, { world }) => {
      const channel = channelOf(world, needStr(args, 'channel'));
      const message = messageOf(world, channel, needStr(args, 'message_ts'));
      const thread =
        message.thread_ts === undefined || message.thread_ts === message.ts
          ? ''
          : `?thread_ts=${message.thread_ts}&cid=${channel.id}`;
      return {
        channel: channel.id,
        permalink: `${world.baseUrl}/archives/${channel.id}/p${message.ts.replace('.', '')}${thread}`,
      };
    },
  },
};
