import { z } from 'zod';
import { entitySchema } from '../entities.ts';
import type { User } from '../model.ts';
import { APP_ID, BOT_ID, BOT_USER } from '../seed.ts';
import { findMessage } from '../world.ts';
import { bool, channelOf, json, type Method, needStr, page, SlackApiError, str } from './method.ts';
import { usable } from './views.ts';

/** Returns a person in the shape of the Web API. */
export function apiUser(user: User, workspace: string): Record<string, unknown> {
  const teamId = user.team_id ?? workspace;
  return {
    id: user.id,
    team_id: teamId,
    name: user.name,
    deleted: user.deleted,
    real_name: user.real_name,
    tz: user.tz,
    tz_label: user.tz,
    is_admin: user.is_admin,
    is_owner: user.is_admin,
    is_primary_owner: false,
    is_restricted: user.is_restricted,
    is_ultra_restricted: user.is_ultra_restricted,
    is_stranger: false,
    is_bot: user.is_bot,
    is_app_user: false,
    updated: 1_700_000_000,
    profile: {
      real_name: user.real_name,
      display_name: user.real_name.split(' ')[0],
      real_name_normalized: user.real_name.normalize('NFD').replace(/\p{M}/gu, ''),
      team: teamId,
      ...(user.is_bot ? { bot_id: BOT_ID, api_app_id: APP_ID } : {}),
    },
  };
}

const entityError = z.looseObject({
  status: z.enum([
    'restricted',
    'internal_error',
    'not_found',
    'custom',
    'custom_partial_view',
    'edit_error',
  ]),
  custom_message: z.string().optional(),
});

const BOT = { token: 'bot' } as const;

/** Methods about the app, people and groups. */
export const otherMethods: Record<string, Method> = {
  'api.test': {
    scopes: [],
    token: 'none',
    tier: 'none',
    run: (args) => {
      const error = str(args, 'error');
      if (error !== undefined) throw new SlackApiError(error, { args });
      return { args };
    },
  },
  'auth.test': {
    scopes: [],
    token: 'either',
    tier: 'special',
    run: (_args, { world }) => ({
      url: `${world.baseUrl}/`,
      team: world.team.name,
      user: world.users.find((user) => user.id === BOT_USER)?.name,
      team_id: world.team.id,
      user_id: BOT_USER,
      bot_id: BOT_ID,
      is_enterprise_install: false,
    }),
  },
  'apps.connections.open': {
    scopes: [],
    token: 'app',
    tier: 'special',
    run: (_args, { sockets }) => ({ url: sockets.open() }),
  },
  'bots.info': {
    ...BOT,
    scopes: ['users:read'],
    tier: 'tier3',
    run: (args, { world }) => {
      const id = str(args, 'bot') ?? BOT_ID;
      if (id !== BOT_ID) throw new SlackApiError('bot_not_found');
      return {
        bot: { id: BOT_ID, app_id: APP_ID, user_id: BOT_USER, name: world.app.name, deleted: false },
      };
    },
  },
  'users.info': {
    ...BOT,
    scopes: ['users:read'],
    tier: 'tier4',
    run: (args, { world }) => {
      const id = needStr(args, 'user');
      const user = world.users.find((candidate) => candidate.id === id);
      if (user === undefined) throw new SlackApiError('user_not_found');
      return { user: apiUser(user, world.team.id) };
    },
  },
  'users.list': {
    ...BOT,
    scopes: ['users:read'],
    tier: 'tier2',
    run: (args, { world }) => {
      const { items, response_metadata } = page(world.users, args, 200);
      return { members: items.map((user) => apiUser(user, world.team.id)), response_metadata };
    },
  },
  'team.info': {
    ...BOT,
    scopes: ['team:read'],
    tier: 'tier3',
    run: (_args, { world }) => ({ team: world.team }),
  },
  'usergroups.list': {
    ...BOT,
    scopes: ['usergroups:read'],
    tier: 'tier2',
    run: (args, { world }) => ({
      usergroups: world.usergroups.map(({ users, ...group }) => ({
        ...group,
        team_id: world.team.id,
        is_usergroup: true,
        ...(bool(args, 'include_count') ? { user_count: users.length } : {}),
        ...(bool(args, 'include_users') ? { users } : {}),
      })),
    }),
  },
  'usergroups.users.list': {
    ...BOT,
    scopes: ['usergroups:read'],
    tier: 'tier2',
    run: (args, { world }) => {
      const group = world.usergroups.find((candidate) => candidate.id === needStr(args, 'usergroup'));
      if (group === undefined) throw new SlackApiError('no_such_subteam');
      return { users: group.users };
    },
  },
  'entity.presentDetails': {
    ...BOT,
    scopes: [],
    tier: 'tier3',
    run: (args, { world, triggers }) => {
      const { id, trigger } = usable(triggers, args);
      const pane = world.flexpanes.get(trigger.user);
      if (pane?.trigger !== id) throw new SlackApiError('invalid_trigger_id');
      const error = json(args, 'error', 'invalid_arguments');
      const shown = entitySchema.safeParse(json(args, 'metadata', 'invalid_metadata'));
      if (error !== undefined) pane.error = entityError.parse(error);
      else if (!shown.success) throw new SlackApiError('invalid_metadata');
      else if (shown.data.external_ref.id !== pane.entity.external_ref.id)
        throw new SlackApiError('entity_metadata_does_not_match_trigger');
      else pane.shown = shown.data;
      triggers.use(id);
      world.changed({ what: 'view', user: trigger.user });
      return {};
    },
  },
  'reactions.add': {
    ...BOT,
    scopes: ['reactions:write'],
    tier: 'tier3',
    run: (args, { world }) => {
      const channel = channelOf(world, needStr(args, 'channel'));
      const message = findMessage(world, channel.id, needStr(args, 'timestamp'));
      if (message === undefined) throw new SlackApiError('message_not_found');
      if (!addReaction(message.reactions, needStr(args, 'name'), BOT_USER))
        throw new SlackApiError('already_reacted');
      world.changed({ what: 'message', channel: channel.id, ts: message.ts });
      return {};
    },
  },
};

/** Adds a reaction. Returns false if the person already has that reaction. */
export function addReaction(
  reactions: { name: string; users: string[]; count: number }[],
  name: string,
  user: string,
): boolean {
  const known = reactions.find((reaction) => reaction.name === name);
  if (known === undefined) {
    reactions.push({ name, users: [user], count: 1 });
    return true;
  }
  if (known.users.includes(user)) return false;
  known.users.push(user);
  known.count += 1;
  return true;
}
