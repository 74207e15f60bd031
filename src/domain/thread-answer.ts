import { z } from 'zod';
import { MessageRef } from './live-message.ts';
import type { Decision, Task } from './task.ts';
import { MemberId, verdicts } from './terms.ts';

/** The bot's answer to a reply that rated: shows the decision's status until that is final. */
export const ThreadAnswer = z
  .object({
    ...MessageRef.unwrap().shape,
    /** The decision made by the reply: its id and author. */
    decision: z.string(),
    by: MemberId,
    verdict: z.enum(verdicts),
    /** The displayed status; see {@link standingOf}. */
    shown: z.string(),
  })
  .readonly();
export type ThreadAnswer = z.infer<typeof ThreadAnswer>;

/** Prefix of the ids of decisions made by replies. */
const prefix = 'reply-';

/** Returns the idempotency key of a reply's action. */
export function replyId(channel: string, ts: string): string {
  return `${prefix}${channel}-${ts}`;
}

/** Returns whether a reply made a decision of this round. */
export function hasDecisionOfReply({ decision, undone = [] }: Pick<Task, 'decision' | 'undone'>): boolean {
  return [...(decision ? [decision.id] : []), ...undone].some((id) => id.startsWith(prefix));
}

/** A decision's status in an answer. `over`: another round has begun, or its record was lost. */
export type Standing = Decision['state'] | 'undone' | 'over';

/** Returns the status of a task's decision. */
export function standingOf(task: Pick<Task, 'decision' | 'undone'> | undefined, decision: string): Standing {
  if (task?.decision?.id === decision) return task.decision.state;
  return task?.undone?.includes(decision) ? 'undone' : 'over';
}

/** Returns whether a decision's status is final. */
export function isOver(standing: Standing): boolean {
  return standing !== 'waiting' && standing !== 'sending' && standing !== 'held';
}
