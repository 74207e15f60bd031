import { z } from 'zod';
import { channelType } from './events.ts';
import type { Channel } from './model.ts';
import { BOT_USER } from './seed.ts';
import type { ServerParts } from './server-parts.ts';

export const channelPatch = z.strictObject({
  archived: z.boolean().optional(),
  botIsMember: z.boolean().optional(),
});

/** Archives or unarchives a channel, removes or adds the bot, and delivers the events of that. */
export function changeChannel(
  { world, events }: ServerParts,
  channel: Channel,
  patch: z.output<typeof channelPatch>,
): void {
  const kind = { channel: 'C', group: 'G', im: 'D' }[channelType(channel)];
  if (patch.archived !== undefined && patch.archived !== channel.is_archived) {
    channel.is_archived = patch.archived;
    const type = patch.archived ? 'channel_archive' : 'channel_unarchive';
    events.emit(type, { type, channel: channel.id, user: 'U01ANN' }, channel.id);
  }
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
    events.emit(
      'channel_left',
      { type: 'channel_left', channel: channel.id, actor_id: 'U01ANN' },
      channel.id,
    );
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
  world.changed({ what: 'channel', channel: channel.id });
}
