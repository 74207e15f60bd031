import type { PlainTextOption } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { type ChannelId, MemberId } from '../domain/terms.ts';
import { option } from './blocks.ts';
import { limits } from './limits.ts';
import { type Person, personOf } from './person.ts';

type Call = <T>(method: string, run: () => Promise<T>) => Promise<T>;

/** Creates the messenger's queries about people: who they are, and who is in a channel, a user group or the workspace. */
export function createMembers(client: WebClient, call: Call) {
  return {
    /** Returns a member's name, for texts without mentions; their id when Slack does not return a name. */
    async memberName(member: MemberId): Promise<string> {
      try {
        const { user } = await client.users.info({ user: member });
        return user?.profile?.display_name || user?.real_name || user?.name || member;
      } catch {
        return member;
      }
    },

    /** Returns Slack's data about a person, of any workspace. */
    async person(member: MemberId): Promise<Person> {
      const { user } = await call('users.info', () => client.users.info({ user: member }));
      return personOf(user ?? {});
    },

    /** Returns the members of a channel. */
    async channelMembers(channel: ChannelId): Promise<MemberId[]> {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await call('conversations.members', () =>
          client.conversations.members({ channel, limit: 1_000, ...(cursor ? { cursor } : {}) }),
        );
        found.push(...(page.members ?? []));
        cursor = page.response_metadata?.next_cursor || undefined;
      } while (cursor !== undefined);
      return found.map((id) => MemberId.parse(id));
    },

    /** Returns the members of a user group. */
    async groupMembers(group: string): Promise<MemberId[]> {
      const { users } = await call('usergroups.users.list', () =>
        client.usergroups.users.list({ usergroup: group }),
      );
      return (users ?? []).map((id) => MemberId.parse(id));
    },

    /** Returns the workspace's user groups as options of a select, at most as many as it takes. */
    async groupOptions(): Promise<PlainTextOption[]> {
      const { usergroups } = await call('usergroups.list', () => client.usergroups.list({}));
      return (usergroups ?? [])
        .flatMap(({ id, name, handle }) => (id ? [option(name || handle || id, id)] : []))
        .slice(0, limits.options);
    },

    /** Returns the admins of the workspace who are people. */
    async admins(): Promise<MemberId[]> {
      const found: MemberId[] = [];
      let cursor: string | undefined;
      do {
        const page = await call('users.list', () =>
          client.users.list({ limit: 200, ...(cursor ? { cursor } : {}) }),
        );
        for (const user of page.members ?? []) {
          const { isAdmin, isBot, isDeactivated } = personOf(user);
          if (user.id && isAdmin && !isBot && !isDeactivated) found.push(MemberId.parse(user.id));
        }
        cursor = page.response_metadata?.next_cursor || undefined;
      } while (cursor !== undefined);
      return found;
    },
  };
}
