import { z } from 'zod';
import { MemberId } from './terms.ts';

/** The assignee of a task: a member, or a Slack user group. */
export const Assignee = z.union([
  z.object({ member: MemberId }).readonly(),
  z.object({ group: z.string() }).readonly(),
]);
export type Assignee = z.infer<typeof Assignee>;

/** Who is to decide on a task, and who assigned it. A task assigned to oneself was taken. Assignments are not binding. */
export const Assignment = z.object({ to: Assignee, by: MemberId, at: z.number() }).readonly();
export type Assignment = z.infer<typeof Assignment>;

const groupPrefix = 'group/';

/** Encodes an assignee as text. */
export function assigneeText(to: Assignee): string {
  return 'member' in to ? to.member : `${groupPrefix}${to.group}`;
}

/** Decodes a text of {@link assigneeText}. */
export function assigneeOf(text: string): Assignee {
  return text.startsWith(groupPrefix)
    ? { group: text.slice(groupPrefix.length) }
    : { member: MemberId.parse(text) };
}

/** Returns whether two assignees are the same. */
export function isSameAssignee(one: Assignee | undefined, other: Assignee | undefined): boolean {
  return (one && assigneeText(one)) === (other && assigneeText(other));
}

/** Returns the version of an assignment, to detect changes since it was shown; '' for none. */
export function assignmentVersion(assignment: Assignment | undefined): string {
  return assignment === undefined ? '' : `${assigneeText(assignment.to)} ${assignment.at}`;
}

/** Returns whether a task is assigned to a member by name, by themselves or others. */
export function isMemberOf(assignment: Assignment | undefined, member: MemberId): boolean {
  return assignment !== undefined && 'member' in assignment.to && assignment.to.member === member;
}
