import { z } from 'zod';
import type { User, Usergroup } from './model.ts';
import type { ServerParts } from './server-parts.ts';
import { apiUser } from './web/other.ts';

export const userPatch = z.strictObject({
  is_admin: z.boolean().optional(),
  is_restricted: z.boolean().optional(),
  is_ultra_restricted: z.boolean().optional(),
  deleted: z.boolean().optional(),
});

export const usergroupPatch = z.strictObject({ users: z.array(z.string()) });

/** Makes a person a guest or an admin, or deactivates them, and delivers the event. */
export function changeUser(
  { world, events }: Pick<ServerParts, 'world' | 'events'>,
  user: User,
  patch: z.output<typeof userPatch>,
): void {
  Object.assign(user, patch);
  events.emit('user_change', { type: 'user_change', user: apiUser(user, world.team.id) });
  world.changed({ what: 'settings' });
}

/** Changes the members of a user group, and delivers the event. */
export function changeUsergroup(
  { world, events }: Pick<ServerParts, 'world' | 'events'>,
  group: Usergroup,
  { users }: z.output<typeof usergroupPatch>,
): void {
  const added = users.filter((user) => !group.users.includes(user));
  const removed = group.users.filter((user) => !users.includes(user));
  group.users = users;
  events.emit('subteam_members_changed', {
    type: 'subteam_members_changed',
    subteam_id: group.id,
    team_id: world.team.id,
    added_users: added,
    removed_users: removed,
  });
  world.changed({ what: 'settings' });
}
