import type { Assignee } from '../../domain/assignment.ts';
import { chunksOf } from '../../domain/collections.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';

/**
 * Maximum size of a user group whose members are notified individually. Larger groups have the reminders of their
 * channel.
 */
export const toldOfGroup = 25;
const askedAtOnce = 10;

/** Creates the resolution of assignees to members; only those who may rate count. */
export function createAssignees({ people }: Modules) {
  const mayRate = (ref: AccountRef, member: MemberId) =>
    people.access.has({ workspace: ref.workspace, team: ref.workspace, member }, ref, 'rate');

  const membersOf = ({ workspace }: AccountRef, group: string) =>
    people.slack.members(workspace, { kind: 'group', id: group }, { isFresh: false });

  async function raters(ref: AccountRef, members: readonly MemberId[]): Promise<MemberId[]> {
    const found: MemberId[] = [];
    for (const some of chunksOf([...members], askedAtOnce)) {
      const may = await Promise.all(some.map((member) => mayRate(ref, member)));
      found.push(...some.filter((_, index) => may[index]));
    }
    return found;
  }

  return {
    /** Returns whether a task can be assigned to a member who may rate, or to a user group that contains one. */
    async canHave(ref: AccountRef, to: Assignee): Promise<boolean> {
      if ('member' in to) return mayRate(ref, to.member);
      for (const some of chunksOf([...(await membersOf(ref, to.group))], askedAtOnce))
        if ((await raters(ref, some)).length > 0) return true;
      return false;
    },

    /** Returns the members notified individually of an assignment. */
    async told(ref: AccountRef, to: Assignee): Promise<readonly MemberId[]> {
      if ('member' in to) return raters(ref, [to.member]);
      const members = await membersOf(ref, to.group);
      return members.length > toldOfGroup ? [] : raters(ref, members);
    },
  };
}
