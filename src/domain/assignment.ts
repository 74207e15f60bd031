import { z } from 'zod';
import { MemberId } from './terms.ts';

/** Whom a task is assigned to: a member, or a Slack user group. */
export const Assignee = z.union([
  z.object({ member: MemberId }).readonly(),
  z.object({ group: z.string() }).readonly(),
]);
export type Assignee = z.infer<typeof Assignee>;

/** Who is to decide on a task, and who said so. Whoever assigned it to themselves has taken it. It binds nobody. */
export const Assignment = z.object({ to: Assignee, by: MemberId, at: z.number() }).readonly();
export type Assignment = z.infer<typeof Assignment>;

const groupPrefix = 'group/';

/** Returns an assignee as one text. */
export function assigneeText(to: Assignee): string {
  return 'member' in to ? to.member : `${groupPrefix}${to.group}`;
}

/** Returns the assignee that a text of {@link assigneeText} stands for. */
export function assigneeOf(text: string): Assignee {
  return text.startsWith(groupPrefix)
    ? { group: text.slice(groupPrefix.length) }
    : { member: MemberId.parse(text) };
}

/** Returns whether two assignees are the same one. */
export function isSameAssignee(one: Assignee | undefined, other: Assignee | undefined): boolean {
  return (one && assigneeText(one)) === (other && assigneeText(other));
}

/** Returns what identifies an assignment for whoever saw it; '' for none. */
export function assignmentVersion(assignment: Assignment | undefined): string {
  return assignment === undefined ? '' : `${assigneeText(assignment.to)} ${assignment.at}`;
}

/** Returns whether somebody has taken a task, or was assigned it by name. */
export function isMemberOf(assignment: Assignment | undefined, member: MemberId): boolean {
  return assignment !== undefined && 'member' in assignment.to && assignment.to.member === member;
}
