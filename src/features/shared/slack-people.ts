import type { MemberId, WorkspaceId } from '../../domain/terms.ts';
import type { Logger } from '../../logger.ts';
import type { Messenger } from '../../slack/messenger.ts';
import type { Person } from '../../slack/person.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { type Circle, factsMs, type People } from '../../store/people.ts';

export type SlackPeople = ReturnType<typeof createSlackPeople>;

/** How what is known of people may be used. */
interface Freshness {
  /** Only what Slack says now counts: money is about to be spent. */
  readonly isFresh: boolean;
}

/** What is known of people in Slack: asked there, and remembered for at most 5 minutes. */
export function createSlackPeople({
  people,
  messengerOf,
  logger,
  now,
}: {
  readonly people: People;
  readonly messengerOf: (
    workspace: WorkspaceId,
  ) => Pick<Messenger, 'person' | 'channelMembers' | 'groupMembers'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now: () => number;
}) {
  const isRecent = (at: number) => at <= now() && now() - at < factsMs;

  /** Returns what Slack answers; undefined when it cannot be asked. */
  async function asked<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      logger.warn({ err: error }, 'Slack could not be asked about a person');
      return undefined;
    }
  }

  async function membersOf(workspace: WorkspaceId, circle: Circle): Promise<MemberId[]> {
    const messenger = messengerOf(workspace);
    return circle.kind === 'group'
      ? messenger.groupMembers(circle.id)
      : messenger.channelMembers(circle.id as Parameters<Messenger['channelMembers']>[0]);
  }

  /**
   * Returns whether a person is in a channel or user group; undefined when that cannot be found out. That they are not
   * is never said from memory: they may have joined just now.
   */
  async function isIn(
    workspace: WorkspaceId,
    circle: Circle,
    member: MemberId,
    { isFresh }: Freshness,
  ): Promise<boolean | undefined> {
    const known = await people.membership(workspace, circle, member);
    if (!isFresh && known?.isIn && isRecent(known.at)) return true;
    const at = now();
    const found = await asked(() => membersOf(workspace, circle));
    if (found === undefined) return isFresh ? undefined : known?.isIn;
    await people.putMembers(workspace, circle, found, at);
    return found.includes(member);
  }

  return {
    /**
     * Returns what Slack says of a person; undefined when it cannot be asked. When it cannot be, the last known answer
     * counts, unless only a fresh one may.
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

    /** Returns those of several user groups that a member is in. Memory counts: for what is only shown. */
    async groupsOf(
      workspace: WorkspaceId,
      groups: readonly string[],
      member: MemberId,
    ): Promise<readonly string[]> {
      const found = await Promise.all(
        groups.map(async (id) => {
          const circle = { kind: 'group', id } as const;
          const known = await people.membership(workspace, circle, member);
          if (known !== undefined && isRecent(known.at)) return known.isIn;
          return isIn(workspace, circle, member, { isFresh: false });
        }),
      );
      return groups.filter((_, index) => found[index] === true);
    },

    /** Returns who is in a channel or user group now; nobody while Slack cannot be asked. */
    async members(workspace: WorkspaceId, circle: Circle): Promise<readonly MemberId[]> {
      const at = now();
      const found = await asked(() => membersOf(workspace, circle));
      if (found !== undefined) await people.putMembers(workspace, circle, found, at);
      return found ?? [];
    },

    /** The same as far as it is remembered, for what is only told: Slack is asked when that is too old. */
    async rememberedMembers(workspace: WorkspaceId, circle: Circle): Promise<readonly MemberId[]> {
      const known = await people.members(workspace, circle);
      if (known !== undefined && isRecent(known.at)) return known.members;
      const at = now();
      const found = await asked(() => membersOf(workspace, circle));
      if (found !== undefined) await people.putMembers(workspace, circle, found, at);
      return found ?? known?.members ?? [];
    },

    forgetPerson: people.forgetPerson,
    forgetMembers: people.forgetMembers,
  };
}
