import { z } from 'zod';
import { channelType } from './events.ts';
import type { Channel } from './model.ts';
import { BOT_USER } from './seed.ts';
import type { ServerParts } from './server-parts.ts';

/** The other company in shared channels. */
const OTHER_TEAM = 'T0OTHER';

export const channelPatch = z.strictObject({
  /** Its new id, as when a private channel becomes shared. Its messages stay. */
  id: z.string().optional(),
  archived: z.boolean().optional(),
  botIsMember: z.boolean().optional(),
  /** Shared with another company (Slack Connect); `pending`: the invitation is not accepted yet. */
  shared: z.union([z.boolean(), z.literal('pending')]).optional(),
  /** How an administrator limits posting in it; null: not at all. */
  posting: z.enum(['read_only', 'thread_only', 'non_threadable', 'restricted']).nullable().optional(),
  /** The members without the bot. */
  members: z.array(z.string()).optional(),
});

/** Archives or unarchives a channel, removes or adds the bot, or shares it, and delivers the matching events. */
export function changeChannel(
  { world, events }: ServerParts,
  channel: Channel,
  patch: z.output<typeof channelPatch>,
): void {
  const kind = { channel: 'C', group: 'G', im: 'D' }[channelType(channel)];
  if (patch.archived !== undefined && patch.archived !== channel.is_archived) {
    channel.is_archived = patch.archived;
    const type = `${eventPrefix(channel)}_${patch.archived ? 'archive' : 'unarchive'}`;
    events.emit(type, { type, channel: channel.id, user: 'U01ANN' }, channel.id);
  }
  if (patch.members !== undefined) changeMembers({ world, events }, channel, patch.members);
  const isMember = channel.members.includes(BOT_USER);
  if (patch.botIsMember === true && !isMember) {
    channel.members.push(BOT_USER);
    events.emit(
      'member_joined_channel',
      {
        type: 'member_joined_channel',
        user: BOT_USER,
        channel: channel.id,
        channel_type: kind,
        team: world.team.id,
        inviter: 'U01ANN',
      },
      channel.id,
    );
  }
  if (patch.botIsMember === false && isMember) {
    channel.members = channel.members.filter((member) => member !== BOT_USER);
    const type = `${eventPrefix(channel)}_left`;
    events.emit(type, { type, channel: channel.id, actor_id: 'U01ANN' }, channel.id);
    events.emit(
      'member_left_channel',
      {
        type: 'member_left_channel',
        user: BOT_USER,
        channel: channel.id,
        channel_type: kind,
        team: world.team.id,
      },
      channel.id,
    );
  }
  if (patch.posting !== undefined) {
    if (patch.posting === null) delete channel.posting;
    else channel.posting = patch.posting;
  }
  if (patch.shared !== undefined) {
    const was = channel.is_ext_shared;
    channel.is_ext_shared = patch.shared === true;
    channel.is_pending_ext_shared = patch.shared === 'pending';
    if (patch.shared === true && !was) {
      const event = { type: 'channel_shared', connected_team_id: OTHER_TEAM, channel: channel.id };
      events.emit('channel_shared', event, channel.id);
    } else if (was && patch.shared !== true) {
      const event = {
        type: 'channel_unshared',
        previously_connected_team_id: OTHER_TEAM,
        channel: channel.id,
        is_ext_shared: false,
      };
      events.emit('channel_unshared', event, channel.id);
    }
  }
  if (patch.id !== undefined) changeId({ world, events }, channel, patch.id);
  world.changed({ what: 'channel', channel: channel.id });
}

/** Gives a channel another id, and delivers the event. */
function changeId(
  { world, events }: Pick<ServerParts, 'world' | 'events'>,
  channel: Channel,
  id: string,
): void {
  const before = channel.id;
  const type = 'channel_id_changed';
  world.channels.delete(before);
  channel.id = id;
  world.channels.set(id, channel);
  for (const messages of [world.index, world.ephemerals] as Map<string, { channel: string; ts: string }>[]) {
    for (const [key, message] of [...messages]) {
      if (message.channel !== before) continue;
      messages.delete(key);
      message.channel = id;
      messages.set(`${id}:${message.ts}`, message);
    }
  }
  events.emit(type, { type, old_channel_id: before, new_channel_id: id }, id);
  world.changed({ what: 'channel', channel: before });
}

/** Changes the members of a channel, and delivers the matching events. */
function changeMembers(
  { world, events }: Pick<ServerParts, 'world' | 'events'>,
  channel: Channel,
  wanted: readonly string[],
): void {
  const before = channel.members.filter((member) => member !== BOT_USER);
  channel.members = [...wanted, ...channel.members.filter((member) => member === BOT_USER)];
  const emit = (type: 'member_joined_channel' | 'member_left_channel', user: string) =>
    events.emit(type, { type, user, channel: channel.id, team: world.team.id }, channel.id);
  for (const user of wanted) if (!before.includes(user)) emit('member_joined_channel', user);
  for (const user of before) if (!wanted.includes(user)) emit('member_left_channel', user);
}

/** Deletes a channel with all its messages. */
export function deleteChannel({ world, events }: ServerParts, channel: Channel): void {
  const type = `${eventPrefix(channel)}_deleted`;
  // Slack delivers the event to apps that were in the channel or could see it.
  const isSeen = !channel.is_private || channel.members.includes(BOT_USER);
  world.channels.delete(channel.id);
  for (const key of [...world.index.keys(), ...world.ephemerals.keys()]) {
    if (!key.startsWith(`${channel.id}:`)) continue;
    world.index.delete(key);
    world.ephemerals.delete(key);
  }
  if (isSeen) events.emit(type, { type, channel: channel.id, actor_id: 'U01ANN' }, channel.id);
  world.changed({ what: 'channel', channel: channel.id });
}

/** Returns the prefix of a channel's events: those of private channels have other names. */
function eventPrefix(channel: Channel): 'channel' | 'group' {
  return channelType(channel) === 'group' ? 'group' : 'channel';
}
