import type { WebClient } from '@slack/web-api';
import { ChannelId, MemberId } from '../domain/terms.ts';
import { type Person, personOf } from './person.ts';

type Call = <T>(method: string, run: () => Promise<T>) => Promise<T>;

/** A user group of the workspace. */
export interface UserGroup {
  readonly id: string;
  readonly name: string;
  readonly handle: string;
}

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

    /** Returns the channels that the bot is in. */
    async ownChannels(): Promise<ChannelId[]> {
      const found: ChannelId[] = [];
      let cursor: string | undefined;
      do {
        const page = await call('users.conversations', () =>
          client.users.conversations({
            types: 'public_channel,private_channel',
            exclude_archived: true,
            limit: 1_000,
            ...(cursor ? { cursor } : {}),
          }),
        );
        found.push(...(page.channels ?? []).flatMap(({ id }) => (id ? [ChannelId.parse(id)] : [])));
        cursor = page.response_metadata?.next_cursor || undefined;
      } while (cursor !== undefined);
      return found;
    },

    /** Returns the members of a user group. */
    async groupMembers(group: string): Promise<MemberId[]> {
      const { users } = await call('usergroups.users.list', () =>
        client.usergroups.users.list({ usergroup: group }),
      );
      return (users ?? []).map((id) => MemberId.parse(id));
    },

    /** Returns the workspace's user groups. */
    async groups(): Promise<UserGroup[]> {
      const { usergroups } = await call('usergroups.list', () => client.usergroups.list({}));
      return (usergroups ?? []).flatMap(({ id, name = '', handle = '' }) =>
        id ? [{ id, name, handle }] : [],
      );
    },

    /** Returns the admins on one page of the workspace's members, and the cursor of the next page, if there is one. */
    async adminsOnPage(from: string | undefined): Promise<{ admins: MemberId[]; next: string | undefined }> {
      const page = await call('users.list', () =>
        client.users.list({ limit: 1_000, ...(from ? { cursor: from } : {}) }),
      );
      const admins = (page.members ?? []).flatMap((user) => {
        const { isAdmin, isBot, isDeactivated } = personOf(user);
        return user.id && isAdmin && !isBot && !isDeactivated ? [MemberId.parse(user.id)] : [];
      });
      return { admins, next: page.response_metadata?.next_cursor || undefined };
    },
  };
}
