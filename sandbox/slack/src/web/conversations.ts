import { channelType } from '../events.ts';
import { apiMessage } from '../messages.ts';
import type { Channel } from '../model.ts';
import { BOT_USER, directChannelId } from '../seed.ts';
import { findMessage, type World } from '../world.ts';
import { type Args, bool, channelOf, int, type Method, needStr, page, SlackApiError, str } from './method.ts';

const PLURAL = { channel: 'channels', group: 'groups', im: 'im' } as const;
const TYPES: Record<string, keyof typeof PLURAL> = {
  public_channel: 'channel',
  private_channel: 'group',
  im: 'im',
};

/** Returns scopes such as `channels:read` or `groups:history`, depending on the kind of channel. */
const byKind =
  (access: 'read' | 'history') =>
  (args: Args, world: World): string[] => {
    const channel = world.channels.get(str(args, 'channel') ?? '');
    return channel === undefined
      ? Object.values(PLURAL).map((kind) => `${kind}:${access}`)
      : [`${PLURAL[channelType(channel)]}:${access}`];
  };

/** Returns a channel in the shape of the Web API. */
function apiChannel(channel: Channel): Record<string, unknown> {
  const kind = channelType(channel);
  return {
    id: channel.id,
    created: 1_700_000_000,
    is_channel: kind === 'channel',
    is_group: kind === 'group',
    is_im: kind === 'im',
    is_mpim: false,
    is_private: channel.is_private,
    is_archived: channel.is_archived,
    is_shared: channel.is_ext_shared,
    is_ext_shared: channel.is_ext_shared,
    is_org_shared: false,
    is_pending_ext_shared: channel.is_pending_ext_shared,
    ...(kind === 'im'
      ? { user: channel.user, is_user_deleted: false }
      : {
          name: channel.name,
          name_normalized: channel.name,
          is_general: false,
          is_member: channel.members.includes(BOT_USER),
          creator: 'U01ANN',
          topic: { value: channel.topic, creator: '', last_set: 0 },
          purpose: { value: '', creator: '', last_set: 0 },
          num_members: channel.members.length,
        }),
  };
}

/** Returns a channel whose messages the bot may read. */
function readable(world: World, id: string): Channel {
  const channel = channelOf(world, id);
  if (!channel.members.includes(BOT_USER)) throw new SlackApiError('not_in_channel');
  return channel;
}

function inWindow(ts: string, args: Args): boolean {
  const at = Number(ts);
  const oldest = Number(str(args, 'oldest') ?? 0);
  const latest = Number(str(args, 'latest') ?? Number.POSITIVE_INFINITY);
  return bool(args, 'inclusive') ? at >= oldest && at <= latest : at > oldest && at < latest;
}

/** Returns the kinds of channels that a list is asked for. */
function kindsIn(args: Args): (keyof typeof PLURAL)[] {
  return (str(args, 'types') ?? 'public_channel').split(',').flatMap((type) => TYPES[type.trim()] ?? []);
}

/** Returns a page of the channels of these kinds that are listed. */
function channelPage(args: Args, world: World, isListed: (channel: Channel) => boolean) {
  const kinds = kindsIn(args);
  const channels = [...world.channels.values()].filter(
    (channel) =>
      kinds.includes(channelType(channel)) &&
      isListed(channel) &&
      !(channel.is_archived && bool(args, 'exclude_archived')),
  );
  const { items, response_metadata } = page(channels, args, 100);
  return { channels: items.map(apiChannel), response_metadata };
}

export const conversationMethods: Record<string, Method> = {
  'conversations.info': {
    scopes: byKind('read'),
    token: 'bot',
    tier: 'tier3',
    run: (args, { world }) => {
      const channel = channelOf(world, needStr(args, 'channel'));
      return { channel: apiChannel(channel) };
    },
  },
  'conversations.list': {
    scopes: (args) => kindsIn(args).map((kind) => `${PLURAL[kind]}:read`),
    token: 'bot',
    tier: 'tier2',
    run: (args, { world }) =>
      channelPage(args, world, ({ is_private, members }) => !is_private || members.includes(BOT_USER)),
  },
  'users.conversations': {
    scopes: (args) => kindsIn(args).map((kind) => `${PLURAL[kind]}:read`),
    token: 'bot',
    tier: 'tier3',
    run: (args, { world }) => channelPage(args, world, ({ members }) => members.includes(BOT_USER)),
  },
  'conversations.members': {
    scopes: byKind('read'),
    token: 'bot',
    tier: 'tier4',
    run: (args, { world }) => {
      const { items, response_metadata } = page(
        channelOf(world, needStr(args, 'channel')).members,
        args,
        100,
      );
      return { members: items, response_metadata };
    },
  },
  'conversations.history': {
    scopes: byKind('history'),
    token: 'bot',
    tier: 'tier3',
    run: (args, { world }) => {
      const channel = readable(world, needStr(args, 'channel'));
      const messages = channel.messages.filter((message) => inWindow(message.ts, args)).reverse();
      const { items, ...rest } = page(
        messages,
        { ...args, limit: Math.min(int(args, 'limit', 100), 999) },
        100,
      );
      const metadata = bool(args, 'include_all_metadata');
      return { messages: items.map((message) => apiMessage(world, message, { metadata })), ...rest };
    },
  },
  'conversations.replies': {
    scopes: byKind('history'),
    token: 'bot',
    tier: 'tier3',
    run: (args, { world }) => {
      const channel = readable(world, needStr(args, 'channel'));
      const asked = findMessage(world, channel.id, needStr(args, 'ts'));
      if (asked === undefined) throw new SlackApiError('thread_not_found');
      const parent = findMessage(world, channel.id, asked.thread_ts ?? asked.ts) ?? asked;
      const replies = parent.replies.filter((reply) => inWindow(reply.ts, args));
      const { items, ...rest } = page([parent, ...replies], args, 1000);
      const metadata = bool(args, 'include_all_metadata');
      return { messages: items.map((message) => apiMessage(world, message, { metadata })), ...rest };
    },
  },
  'conversations.open': {
    scopes: ['im:write'],
    token: 'bot',
    tier: 'tier3',
    run: (args, { world }) => {
      const users = (str(args, 'users') ?? '').split(',').filter((user) => user !== '');
      const id = str(args, 'channel') ?? (users[0] === undefined ? undefined : directChannelId(users[0]));
      if (users.length > 1) throw new SlackApiError('not_enabled');
      if (users[0] === BOT_USER) throw new SlackApiError('cannot_dm_bot');
      const channel = world.channels.get(id ?? '');
      if (channel === undefined || !channel.is_im)
        throw new SlackApiError(users.length === 1 ? 'user_not_found' : 'channel_not_found');
      return {
        no_op: true,
        already_open: true,
        channel: bool(args, 'return_im') ? apiChannel(channel) : { id: channel.id },
      };
    },
  },
  'conversations.join': {
    scopes: ['channels:join'],
    token: 'bot',
    tier: 'tier3',
    run: (args, { world, events }) => {
      const channel = channelOf(world, needStr(args, 'channel'));
      if (channel.is_archived) throw new SlackApiError('is_archived');
      if (channel.is_private) throw new SlackApiError('method_not_supported_for_channel_type');
      if (channel.members.includes(BOT_USER))
        return {
          channel: apiChannel(channel),
          warning: 'already_in_channel',
          response_metadata: { warnings: ['already_in_channel'] },
        };
      channel.members.push(BOT_USER);
      world.changed({ what: 'channel', channel: channel.id });
      events.emit(
        'member_joined_channel',
        {
          type: 'member_joined_channel',
          user: BOT_USER,
          channel: channel.id,
          channel_type: 'C',
          team: world.team.id,
        },
        channel.id,
      );
      return { channel: apiChannel(channel) };
    },
  },
};
