import { withIds } from './elements.ts';
import type { Attachment, Block, Ephemeral, Message, Metadata, SlackFile } from './model.ts';
import { APP_ID, BOT_ID, BOT_USER } from './seed.ts';
import { findMessage, type World } from './world.ts';

export type NewMessage = {
  channel: string;
  user: string;
  text: string;
  blocks?: Block[];
  attachments?: Attachment[];
  metadata?: Metadata | undefined;
  thread_ts?: string | undefined;
  reply_broadcast?: boolean;
  files?: SlackFile[];
  subtype?: string;
  username?: string | undefined;
};

/** Adds a message to its channel or, with `thread_ts`, to its thread. */
export function addMessage(world: World, input: NewMessage): Message {
  const channel = world.channels.get(input.channel);
  if (channel === undefined) throw new Error(`No channel ${input.channel}`);
  const message: Message = {
    type: 'message',
    ts: world.nextTs(),
    channel: input.channel,
    user: input.user,
    ...(input.user === BOT_USER ? { bot_id: BOT_ID, app_id: APP_ID } : {}),
    ...(input.username === undefined ? {} : { username: input.username }),
    ...(input.subtype === undefined ? {} : { subtype: input.subtype }),
    text: input.text,
    blocks: withIds(input.blocks ?? []),
    attachments: input.attachments ?? [],
    ...(input.metadata === undefined ? {} : { metadata: input.metadata }),
    replies: [],
    files: input.files ?? [],
    reactions: [],
  };
  const parent =
    input.thread_ts === undefined ? undefined : findMessage(world, input.channel, input.thread_ts);
  if (parent === undefined) {
    channel.messages.push(message);
  } else {
    // A reply to a reply lands in the thread of the first one.
    const root = findMessage(world, input.channel, parent.thread_ts ?? parent.ts) ?? parent;
    root.thread_ts = root.ts;
    message.thread_ts = root.ts;
    root.replies.push(message);
    if (input.reply_broadcast === true) {
      message.subtype = 'thread_broadcast';
      channel.messages.push(message);
    }
  }
  world.index.set(`${message.channel}:${message.ts}`, message);
  world.changed({ what: 'message', channel: message.channel, ts: message.ts });
  return message;
}

export type MessageChange = {
  text?: string | undefined;
  blocks?: Block[] | undefined;
  attachments?: Attachment[] | undefined;
  metadata?: Metadata | undefined;
};

/** Changes a message in place. Fields that are not given stay. */
export function changeMessage(world: World, message: Message, change: MessageChange): void {
  if (change.text !== undefined) message.text = change.text;
  if (change.blocks !== undefined) message.blocks = withIds(change.blocks);
  if (change.attachments !== undefined) message.attachments = change.attachments;
  if (change.metadata !== undefined) message.metadata = change.metadata;
  message.edited = { user: message.user, ts: world.nextTs() };
  world.changed({ what: 'message', channel: message.channel, ts: message.ts });
}

/** Deletes a message. If it has replies, a tombstone remains. */
export function removeMessage(world: World, message: Message): void {
  const channel = world.channels.get(message.channel);
  if (channel === undefined) return;
  if (message.replies.length > 0) {
    Object.assign(message, {
      subtype: 'tombstone',
      text: 'This message was deleted.',
      blocks: [],
      attachments: [],
      files: [],
    });
    delete message.metadata;
  } else {
    channel.messages = channel.messages.filter((other) => other !== message);
    if (message.thread_ts !== undefined) {
      const parent = findMessage(world, message.channel, message.thread_ts);
      if (parent !== undefined) parent.replies = parent.replies.filter((reply) => reply !== message);
    }
    world.index.delete(`${message.channel}:${message.ts}`);
  }
  world.changed({ what: 'message', channel: message.channel, ts: message.ts });
}

export type NewEphemeral = {
  channel: string;
  user: string;
  text: string;
  blocks?: Block[];
  attachments?: Attachment[];
  thread_ts?: string | undefined;
};

/** Shows a message to one person only. */
export function addEphemeral(world: World, input: NewEphemeral): Ephemeral {
  const channel = world.channels.get(input.channel);
  if (channel === undefined) throw new Error(`No channel ${input.channel}`);
  const ephemeral: Ephemeral = {
    ts: world.nextTs(),
    channel: input.channel,
    user: input.user,
    bot_id: BOT_ID,
    text: input.text,
    blocks: withIds(input.blocks ?? []),
    attachments: input.attachments ?? [],
    ...(input.thread_ts === undefined ? {} : { thread_ts: input.thread_ts }),
  };
  channel.ephemerals.push(ephemeral);
  world.ephemerals.set(`${ephemeral.channel}:${ephemeral.ts}`, ephemeral);
  world.changed({ what: 'ephemeral', channel: ephemeral.channel, ts: ephemeral.ts, user: ephemeral.user });
  return ephemeral;
}

export function changeEphemeral(world: World, ephemeral: Ephemeral, change: MessageChange): void {
  if (change.text !== undefined) ephemeral.text = change.text;
  ephemeral.blocks = withIds(change.blocks ?? []);
  ephemeral.attachments = change.attachments ?? [];
  world.changed({ what: 'ephemeral', channel: ephemeral.channel, ts: ephemeral.ts, user: ephemeral.user });
}

export function removeEphemeral(world: World, ephemeral: Ephemeral): void {
  const channel = world.channels.get(ephemeral.channel);
  if (channel !== undefined) channel.ephemerals = channel.ephemerals.filter((other) => other !== ephemeral);
  world.ephemerals.delete(`${ephemeral.channel}:${ephemeral.ts}`);
  world.changed({ what: 'ephemeral', channel: ephemeral.channel, ts: ephemeral.ts, user: ephemeral.user });
}

/** Returns a copy of a message, in the shape of the Web API and payloads. */
export function apiMessage(
  world: World,
  message: Message,
  options: { metadata?: boolean } = {},
): Record<string, unknown> {
  const { replies, channel: _channel, blocks, attachments, files, reactions, metadata, ...rest } = message;
  const latest = replies.at(-1);
  return structuredClone({
    ...rest,
    team: world.team.id,
    ...(message.bot_id === undefined
      ? {}
      : {
          bot_profile: {
            id: BOT_ID,
            app_id: APP_ID,
            user_id: BOT_USER,
            name: world.app.name,
            team_id: world.team.id,
            deleted: false,
          },
        }),
    ...(blocks.length > 0 ? { blocks } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(files.length > 0 ? { files: files.map(apiFile) } : {}),
    ...(reactions.length > 0 ? { reactions } : {}),
    ...(metadata !== undefined && options.metadata === true ? { metadata } : {}),
    ...(latest === undefined
      ? {}
      : {
          reply_count: replies.length,
          reply_users_count: new Set(replies.map((reply) => reply.user)).size,
          reply_users: [...new Set(replies.map((reply) => reply.user))],
          latest_reply: latest.ts,
        }),
  });
}

/** Returns a file in Slack's shape, without the fields that only the sandbox's page needs. */
export function apiFile(file: SlackFile): Record<string, unknown> {
  const { sandbox_url: _own, ...rest } = file;
  return { ...rest, mode: 'hosted', is_external: false, timestamp: rest.created };
}
