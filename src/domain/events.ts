import type { MessageRef, PostEvent } from './live-message.ts';
import type { Decision, EarlierRound, Picture, Problem, Proof, Task, Worker } from './task.ts';
import type { CampaignId, Rating, TaskId } from './terms.ts';

/** What can happen to a task. All times are milliseconds since 1970. */
export type TaskEvent =
  /** A row of the results CSV; `readAt` is when that read began. */
  | ({ readonly type: 'seen' } & SeenRow)
  /** get_task_info's answer. */
  | { readonly type: 'detailed'; readonly round: number; readonly worker: Worker; readonly proof: Proof }
  | { readonly type: 'images-uploaded'; readonly round: number; readonly pictures: readonly Picture[] }
  | { readonly type: 'card-wanted' }
  /** With `round`, a card that was found in the channel: it counts only while the task is in that round. */
  | (PostEvent & { readonly round?: number })
  /** The earlier round's card now points at this one. */
  | { readonly type: 'earlier-card-linked' }
  | {
      readonly type: 'decided';
      readonly decision: NewDecision;
      /** The round that was decided on. */
      readonly round: number;
      readonly at: number;
      readonly sendAt: number;
    }
  | DecisionEvent;

/**
 * What can happen to a decision; each names the one it speaks of, and where several processes may have tried, which of
 * its attempts: what came of an earlier attempt says nothing about a later one.
 */
export type DecisionEvent =
  | { readonly type: 'undone'; readonly decision: string }
  /** The decision is about to be sent; past `leaseUntil` its end counts as unknown. */
  | ({ readonly type: 'sending'; readonly at: number; readonly leaseUntil: number } & OfAttempt)
  /**
   * It is a rating: `answered` when the marketplace said so to our own call; otherwise the rating it has is the same.
   */
  | {
      readonly type: 'applied';
      readonly decision: string;
      readonly at: number;
      readonly answered: boolean;
    }
  | ({ readonly type: 'refused'; readonly problem: Problem } & OfAttempt)
  /** It cannot be sent for now, and this attempt certainly was not applied. */
  | ({ readonly type: 'held'; readonly until: number; readonly problem: Problem } & OfAttempt)
  /** What held it up may be over: it is tried again now. */
  | { readonly type: 'released'; readonly decision: string; readonly at: number }
  /**
   * Nobody knows what became of it: it is to be read back at `until`. `turnedAway`: this attempt certainly was not
   * applied (the task has a rating already), an earlier one may have been.
   */
  | ({ readonly type: 'outcome-unknown'; readonly until: number; readonly turnedAway?: boolean } & OfAttempt)
  /** get_task_info says that somebody else's rating stands. */
  | ({
      readonly type: 'overtaken';
      readonly rating: Rating;
      readonly comment: string;
      readonly at: number;
    } & OfAttempt);

interface OfAttempt {
  readonly decision: string;
  /** Counted as {@link Decision.attempts}: the first is 1. */
  readonly attempt: number;
}

export interface SeenRow {
  readonly readAt: number;
  readonly id: TaskId;
  readonly campaign: CampaignId;
  readonly rating: Rating;
  readonly comment: string;
  readonly worker: Worker;
  readonly csvRow: string;
  readonly submittedAt?: number;
  readonly proof: Proof;
  /** What a new task gets: a card, a place in the backlog, or the card it turned out to have already. */
  readonly want: 'card' | 'backlog' | (MessageRef & { readonly round: number });
  /** Another task that this one, when new, most likely corrects. */
  readonly corrects?: EarlierRound;
}

export type NewDecision = Pick<Decision, 'id' | 'by' | 'verdict' | 'comment'> & {
  readonly bonus?: string;
  readonly favorite?: 'add' | 'remove';
};

/**
 * What an event did: `done` with the task as it is now · `same`: nothing to change · `stale`: the news is older than
 * what is known, read again · `rejected`: not possible, the task says why (somebody decided first, it is sent already).
 */
export type TransitionResult =
  | { readonly kind: 'done'; readonly task: Task }
  | { readonly kind: 'same' | 'stale' | 'rejected'; readonly task: Task | undefined };

/** Returns the result of a change that the card shows. */
export function withVisibleChange(task: Task, change: Partial<Task>): TransitionResult {
  return { kind: 'done', task: { ...task, ...change, revision: task.revision + 1 } };
}

/** Returns the result of a change that no card shows. */
export function withHiddenChange(task: Task, change: Partial<Task>): TransitionResult {
  return { kind: 'done', task: { ...task, ...change } };
}
