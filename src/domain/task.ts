import { z } from 'zod';
import { Assignment } from './assignment.ts';
import { MessageRef, Mirrored } from './live-message.ts';
import { CampaignId, MemberId, ratings, TaskId, verdicts, WorkerId } from './terms.ts';
import { ShownRecord } from './worker.ts';

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
    /** Hash of the browser used; its text is not stored. */
    userAgentHash: z.string().exactOptional(),
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
    /** The delivery from Slack that made it, for the log: whatever process sends it. */
    delivery: z.string().exactOptional(),
    verdict: z.enum(verdicts),
    comment: z.string(),
    /**
     * Whether its maker held the account's key: then it stays valid when they remove the key. Absent: made by an earlier
     * version.
     */
    ownKey: z.boolean().exactOptional(),
    /** Decimal text, in the campaign's currency. */
    bonus: z.string().exactOptional(),
    /** Set when nobody had to approve the bonus: it is sent only while its maker still has the right to pay bonuses. */
    ownBonus: z.literal(true).exactOptional(),
    favorite: FavoriteChange.exactOptional(),
    /** The saved reason the comment was based on. */
    reason: z.string().exactOptional(),
    /** Slack could not be asked whether its maker may rate: it is not sent before Slack has answered. */
    unchecked: z.literal(true).exactOptional(),
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
    /** The worker's tasks when this round was posted; absent if unknown. */
    workerRecord: ShownRecord.exactOptional(),
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
