import type { Assignee } from '../../domain/assignment.ts';
import { chunksOf } from '../../domain/group.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { FeatureContext } from '../shared/context.ts';

/** How many members of a user group are told one by one. A larger one has the reminders of its channel. */
export const toldOfGroup = 25;
const askedAtOnce = 10;

/** Creates what finds out whom an assignment concerns: only those who may rate. */
export function createAssignees({ access, slackPeople }: Pick<FeatureContext, 'access' | 'slackPeople'>) {
  const mayRate = (ref: AccountRef, member: MemberId) =>
    access.has({ workspace: ref.workspace, team: ref.workspace, member }, ref, 'rate');

  const membersOf = ({ workspace }: AccountRef, group: string) =>
    slackPeople.rememberedMembers(workspace, { kind: 'group', id: group });

  async function raters(ref: AccountRef, members: readonly MemberId[]): Promise<MemberId[]> {
    const found: MemberId[] = [];
    for (const some of chunksOf([...members], askedAtOnce)) {
      const may = await Promise.all(some.map((member) => mayRate(ref, member)));
      found.push(...some.filter((_, index) => may[index]));
    }
    return found;
  }

  return {
    /** Returns whether a task can be assigned to somebody: a member who may rate, or a user group with one. */
    async canHave(ref: AccountRef, to: Assignee): Promise<boolean> {
      if ('member' in to) return mayRate(ref, to.member);
      for (const some of chunksOf([...(await membersOf(ref, to.group))], askedAtOnce))
        if ((await raters(ref, some)).length > 0) return true;
      return false;
    },

    /** Returns the members who are told one by one of what is assigned. */
    async told(ref: AccountRef, to: Assignee): Promise<readonly MemberId[]> {
      if ('member' in to) return raters(ref, [to.member]);
      const members = await membersOf(ref, to.group);
      return members.length > toldOfGroup ? [] : raters(ref, members);
    },
  };
}
