import { z } from 'zod';
import { MessageRef } from './live-message.ts';
import { verdictsOn } from './second-look/transition.ts';
import type { Decision, Task } from './task.ts';
import { MemberId, verdicts } from './terms.ts';

/** The bot's answer to a reply that rated: it shows where that decision stands until nothing about it can change. */
export const ThreadAnswer = z
  .object({
    ...MessageRef.unwrap().shape,
    /** The decision that the reply made, by whom and which. */
    decision: z.string(),
    by: MemberId,
    verdict: z.enum(verdicts),
    /** What it shows; see {@link standingOf}. */
    shown: z.string(),
  })
  .readonly();
export type ThreadAnswer = z.infer<typeof ThreadAnswer>;

/** Begins the ids of decisions that a reply made. */
const prefix = 'reply-';

/** Returns the id of what a reply does: the same whenever it is delivered. */
export function replyId(channel: string, ts: string): string {
  return `${prefix}${channel}-${ts}`;
}

/** Returns whether a reply made a decision of this round. */
export function hasDecisionOfReply({ decision, undone = [] }: Pick<Task, 'decision' | 'undone'>): boolean {
  return [...(decision ? [decision.id] : []), ...undone].some((id) => id.startsWith(prefix));
}

/** Where a decision stands, as an answer shows it. `over`: another round has begun, or its record was lost. */
export type Standing = Decision['state'] | 'undone' | 'over';

/** Returns where a decision of a task stands. */
export function standingOf(
  task: Pick<Task, 'decision' | 'look' | 'undone'> | undefined,
  decision: string,
): Standing {
  if (task?.decision?.id === decision) return task.decision.state;
  const look = task && verdictsOn(task).find(({ id }) => id === decision);
  if (look && task?.look) return 'held';
  if (look && task?.decision?.verdict === look.verdict) return task.decision.state;
  return task?.undone?.includes(decision) ? 'undone' : 'over';
}

/** Returns whether nothing can change any more about where a decision stands. */
export function isOver(standing: Standing): boolean {
  return standing !== 'waiting' && standing !== 'sending' && standing !== 'held';
}
