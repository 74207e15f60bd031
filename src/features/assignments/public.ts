import type { Button } from '@slack/types';
import { assignmentVersion, type Task } from '../../domain/task.ts';
import { button } from '../../slack/blocks.ts';
import type { createAssignmentsFeature } from './index.ts';

/** Changes whose a task is, with the same checks as a card's buttons. */
export type Assigning = Pick<ReturnType<typeof createAssignmentsFeature>, 'canHave' | 'change'>;

export { memberMayNotRate } from './assignments.view.ts';

/** Names a task, and the assignment that was shown. */
export function assignValue({ id, assignment }: Pick<Task, 'assignment' | 'id'>): string {
  return `${id} ${assignmentVersion(assignment)}`;
}

/** Returns the buttons for assigning an open task, besides *Take* and *Unassign* in its card's menu. @param isOwn whether the viewer has it */
export function assignButtons(task: Pick<Task, 'assignment' | 'id'>, isOwn: boolean): Button[] {
  const value = assignValue(task);
  const isTaken = task.assignment !== undefined && !isOwn;
  return [
    ...(isTaken ? [button('Take over', 'assignment.take', value)] : []),
    button('Assign to…', 'assignment.open', value),
  ];
}
