import type { Button } from '@slack/types';
import { assignmentVersion } from '../../domain/assignment.ts';
import type { Task } from '../../domain/task.ts';
import { button } from '../../slack/blocks.ts';

export const takeAction = 'assignment.take';
export const assignAction = 'assignment.open';
export const releaseAction = 'assignment.release';

/** Returns the buttons for assigning an open task. @param isOwn whether it is assigned to the viewer */
export function assignButtons({ id, assignment }: Pick<Task, 'assignment' | 'id'>, isOwn: boolean): Button[] {
  // The task, and the assignment that was shown.
  const value = `${id} ${assignmentVersion(assignment)}`;
  const take = assignment === undefined ? 'Take' : 'Take over';
  return [
    ...(isOwn ? [] : [button(take, takeAction, value)]),
    button('Assign to…', assignAction, value),
    ...(assignment === undefined ? [] : [button('Release', releaseAction, value)]),
  ];
}
