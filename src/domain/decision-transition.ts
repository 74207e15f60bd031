import { type DecisionEvent, type TransitionResult, withHiddenChange, withVisibleChange } from './events.ts';
import {
  asReadBack,
  type Decision,
  ended,
  isPending,
  mayBeApplied,
  type Task,
  withoutProblem,
} from './task.ts';

/** Applies an event to a task's decision. An event about another decision or attempt is rejected. Pure. */
export function transitionDecision(task: Task, event: DecisionEvent): TransitionResult {
  const decision = task.decision;
  if (decision?.id !== event.decision) return { kind: 'rejected', task };
  switch (event.type) {
    case 'undone': {
      if (decision.state !== 'waiting' && decision.state !== 'held') return { kind: 'rejected', task };
      const { decision: _, ...open } = task;
      return withVisibleChange(open, {
        ...undoneNow(task, decision.id),
        ...undoneByColleague(decision, event),
      });
    }
    case 'released':
      if (decision.state !== 'held') return { kind: 'rejected', task };
      return withHiddenChange(task, { decision: { ...decision, dueAt: event.at } });
    case 'sending': {
      const isNext = event.attempt === decision.attempts + 1;
      if (!isPending(task) || (decision.dueAt ?? 0) > event.at || !isNext) return { kind: 'rejected', task };
      return withHiddenChange(task, {
        decision: {
          ...withoutProblem(decision),
          state: 'sending',
          dueAt: event.leaseUntil,
          attempts: event.attempt,
          ...(mayBeApplied(decision) ? { earlierAttemptUnknown: true } : {}),
        },
      });
    }
    case 'applied':
      if (decision.state !== 'sending' && !isLateAnswer(decision, event.answered))
        return { kind: 'rejected', task };
      return withVisibleChange(task, {
        rating: decision.verdict,
        comment: decision.comment,
        ratedAt: event.at,
        decision: ended(event.answered ? decision : asReadBack(decision), 'applied'),
      });
    default:
      if (decision.state !== 'sending' || event.attempt !== decision.attempts)
        return { kind: 'rejected', task };
      return attempted(task, decision, event);
  }
}

/** Maximum number of undone decisions stored per task. */
const maxUndone = 5;

/** Returns a task's undone decisions with one more. */
function undoneNow({ undone = [] }: Pick<Task, 'undone'>, id: string): Pick<Task, 'undone'> {
  return { undone: [...undone, id].slice(-maxUndone) };
}

/** Returns the record of a decision undone by somebody other than its maker. */
function undoneByColleague(
  { by: of, verdict }: Decision,
  { by }: Extract<DecisionEvent, { type: 'undone' }>,
): Pick<Task, 'undoneBy'> {
  if (by.member === of) return {};
  return { undoneBy: { by: by.member, of, verdict, at: by.at } };
}

/** Applies the outcome of the latest attempt. */
function attempted(
  task: Task,
  decision: Decision,
  event: Extract<DecisionEvent, { type: 'refused' | 'held' | 'outcome-unknown' | 'overtaken' }>,
): TransitionResult {
  const rejected = { ...decision, rejectedAttempt: event.attempt };
  switch (event.type) {
    case 'outcome-unknown':
      return withHiddenChange(task, {
        decision: { ...(event.wasRejected ? rejected : decision), dueAt: event.until },
      });
    case 'held':
      return withVisibleChange(task, {
        decision: { ...rejected, state: 'held', dueAt: event.until, problem: event.problem },
      });
    case 'refused':
      return withVisibleChange(task, {
        decision: { ...ended(rejected, 'refused'), problem: event.problem },
      });
    case 'overtaken':
      return withVisibleChange(task, {
        rating: event.rating,
        comment: event.comment,
        ratedAt: event.at,
        ...(event.isInferred ? { isRatingInferred: true } : {}),
        ...supersede(decision),
      });
  }
}

/** Returns whether the marketplace accepted an earlier attempt although another process's later one has failed since. */
function isLateAnswer(decision: Decision, answered: boolean): boolean {
  const isOver = decision.state === 'held' || decision.state === 'refused';
  return answered && isOver && mayBeApplied(decision);
}

/** Returns the decision as overtaken by somebody else's rating. */
export function supersede(decision: Decision): { decision: Decision } {
  return { decision: ended(decision, 'overtaken') };
}
