import type { WebClient } from '@slack/web-api';
import { type ChannelId, MemberId, WorkspaceId } from '../domain/terms.ts';
import type { Call } from './slack-error.ts';

/** Creates the messenger's queries about people: who they are, and who is in a channel or the workspace. */
export function createMembers(client: WebClient, call: Call) {
  async function allPages<Page extends { response_metadata?: { next_cursor?: string } }>(
    method: string,
    read: (paged: { limit: number; cursor?: string }) => Promise<Page>,
  ): Promise<Page[]> {
    const pages: Page[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await call(method, () => read({ limit: 1_000, ...(cursor ? { cursor } : {}) }));
      pages.push(page);
      cursor = page.response_metadata?.next_cursor || undefined;
      if (cursor === undefined) return pages;
    }
  }

  return {
    /** Returns Slack's data about a person, of any workspace. */
    async person(member: MemberId): Promise<Person> {
      const { user } = await call('users.info', () => client.users.info({ user: member }));
      return personOf(user ?? {});
    },

    async channelMembers(channel: ChannelId): Promise<MemberId[]> {
      const pages = await allPages('conversations.members', (paged) =>
        client.conversations.members({ channel, ...paged }),
      );
      return pages.flatMap(({ members = [] }) => members).map((id) => MemberId.parse(id));
    },

    /** Returns the workspaces that the token of an organization is for. */
    async teams(): Promise<string[]> {
      const pages = await allPages('auth.teams.list', (paged) => client.auth.teams.list(paged));
      return pages.flatMap(({ teams = [] }) => teams).flatMap(({ id = [] }) => id);
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

/** The properties of a Slack user that decide what they may do. */
export interface Person {
  /** The workspaces that they are a member of: several in an organization. */
  readonly teams: readonly WorkspaceId[];
  /** A guest of one or several channels. */
  readonly isGuest: boolean;
  readonly isBot: boolean;
  readonly isDeactivated: boolean;
  /** An admin or owner of the workspace. */
  readonly isAdmin: boolean;
  /** Their time zone (IANA), as they have set it in Slack. */
  readonly zone?: string;
  /** As others see it. */
  readonly name?: string;
}

interface ApiUser {
  readonly team_id?: string;
  readonly deleted?: boolean;
  readonly is_bot?: boolean;
  readonly is_restricted?: boolean;
  readonly is_ultra_restricted?: boolean;
  readonly name?: string;
  readonly real_name?: string;
  readonly profile?: { readonly display_name?: string };
  readonly tz?: string;
  readonly is_admin?: boolean;
  readonly is_owner?: boolean;
  readonly enterprise_user?: { readonly teams?: readonly string[] };
}

/** Returns the relevant properties of a user from the Web API. */
export function personOf(user: ApiUser): Person {
  const name = user.profile?.display_name || user.real_name || user.name;
  const teams = [user.team_id ?? '', ...(user.enterprise_user?.teams ?? [])];
  return {
    teams: [...new Set(teams)].map((team) => WorkspaceId.parse(team)),
    isGuest: user.is_restricted === true || user.is_ultra_restricted === true,
    isBot: user.is_bot === true,
    isDeactivated: user.deleted === true,
    isAdmin: user.is_admin === true || user.is_owner === true,
    ...(user.tz ? { zone: user.tz } : {}),
    ...(name ? { name } : {}),
  };
}
