import type { ModalView } from '@slack/types';
import type { AccountRef, TaskId, Verdict } from '../domain/terms.ts';
import type { Authorized, Submission, SubmissionAnswer } from '../slack/feature.ts';

/** The round of a task that a member decides on while looking at it. */
export interface DecisionTarget {
  readonly ref: AccountRef;
  readonly task: TaskId;
  readonly round: number;
}

/** A complete decision. */
export interface MadeDecision {
  readonly verdict: Verdict;
  /** Comment for the worker; '' for none. */
  readonly comment: string;
  /** The saved reason used. */
  readonly reason?: string;
  /** Part of a quick series by one person; the series is sent together. */
  readonly isOfMany: boolean;
}

/**
 * Decides on tasks for features that show a task outside its card, with the same checks, transitions, audit and jobs as
 * the card's buttons. The actor's `answer` explains a rejected decision.
 */
export interface Decisions {
  /** Decides. @param id idempotency key of the decision */
  decide(actor: Authorized, target: DecisionTarget, made: MadeDecision, id: string): Promise<void>;
  /** Returns the form for a reason, or for the extras of an OK; undefined when the task cannot be decided on. */
  form(
    actor: Authorized,
    target: DecisionTarget,
    wanted: Verdict,
    id: string,
  ): Promise<ModalView | undefined>;
  /** Decides from a submitted form, using its id as the idempotency key; its state is the form's. */
  submitReason(submission: Submission): Promise<SubmissionAnswer | undefined>;
  submitExtras(submission: Submission): Promise<SubmissionAnswer | undefined>;
  /** Rates OK with a bonus whose cost was confirmed: `done`, or the confirmation with another cost. */
  confirmExtras(submission: Submission): Promise<ModalView | 'done' | undefined>;
  /** Returns the form of an entered bonus again. */
  changeExtras(submission: Submission): Promise<ModalView | undefined>;
  /** Undoes a decision that has not been sent. */
  undo(actor: Authorized, ref: AccountRef, task: TaskId, decision: string): Promise<void>;
}
