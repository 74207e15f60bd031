import type { Button } from '@slack/types';
import { z } from 'zod';
import { assignmentVersion } from '../../domain/assignment.ts';
import type { Task } from '../../domain/task.ts';
import { TaskId } from '../../domain/terms.ts';
import { button } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';

export const takeAction = 'assignment.take';
export const assignAction = 'assignment.open';
export const releaseAction = 'assignment.release';

/** Value of the buttons: the task, and the assignment that was shown (`assignmentVersion`). */
export const assignValue = codec(
  'button',
  z.object({ task: TaskId, seen: z.string() }),
  'Open *More…* on the card again.',
);

/** Returns the buttons for assigning an open task. @param isOwn whether it is assigned to the viewer */
export function assignButtons({ id, assignment }: Pick<Task, 'assignment' | 'id'>, isOwn: boolean): Button[] {
  const value = assignValue.encode({ task: id, seen: assignmentVersion(assignment) });
  const take = assignment === undefined ? 'Take' : 'Take over';
  return [
    ...(isOwn ? [] : [button(take, takeAction, value)]),
    button('Assign to…', assignAction, value),
    ...(assignment === undefined ? [] : [button('Release', releaseAction, value)]),
  ];
}
