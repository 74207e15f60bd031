import type { MemberId, WorkspaceId } from '../domain/terms.ts';
import type { Logger } from '../logger.ts';
import type { Person } from '../slack/members.ts';
import type { Messenger } from '../slack/messenger.ts';
import { SlackError } from '../slack/slack-error.ts';
import { type MemberGroup, type People, personFreshMs } from '../store/people.ts';

export type SlackPeople = ReturnType<typeof createSlackPeople>;

/** How current the data about people must be. */
export interface Freshness {
  /** Bypasses the cache, because money is about to be spent. */
  readonly isFresh: boolean;
}

/** Time between two pages of a workspace's members (ms): Slack allows 20 a minute. */
const pageApartMs = 3_000;

/** Wait before Slack is asked again after it did not answer (ms). */
const unansweredMs = 15_000;

/** People who may have to be searched for; `waitMs`: how long to wait before the search continues. */
export type Searched =
  | { readonly members: readonly MemberId[] }
  | { readonly members: undefined; readonly waitMs: number };

/** Creates the lookup of people in Slack, cached for at most 5 minutes. */
export function createSlackPeople({
  people,
  messengerOf,
  logger,
  now,
}: {
  readonly people: People;
  readonly messengerOf: (
    workspace: WorkspaceId,
  ) => Pick<Messenger, 'adminsOnPage' | 'person' | 'channelMembers' | 'groupMembers'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now: () => number;
}) {
  const isRecent = (at: number) => at <= now() && now() - at < personFreshMs;

  /** Returns Slack's answer; undefined if it cannot be asked. */
  async function asked<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      logger.warn({ err: error }, 'Slack could not be asked about a person');
      return undefined;
    }
  }

  /** Returns the members of a channel or user group, as Slack says; undefined if it cannot be asked. */
  async function fetchMembers(workspace: WorkspaceId, group: MemberGroup): Promise<MemberId[] | undefined> {
    const messenger = messengerOf(workspace);
    const at = now();
    const found = await asked(() =>
      group.kind === 'group'
        ? messenger.groupMembers(group.id)
        : messenger.channelMembers(group.id as Parameters<Messenger['channelMembers']>[0]),
    );
    if (found !== undefined) await people.putMembers(workspace, group, found, at);
    return found;
  }

  /**
   * Returns whether a person is in a channel or user group; undefined if unknown. A negative answer never comes from the
   * cache: they may have just joined.
   */
  async function isIn(
    workspace: WorkspaceId,
    group: MemberGroup,
    member: MemberId,
    { isFresh }: Freshness,
  ): Promise<boolean | undefined> {
    const known = await people.membership(workspace, group, member);
    if (!isFresh && known?.isIn && isRecent(known.at)) return true;
    const found = await fetchMembers(workspace, group);
    return found?.includes(member) ?? (isFresh ? undefined : known?.isIn);
  }

  return {
    /**
     * Returns Slack's data about a person; undefined if unavailable. If Slack cannot be asked, the last known answer
     * counts, unless a fresh one is required.
     */
    async person(
      workspace: WorkspaceId,
      member: MemberId,
      { isFresh }: Freshness,
    ): Promise<Person | undefined> {
      const known = await people.person(workspace, member);
      if (!isFresh && known !== undefined && isRecent(known.at)) return known;
      const at = now();
      const found = await asked(() => messengerOf(workspace).person(member));
      if (found === undefined) return isFresh ? undefined : known;
      await people.putPerson(workspace, member, { ...found, at });
      return found;
    },

    isIn,

    /**
     * Returns the admins of a workspace, as of the last hour. Each call searches at most one page of its members: in a
     * large workspace, a job has to call this again.
     */
    async admins(workspace: WorkspaceId): Promise<Searched> {
      const known = await people.admins(workspace);
      if (known !== undefined && known.next === undefined) return { members: known.admins };
      try {
        const { admins, next } = await messengerOf(workspace).adminsOnPage(known?.next);
        const found = [...new Set([...(known?.admins ?? []), ...admins])];
        await people.putAdmins(workspace, { admins: found, ...(next === undefined ? {} : { next }) });
        return next === undefined ? { members: found } : { members: undefined, waitMs: pageApartMs };
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        logger.warn({ err: error }, 'admins not found yet');
        // Such as a cursor that has expired.
        if (error.kind === 'refused') await people.forgetAdmins(workspace);
        return { members: undefined, waitMs: error.retryAfterMs || unansweredMs };
      }
    },

    /** Returns which of several user groups a member is in. Uses the cache, because the result is only displayed. */
    async groupsOf(
      workspace: WorkspaceId,
      groups: readonly string[],
      member: MemberId,
    ): Promise<readonly string[]> {
      const found = await Promise.all(
        groups.map(async (id) => {
          const group = { kind: 'group', id } as const;
          const known = await people.membership(workspace, group, member);
          if (known !== undefined && isRecent(known.at)) return known.isIn;
          return isIn(workspace, group, member, { isFresh: false });
        }),
      );
      return groups.filter((_, index) => found[index] === true);
    },

    /** Returns the members of a channel or user group; if they must be current, none while Slack cannot be asked. */
    async members(
      workspace: WorkspaceId,
      group: MemberGroup,
      { isFresh }: Freshness,
    ): Promise<readonly MemberId[]> {
      const known = isFresh ? undefined : await people.members(workspace, group);
      if (known !== undefined && isRecent(known.at)) return known.members;
      return (await fetchMembers(workspace, group)) ?? known?.members ?? [];
    },

    forgetPerson: people.forgetPerson,
    forgetMembers: people.forgetMembers,
  };
}
