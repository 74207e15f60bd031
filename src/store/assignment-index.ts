import { assigneeText } from '../domain/assignment.ts';
import type { TaskEvent } from '../domain/events.ts';
import type { Task } from '../domain/task.ts';
import type { AccountRef } from '../domain/terms.ts';
import type { CommitStep } from './commit-step.ts';
import { accountKey } from './keys.ts';

/** The hash of all assigned tasks, each with its assignee. */
export const byTaskKey = (ref: AccountRef) => accountKey(ref, 'assignments', 'by-task');
/** The set of all assignees that have a task. */
export const assigneesKey = (ref: AccountRef) => accountKey(ref, 'assignments', 'assignees');
/** The set of the tasks of an assignee. @param who a text of `assigneeText` */
export const assignedToKey = (ref: AccountRef, who: string) => accountKey(ref, 'assignments', 'to', who);
/** The sorted set of assignments that somebody must be told of, in the order in which they were made. */
export const newsKey = (ref: AccountRef) => accountKey(ref, 'assignments', 'news');
const newsCountKey = (ref: AccountRef) => accountKey(ref, 'assignments', 'news-count');

/**
 * Returns the step that updates the index of assignments and queues the notice to the assignee, made together with a change
 * of a task's record; undefined when the assignment is unchanged.
 */
export function assignmentStep(
  ref: AccountRef,
  before: Task | undefined,
  event: TaskEvent,
  after: Task,
): CommitStep | undefined {
  const [was, is] = [before, after].map((task) => task?.assignment && assigneeText(task.assignment.to));
  if (was === is) return undefined;
  const isNews = event.type === 'assigned' && is !== undefined && is !== event.by;
  const keys = [byTaskKey(ref), assigneesKey(ref), newsKey(ref), newsCountKey(ref)];
  return {
    keys: [...keys, assignedToKey(ref, was ?? ''), assignedToKey(ref, is ?? '')],
    args: [was ?? '', is ?? '', isNews ? `${is} ${after.id}` : ''],
    lua: (key, arg) => `
if ARGV[${arg}] ~= '' then
  redis.call('HDEL', KEYS[${key}], ARGV[2])
  redis.call('SREM', KEYS[${key + 4}], ARGV[2])
  if redis.call('EXISTS', KEYS[${key + 4}]) == 0 then redis.call('SREM', KEYS[${key + 1}], ARGV[${arg}]) end
  redis.call('ZREM', KEYS[${key + 2}], ARGV[${arg}] .. ' ' .. ARGV[2])
end
if ARGV[${arg + 1}] ~= '' then
  redis.call('HSET', KEYS[${key}], ARGV[2], ARGV[${arg + 1}])
  redis.call('SADD', KEYS[${key + 5}], ARGV[2])
  redis.call('SADD', KEYS[${key + 1}], ARGV[${arg + 1}])
end
if ARGV[${arg + 2}] ~= '' then
  redis.call('ZADD', KEYS[${key + 2}], redis.call('INCR', KEYS[${key + 3}]), ARGV[${arg + 2}])
end`,
  };
}
