import type { Task } from '../../domain/task.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { FeatureContext } from '../shared/context.ts';
import type { Others } from './who-has.view.ts';

type Deps = Pick<FeatureContext, 'assignments' | 'focusSessions' | 'taskLeases'>;

/**
 * Creates what tells whoever decides on a card that somebody else has its task: has taken it, was assigned it, or looks at it
 * in a focus review. That binds nobody, so nobody is stopped.
 */
export function createWhoHas({ assignments, focusSessions, taskLeases }: Deps) {
  /** Returns who has a task besides a member; undefined when nobody does. */
  async function others(ref: AccountRef, task: Task, member: MemberId): Promise<Others | undefined> {
    const review = await taskLeases.ownerOf(ref, task.id);
    const session = review === undefined ? undefined : await focusSessions.get(ref, review);
    // A review holds those that come next too: nobody looks at them yet.
    const looking = session?.current === task.id ? session.member : undefined;
    const { assignment } = task;
    const isOwn = assignment === undefined || (await assignments.isMine(ref, member, assignment));
    const isLooking = looking !== undefined && looking !== member;
    if (isOwn && !isLooking) return undefined;
    return { ...(isOwn ? {} : { assignment }), ...(isLooking ? { looking } : {}) };
  }

  return { others };
}
