import { type Assignee, type Assignment, isMemberOf } from '../../domain/assignment.ts';
import type { MemberId } from '../../domain/terms.ts';
import { user, userGroup } from '../../slack/mrkdwn.ts';

/** Returns the assignee's name in mrkdwn. */
export function assigneeName(to: Assignee): string {
  return 'member' in to ? user(to.member) : userGroup(to.group);
}

/** Returns the line that names a task's assignee, in mrkdwn. */
export function assignmentLine(assignment: Assignment): string {
  return `:bust_in_silhouette: ${assignmentText(assignment)}`;
}

/** Returns who has a task, in mrkdwn. @param member the reader, if only one person sees it */
export function assignmentText(assignment: Assignment, member?: MemberId): string {
  const { to, by } = assignment;
  const isOwn = member !== undefined && isMemberOf(assignment, member);
  if (isMemberOf(assignment, by)) return isOwn ? 'You have taken this' : `${user(by)} has taken this`;
  return `Assigned to ${isOwn ? 'you' : assigneeName(to)} by ${by === member ? 'you' : user(by)}`;
}
