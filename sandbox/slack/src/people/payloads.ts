import type { Channel, User } from '../model.ts';
import { APP_ID } from '../seed.ts';
import type { World } from '../world.ts';

/** Thrown if an action cannot be carried out; the message is for the person. */
export class ActError extends Error {
  override readonly name = 'ActError';
}

export function personOf(world: World, id: string): User {
  const user = world.users.find((candidate) => candidate.id === id && !candidate.is_bot);
  if (user === undefined) throw new ActError(`There is no person ${id}`);
  return user;
}

export function placeOf(world: World, id: string): Channel {
  const channel = world.channels.get(id);
  if (channel === undefined) throw new ActError(`There is no channel ${id}`);
  return channel;
}

/** Returns the channel name used in payloads. */
const payloadName = (channel: Channel): string =>
  channel.is_im ? 'directmessage' : channel.is_private ? 'privategroup' : channel.name;

export const channelField = (channel: Channel) => ({ id: channel.id, name: payloadName(channel) });

/** Returns the fields that every interaction payload has. */
export function interaction(world: World, user: User) {
  return {
    user: { id: user.id, username: user.name, name: user.name, team_id: user.team_id ?? world.team.id },
    api_app_id: APP_ID,
    token: 'sandbox-verification',
    team: { id: world.team.id, domain: world.team.domain },
    enterprise: null,
    is_enterprise_install: false,
  };
}

/** Returns the fields of a slash command. */
export function commandFields(
  world: World,
  user: User,
  channel: Channel,
  command: { command: string; text: string; responseUrl: string; triggerId: string },
): Record<string, string> {
  return {
    token: 'sandbox-verification',
    team_id: world.team.id,
    team_domain: world.team.domain,
    channel_id: channel.id,
    channel_name: payloadName(channel),
    user_id: user.id,
    user_name: user.name,
    command: command.command,
    text: command.text,
    api_app_id: APP_ID,
    is_enterprise_install: 'false',
    response_url: command.responseUrl,
    trigger_id: command.triggerId,
  };
}
