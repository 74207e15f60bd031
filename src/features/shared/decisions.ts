import type { ModalView } from '@slack/types';
import type { AccountRef, TaskId, Verdict } from '../../domain/terms.ts';
import type { Authorized, Submission, SubmissionAnswer } from '../../slack/feature.ts';

/** One round of a task, of which somebody decides while they look at it. */
export interface DecisionTarget {
  readonly ref: AccountRef;
  readonly task: TaskId;
  readonly round: number;
  /** The id of the second verdict that they were shown, where two reviewers differ. */
  readonly saw?: string | undefined;
}

/** A decision of which everything is known. */
export interface MadeDecision {
  readonly verdict: Verdict;
  /** What the worker reads; '' for nothing. */
  readonly comment: string;
  /** The saved reason that it is. */
  readonly reason?: string;
  /** It is one of many that the person makes one after the other: they leave together. */
  readonly isOfMany: boolean;
  /** It is part of a bulk rating. */
  readonly isBulk?: true;
}

/**
 * What decides on tasks, for features that show a task elsewhere than on its card: the same checks, transitions, audit and
 * jobs as a card's buttons have. Whoever cannot decide is told why by `answer` of the actor.
 */
export interface Decisions {
  /** Decides. @param id names the decision: made twice with the same id, it is made once */
  decide(actor: Authorized, target: DecisionTarget, made: MadeDecision, id: string): Promise<void>;
  /** Returns the form that asks for a reason, or for the extras of an OK; undefined when the task cannot be decided on. */
  form(
    actor: Authorized,
    target: DecisionTarget,
    wanted: Verdict,
    id: string,
  ): Promise<ModalView | undefined>;
  /** Decides as a form was filled in. Its id names the decision; its state is that of the form. */
  submitReason(submission: Submission): Promise<SubmissionAnswer | undefined>;
  submitExtras(submission: Submission): Promise<SubmissionAnswer | undefined>;
  /** Takes a decision back that has not been sent. */
  undo(actor: Authorized, ref: AccountRef, task: TaskId, decision: string): Promise<void>;
}
