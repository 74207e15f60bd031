import { DateTime } from 'luxon';
import { z } from 'zod';
import type { ActedBy } from './audit.ts';
import type { ConfirmedRow } from './confirmed-transition.ts';
import { MessageRef, Mirrored, type PostEvent } from './live-message.ts';
import {
  CampaignId,
  type ChannelId,
  MemberId,
  type Rating,
  ratings,
  TaskId,
  verdicts,
  WorkerId,
} from './terms.ts';

/** A file of a task's proof, as listed by get_task_info. `size` in bytes; `index` starts at 1. */
export const ProofFile = z
  .object({ index: z.number(), filename: z.string(), contentType: z.string(), size: z.number() })
  .readonly();
export type ProofFile = z.infer<typeof ProofFile>;

/** A worker's submission: one text per slot (without empty slots), and files. */
export const Proof = z
  .object({
    slots: z.array(z.string()).readonly(),
    /** The slots' numbers, from 1; absent if they are consecutive. */
    slotNumbers: z.array(z.number()).readonly().exactOptional(),
    files: z.array(ProofFile).readonly(),
    /** When the worker finished, in milliseconds since 1970; absent if the marketplace's datetime was unreadable. */
    finishedAt: z.number().exactOptional(),
    /** The marketplace's status of the files, unless they are fine. */
    filesWarning: z.string().exactOptional(),
  })
  .readonly();
export type Proof = z.infer<typeof Proof>;

/** Returns the filled slots of a proof, with their numbers if some are empty. */
export function filledSlots(texts: readonly string[]): Pick<Proof, 'slots' | 'slotNumbers'> {
  const filled = texts.flatMap((text, index) => (text.trim() === '' ? [] : [{ text, number: index + 1 }]));
  const slots = filled.map(({ text }) => text);
  const slotNumbers = filled.map(({ number }) => number);
  return slotNumbers.at(-1) === slots.length || slots.length === 0 ? { slots } : { slots, slotNumbers };
}

/** Returns the slot number of a proof's text, from 1. */
export function slotNumber({ slotNumbers }: Pick<Proof, 'slotNumbers'>, index: number): number {
  return slotNumbers?.[index] ?? index + 1;
}

export const Worker = z
  .object({
    id: WorkerId,
    name: z.string().exactOptional(),
    /** The country's name, or its code if only the results CSV was read. */
    country: z.string(),
    ip: z.string(),
  })
  .readonly();
export type Worker = z.infer<typeof Worker>;

/** Why a decision has not become a rating. `text` is a sentence for people. */
export const Problem = z
  .object({
    text: z.string(),
    /**
     * `campaign`: it currently refuses ratings · `person`: the decider may not rate, so that nothing was sent · absent: the decision only
     * waits for its next attempt.
     */
    waitsFor: z.enum(['campaign', 'person']).exactOptional(),
  })
  .readonly();
export type Problem = z.infer<typeof Problem>;

/**
 * The state of a decision: `waiting` can be undone and is sent at `dueAt` · `sending` is in progress; past `dueAt` its
 * outcome is unknown and it is read back · `held` cannot be sent for now and is retried at `dueAt` · `applied` is a
 * rating · `refused` by the marketplace · `overtaken` by a rating made elsewhere.
 */
export const DecisionState = z.enum(['waiting', 'sending', 'held', 'applied', 'refused', 'overtaken']);
export type DecisionState = z.infer<typeof DecisionState>;

const FavoriteChange = z.enum(['add', 'remove']);

export const Decision = z
  .object({
    id: z.string(),
    by: MemberId,
    verdict: z.enum(verdicts),
    comment: z.string(),
    /** Set when its maker held the account's key: then it stays valid when they remove the key. */
    ownKey: z.boolean().exactOptional(),
    /** Decimal text, in the campaign's currency. */
    bonus: z.string().exactOptional(),
    /** Set when nobody had to approve the bonus: it is sent only while its maker still has the right to pay bonuses. */
    ownBonus: z.literal(true).exactOptional(),
    favorite: FavoriteChange.exactOptional(),
    /** The saved reason the comment was based on. */
    reason: z.string().exactOptional(),
    /**
     * Replaces `favorite` if the rating was read back instead of answered: the favorite mark cannot be read back, so
     * nothing may claim that it took effect.
     */
    unprovenFavorite: FavoriteChange.exactOptional(),
    /** Milliseconds since 1970, like every time of a record. */
    at: z.number(),
    state: DecisionState,
    dueAt: z.number().exactOptional(),
    /** Number of times it was sent. */
    attempts: z.number(),
    /** The latest attempt that was certainly not applied; the first is 1. */
    rejectedAttempt: z.number().exactOptional(),
    /** Whether an attempt before the latest one may have been applied. */
    earlierAttemptUnknown: z.literal(true).exactOptional(),
    problem: Problem.exactOptional(),
  })
  .readonly();
export type Decision = z.infer<typeof Decision>;

/**
 * A file of the proof that may be a picture. `file` is its copy in Slack, if it can be shown; `bytesHash` identifies its
 * bytes and `print` its appearance. Without any of them, it is no picture.
 */
export const Picture = z
  .object({
    index: z.number(),
    file: z.string().exactOptional(),
    /** When its upload was completed (ms). */
    uploadedAt: z.number().exactOptional(),
    bytesHash: z.string().exactOptional(),
    print: z.string().exactOptional(),
  })
  .readonly();
export type Picture = z.infer<typeof Picture>;

/** The previous round: the submission, the comment on it, who asked for a revision if anybody did, and the card. */
export const EarlierRound = z
  .object({
    slots: z.array(z.string()).readonly(),
    pictures: z.array(Picture).readonly().exactOptional(),
    comment: z.string(),
    /** Who asked for the revision in Slack; absent if unknown. */
    by: MemberId.exactOptional(),
    /** The task was seen in REVISE, which nobody requested in Slack. */
    askedElsewhere: z.literal(true).exactOptional(),
    /** That card; `linked` once it links to the newer one. */
    card: z
      .object({ ...MessageRef.unwrap().shape, linked: z.literal(true).exactOptional() })
      .readonly()
      .exactOptional(),
    /** Cards of earlier rounds without a link to a newer one: the task came back faster than they were updated. */
    unlinked: z.array(MessageRef).readonly().exactOptional(),
    /** It was another task of the same worker and CSV row, so this one only likely corrects it. */
    likely: z.literal(true).exactOptional(),
  })
  .readonly();
export type EarlierRound = z.infer<typeof EarlierRound>;

/** Who is to decide on a task, and who assigned it. A task assigned to oneself was taken. Assignments are not binding. */
export const Assignment = z.object({ to: MemberId, by: MemberId, at: z.number() }).readonly();
export type Assignment = z.infer<typeof Assignment>;

/** Returns the version of an assignment, to detect changes since it was shown; '' for none. */
export function assignmentVersion(assignment: Assignment | undefined): string {
  return assignment === undefined ? '' : `${assignment.to} ${assignment.at}`;
}

/** Everything known about one task: the single source of its card, decision and rating. */
export const Task = z
  .object({
    id: TaskId,
    campaign: CampaignId,
    round: z.number(),
    rating: z.enum(ratings),
    /** The employer's comment at the marketplace, once rated. */
    comment: z.string(),
    /** The rating was never seen: a later submission implies that the task was sent back. */
    isRatingInferred: z.literal(true).exactOptional(),
    /** When the rating was last seen to change. */
    ratedAt: z.number(),
    worker: Worker,
    csvRow: z.string(),
    /**
     * When this round was submitted (ms), from the results CSV only: get_task_info may format the same time differently.
     */
    submittedAt: z.number().exactOptional(),
    proof: Proof,
    /** Whether get_task_info was read for this round (files and every slot), or only the results CSV. */
    detailed: z.boolean(),
    /** Images uploaded for this round's card; absent until the upload was tried. */
    pictures: z.array(Picture).readonly().exactOptional(),
    decision: Decision.exactOptional(),
    /** Undone decisions of this round, latest last, so that a redelivered click does not repeat one. */
    undone: z.array(z.string()).readonly().exactOptional(),
    /** The latest decision of this round undone by somebody else: who, whose, and its verdict. */
    undoneBy: z
      .object({ by: MemberId, of: MemberId, verdict: z.enum(verdicts), at: z.number() })
      .readonly()
      .exactOptional(),
    before: EarlierRound.exactOptional(),
    /** Who is to decide on it; kept while a revision is awaited. */
    assignment: Assignment.exactOptional(),
    /** The ids of the notes on it, oldest first; see src/store/notes.ts. */
    notes: z.array(z.string()).readonly().exactOptional(),
    /** Whether other tasks have evidence in common; details are stored separately, see src/store/evidence.ts. */
    hasEvidence: z.literal(true).exactOptional(),
    /** Set once the worker's data, the proof and the comments were removed (ms), see retention.ts. */
    detailsRemovedAt: z.number().exactOptional(),
    ...Mirrored.unwrap().shape,
  })
  .readonly();
export type Task = z.infer<typeof Task>;

/** Returns whether a reviewer may decide on the task now. */
export function isOpen(task: Task): boolean {
  return task.rating === 'NOTRATED' && (task.decision === undefined || task.decision.state === 'refused');
}

/** Returns whether a decision waits to be sent, or is being sent. */
export function isPending({ decision }: Pick<Task, 'decision'>): boolean {
  return decision?.state === 'waiting' || decision?.state === 'sending' || decision?.state === 'held';
}

/** Returns when the task's decision must be sent or read back (ms), or undefined if none is pending. */
export function decisionDueAt(task: Task): number | undefined {
  return isPending(task) ? task.decision?.dueAt : undefined;
}

/** Returns the saved reason used by a rating just made; undefined if there was none. */
export function reasonUsed(before: Task | undefined, { decision }: Task): string | undefined {
  return decision?.state === 'applied' && before?.decision?.state !== 'applied' ? decision.reason : undefined;
}

/**
 * Returns whether a rating found at the marketplace may be this decision. If the decision was never sent, or every
 * attempt was rejected, the rating is somebody else's even if it looks the same.
 */
export function mayBeApplied({ attempts, rejectedAttempt, earlierAttemptUnknown }: Decision): boolean {
  return earlierAttemptUnknown === true || (attempts > 0 && rejectedAttempt !== attempts);
}

/** Returns the decision to display if its rating was read back, without an answer to our own call. */
export function asReadBack({ favorite, ...decision }: Decision): Decision {
  return favorite ? { ...decision, unprovenFavorite: favorite } : decision;
}

/** Returns the decision in a final state, with nothing due. */
export function ended(decision: Decision, state: 'applied' | 'refused' | 'overtaken'): Decision {
  const { dueAt: _, ...rest } = withoutProblem(decision);
  return { ...rest, state };
}

/** Returns the decision without its problem. */
export function withoutProblem(decision: Decision): Decision {
  const { problem: _, ...rest } = decision;
  return rest;
}

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
  /** The cards of earlier rounds now link to this one, unless they are gone, too old or in a lost channel. */
  | { readonly type: 'earlier-card-linked' }
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
      readonly to?: MemberId;
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
  /** `by`: who undid it, and when. `how` absent: by a click. */
  | {
      readonly type: 'undone';
      readonly decision: string;
      readonly how?: ActedBy;
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
  readonly bonus?: string;
  readonly ownBonus?: true;
  readonly favorite?: 'add' | 'remove';
  /** The saved reason the comment was based on; counted once the decision is a rating. */
  readonly reason?: string;
  readonly ownKey?: true;
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

const dayMs = 86_400_000;
/** The range of a campaign's time to rate in days ("Limits" of the marketplace API). */
export const daysToRate = { min: 1, max: 30 } as const;
/** Minimum time between sending a decision and the task's deadline (ms). */
const marginMs = 60_000;

/**
 * Returns a task's deadline for rating (ms); after it, the marketplace may approve the task on its own.
 * @param finishedAt when the worker finished (ms)
 * @param days the campaign's `ttr` ("Limits" of the marketplace API: 1 to 30)
 * @returns undefined when either is unknown
 */
export function deadlineOf(finishedAt: number | undefined, days: number | undefined): number | undefined {
  return finishedAt === undefined || days === undefined ? undefined : finishedAt + days * dayMs;
}

/** Returns when the worker finished a task (ms), from whichever source has it; undefined if none does. */
export function finishedAtOf({
  proof,
  submittedAt,
}: Pick<Task, 'proof' | 'submittedAt'>): number | undefined {
  return proof.finishedAt ?? submittedAt;
}

/**
 * Returns when a decision made at `at` is sent (ms): after the undo period, but well before the task's deadline.
 * @param isOfMany part of a quick series: it waits for the next multiple of `undoMs`, so that decisions of such a period
 *   share one call
 */
export function sendTime(at: number, undoMs: number, deadline: number | undefined, isOfMany = false): number {
  const undoneUntil = at + undoMs;
  const wanted = isOfMany && undoMs > 0 ? Math.ceil(undoneUntil / undoMs) * undoMs : undoneUntil;
  return deadline === undefined ? wanted : Math.max(at, Math.min(wanted, deadline - marginMs));
}

/**
 * Returns the span from the start of one day to the last second of another, for the marketplace's date filters.
 * @param from `YYYY-MM-DD`; if absent or invalid, the span is open at this end
 * @param to like `from`
 * @param zone the IANA zone of the days
 */
export function daysSpan(
  from: string | undefined,
  to: string | undefined,
  zone: string,
): { readonly from?: Date; readonly to?: Date } {
  const first = day(from, zone)?.startOf('day');
  const last = day(to, zone)?.endOf('day').startOf('second');
  return { ...(first ? { from: first.toJSDate() } : {}), ...(last ? { to: last.toJSDate() } : {}) };
}

function day(text: string | undefined, zone: string): DateTime | undefined {
  const read = text === undefined ? undefined : DateTime.fromISO(text, { zone });
  return read?.isValid ? read : undefined;
}

/** Returns the day of a time (ms) in a zone, as `YYYY-MM-DD`. */
export function dayIn(at: number, zone: string): string {
  return DateTime.fromMillis(at, { zone }).toFormat('yyyy-MM-dd');
}
