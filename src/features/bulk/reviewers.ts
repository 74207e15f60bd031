import type { AccountRef, MemberId, TaskId } from '../../domain/terms.ts';
import type { FeatureContext } from '../shared/context.ts';

/** Returns who is currently looking at which of these tasks in focus review. */
export async function reviewersOf(
  { focusSessions, taskLeases }: Pick<FeatureContext, 'focusSessions' | 'taskLeases'>,
  ref: AccountRef,
  tasks: readonly TaskId[],
): Promise<Map<TaskId, MemberId>> {
  const owners = await taskLeases.owners(ref, tasks);
  const members = new Map<string, MemberId>();
  for (const id of new Set(owners.values())) {
    const session = await focusSessions.get(ref, id);
    if (session !== undefined) members.set(id, session.member);
  }
  return new Map(
    [...owners].flatMap(([task, owner]) => {
      const member = members.get(owner);
      return member === undefined ? [] : [[task, member] as const];
    }),
  );
}
