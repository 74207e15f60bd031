import type { Assignee } from './assignment.ts';
import type { ActedBy } from './audit.ts';
import type { ConfirmedRow } from './confirmation.ts';
import type { MessageRef, PostEvent } from './live-message.ts';
import type { Decision, EarlierRound, Picture, Problem, Proof, Task, Worker } from './task.ts';
import type { CampaignId, ChannelId, MemberId, Rating, TaskId } from './terms.ts';
import type { ShownRecord } from './worker.ts';

/** What can happen to a task. All times are milliseconds since 1970. */
export type TaskEvent =
  /** A row of the results CSV, which creates unknown tasks; `readAt` is when that read began. */
  | ({ readonly type: 'seen' } & SeenRow)
  /** A row confirmed by get_task_info: the only way results change a known task. */
  | ({ readonly type: 'confirmed' } & ConfirmedRow)
  /** get_task_info's answer. */
  | {
      readonly type: 'detailed';
      readonly round: number;
      readonly worker: Worker;
      readonly proof: Proof;
      /** The worker's tasks at that time. */
      readonly workerRecord?: ShownRecord;
    }
  | { readonly type: 'images-uploaded'; readonly round: number; readonly pictures: readonly Picture[] }
  /** It gets a card; `channel`: a place in this channel's window. */
  | { readonly type: 'card-wanted'; readonly channel?: ChannelId }
  /** Its unposted card now belongs to another channel, so it waits for a place there. */
  | { readonly type: 'card-queued' }
  /** New evidence connects it with other tasks; while it is open, its card shows that. */
  | { readonly type: 'evidence-found' }
  /** It was decided so long ago that its details are no longer stored. */
  | { readonly type: 'details-expired'; readonly at: number }
  /** With `round`, a card that somebody has clicked: the event applies only in that round of the task. */
  | (PostEvent & { readonly round?: number })
  /** The cards of earlier rounds now link to this one, except those in a lost channel. */
  | { readonly type: 'earlier-card-linked'; readonly unreachable: readonly MessageRef[] }
  | {
      readonly type: 'decided';
      readonly decision: NewDecision;
      /** The round that was decided on. */
      readonly round: number;
      readonly at: number;
      readonly sendAt: number;
      /** How it was made; absent: by a click. */
      readonly how?: ActedBy;
      /** Who approved its bonus, if approval was required. */
      readonly approvedBy?: MemberId;
    }
  /** Its assignment changes; without `to`: it ends. */
  | {
      readonly type: 'assigned';
      readonly to?: Assignee;
      /** Absent: the bot, because the member is no longer there. */
      readonly by?: MemberId;
      readonly how: ActedBy;
      readonly at: number;
      /** The assignment that was shown, see `assignmentVersion`; a different current one is not replaced. */
      readonly seen: string;
    }
  | NoteEvent
  | DecisionEvent;

/** A note on the task was left, changed or removed; `note` is its id. Its text is stored in the same step. */
export interface NoteEvent {
  readonly type: 'note-left' | 'note-changed' | 'note-removed';
  readonly note: string;
  readonly by: MemberId;
  readonly how: ActedBy;
}

/**
 * Events of a decision. Each names its decision and, where several processes may have tried, the attempt: an earlier
 * attempt's outcome says nothing about a later one.
 */
export type DecisionEvent =
  /** `by`: who undid it, and when. */
  | {
      readonly type: 'undone';
      readonly decision: string;
      readonly by: { readonly member: MemberId; readonly at: number };
    }
  /** The decision is about to be sent; past `leaseUntil` its outcome counts as unknown. */
  | ({ readonly type: 'sending'; readonly at: number; readonly leaseUntil: number } & OfAttempt)
  /** It is a rating. `answered`: the marketplace confirmed our own call; otherwise the same rating was read back. */
  | {
      readonly type: 'applied';
      readonly decision: string;
      readonly at: number;
      readonly answered: boolean;
    }
  | ({ readonly type: 'refused'; readonly problem: Problem } & OfAttempt)
  /** It cannot be sent for now, and this attempt was certainly not applied. */
  | ({ readonly type: 'held'; readonly until: number; readonly problem: Problem } & OfAttempt)
  /** The reason for holding it may be gone, so it is retried now. */
  | { readonly type: 'released'; readonly decision: string; readonly at: number }
  /**
   * Its outcome is unknown, so it is read back at `until`. `wasRejected`: this attempt was certainly not applied (the
   * task already has a rating), but an earlier one may have been.
   */
  | ({ readonly type: 'outcome-unknown'; readonly until: number; readonly wasRejected?: boolean } & OfAttempt)
  /**
   * get_task_info shows somebody else's rating; `isInferred`: only a later submission, which a REVISE must have
   * preceded.
   */
  | ({
      readonly type: 'overtaken';
      readonly rating: Rating;
      readonly comment: string;
      readonly at: number;
      readonly isInferred?: true;
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
  /** What a new task gets: a card, or an entry in the backlog. */
  readonly want: 'card' | 'backlog';
  /** For a new task: the earlier task it most likely corrects. */
  readonly corrects?: EarlierRound;
}

export type NewDecision = Pick<Decision, 'id' | 'by' | 'verdict' | 'comment'> & {
  readonly delivery?: string;
  readonly bonus?: string;
  readonly ownBonus?: true;
  readonly favorite?: 'add' | 'remove';
  /** The saved reason the comment was based on; counted once the decision is a rating. */
  readonly reason?: string;
  readonly unchecked?: true;
  readonly ownKey?: boolean;
};

/**
 * The result of an event: `done` with the changed task · `same`: nothing to change · `stale`: the event is older than
 * the record, so its source must be read again · `rejected`: impossible in the task's state (somebody decided first, or
 * it was already sent).
 */
export type TransitionResult =
  | { readonly kind: 'done'; readonly task: Task }
  | { readonly kind: 'same' | 'stale' | 'rejected'; readonly task: Task | undefined };

/** Returns the result of a change visible on the card. */
export function withVisibleChange(task: Task, change: Partial<Task>): TransitionResult {
  return { kind: 'done', task: { ...task, ...change, revision: task.revision + 1 } };
}

/** Returns the result of a change not visible on the card. */
export function withHiddenChange(task: Task, change: Partial<Task>): TransitionResult {
  return { kind: 'done', task: { ...task, ...change } };
}
