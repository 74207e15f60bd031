import { assignmentVersion, isSameAssignee } from './assignment.ts';
import { type TaskEvent, type TransitionResult, withVisibleChange } from './events.ts';
import { isOpen, isPending, type Task } from './task.ts';

/**
 * Assigns a task, or ends its assignment. Rejected if the task can no longer be decided on, or if the assignment differs
 * from the one shown: of two members who take a task at once, one succeeds, and the other is told.
 */
export function assigned(task: Task, event: Extract<TaskEvent, { type: 'assigned' }>): TransitionResult {
  const { assignment, ...free } = task;
  const { to, by, at, seen } = event;
  if (to !== undefined && !isOpen(task)) return { kind: 'rejected', task };
  if (isSameAssignee(assignment?.to, to)) return { kind: 'same', task };
  if (assignmentVersion(assignment) !== seen) return { kind: 'rejected', task };
  if (to === undefined || by === undefined) return withVisibleChange(free, {});
  return withVisibleChange(free, { assignment: { to, by, at } });
}

/**
 * Ends the assignment of a task rated OK or NOK. A task in REVISE keeps it, so that the same reviewer gets the
 * correction; so does one whose decision can still be undone or refused.
 */
export function withAssignmentEnded(result: TransitionResult): TransitionResult {
  if (result.kind !== 'done' || result.task.assignment === undefined) return result;
  const { assignment: _, ...free } = result.task;
  const isFinal = free.rating === 'OK' || free.rating === 'NOK';
  return isFinal && !isPending(free) ? { kind: 'done', task: free } : result;
}
