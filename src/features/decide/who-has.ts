import type { Task } from '../../domain/task.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Others } from './who-has.view.ts';

/**
 * Creates the lookup of who else has a task somebody decides on: by taking it, by assignment, or in a focus review. This
 * is informational and blocks nobody.
 */
export function createWhoHas({ tasks }: Modules) {
  /** Returns who else has a task; undefined if nobody does. */
  async function others(ref: AccountRef, task: Task, member: MemberId): Promise<Others | undefined> {
    const review = await tasks.leases.ownerOf(ref, task.id);
    const session = review === undefined ? undefined : await tasks.focusSessions.get(ref, review);
    // A review also holds the next tasks, which nobody is looking at yet.
    const looking = session?.current === task.id ? session.member : undefined;
    const { assignment } = task;
    const isOwn = assignment === undefined || (await tasks.assignments.isMine(ref, member, assignment));
    const isLooking = looking !== undefined && looking !== member;
    if (isOwn && !isLooking) return undefined;
    return { ...(isOwn ? {} : { assignment }), ...(isLooking ? { looking } : {}) };
  }

  return { others };
}
