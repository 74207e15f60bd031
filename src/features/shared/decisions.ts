import type { ModalView } from '@slack/types';
import type { AccountRef, TaskId, Verdict } from '../../domain/terms.ts';
import type { Authorized, Submission, SubmissionAnswer } from '../../slack/feature.ts';

/** One round of a task, of which somebody decides while they look at it. */
export interface DecisionTarget {
  readonly ref: AccountRef;
  readonly task: TaskId;
  readonly round: number;
}

/**
 * What decides on tasks, for features that show a task elsewhere than on its card: the same checks, transitions, audit and
 * jobs as a card's buttons have. Whoever cannot decide is told why by `answer` of the actor.
 */
export interface Decisions {
  /** Rates OK. @param id names the decision: made twice with the same id, it is made once */
  accept(actor: Authorized, target: DecisionTarget, id: string): Promise<void>;
  /**
   * Rates with a reason that is known already, '' for none. Unlike what is done in a review, it is one of its own.
   * @param id as of `accept`
   */
  rate(
    actor: Authorized,
    target: DecisionTarget,
    rating: { readonly verdict: Verdict; readonly comment: string },
    id: string,
  ): Promise<void>;
  /** Decides as it was confirmed for many tasks together. @param id names the decision, as for `accept` */
  decide(
    actor: Authorized,
    target: DecisionTarget,
    made: { readonly verdict: Verdict; readonly comment: string; readonly reason?: string },
    id: string,
  ): Promise<void>;
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
