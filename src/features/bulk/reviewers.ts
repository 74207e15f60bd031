import type { AccountRef, MemberId, TaskId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';

/** Returns who is currently looking at which of these tasks in focus review. */
export async function reviewersOf(
  { tasks }: Modules,
  ref: AccountRef,
  shown: readonly TaskId[],
): Promise<Map<TaskId, MemberId>> {
  const owners = await tasks.leases.owners(ref, shown);
  const members = new Map<string, MemberId>();
  for (const id of new Set(owners.values())) {
    const session = await tasks.focusSessions.get(ref, id);
    if (session !== undefined) members.set(id, session.member);
  }
  return new Map(
    [...owners].flatMap(([task, owner]) => {
      const member = members.get(owner);
      return member === undefined ? [] : [[task, member] as const];
    }),
  );
}
