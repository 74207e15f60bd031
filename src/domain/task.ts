import { z } from 'zod';
import { Assignment } from './assignment.ts';
import { MessageRef, Mirrored } from './live-message.ts';
import { LookResult, lookReasons, SecondLook } from './second-look/look.ts';
import { CampaignId, MemberId, ratings, TaskId, verdicts, WorkerId } from './terms.ts';
import { ShownRecord } from './worker.ts';

/** A file of a task's proof, as get_task_info lists it. `size` in bytes; `index` starts at 1. */
export const ProofFile = z
  .object({ index: z.number(), filename: z.string(), contentType: z.string(), size: z.number() })
  .readonly();
export type ProofFile = z.infer<typeof ProofFile>;

/** What a worker submitted: one text per slot (empty slots left out), and files. */
export const Proof = z
  .object({
    slots: z.array(z.string()).readonly(),
    /** The numbers of these slots, from 1; absent where they are simply counted. */
    slotNumbers: z.array(z.number()).readonly().exactOptional(),
    files: z.array(ProofFile).readonly(),
    /** When the worker finished, in milliseconds since 1970; absent when the marketplace's datetime was unreadable. */
    finishedAt: z.number().exactOptional(),
    /** What the marketplace says of the files, where that is not simply that they are fine. */
    filesWarning: z.string().exactOptional(),
  })
  .readonly();
export type Proof = z.infer<typeof Proof>;

/** Returns what was submitted in the slots of a proof, without the empty ones, whose places are remembered. */
export function filledSlots(texts: readonly string[]): Pick<Proof, 'slots' | 'slotNumbers'> {
  const filled = texts.flatMap((text, index) => (text.trim() === '' ? [] : [{ text, number: index + 1 }]));
  const slots = filled.map(({ text }) => text);
  const slotNumbers = filled.map(({ number }) => number);
  return slotNumbers.at(-1) === slots.length || slots.length === 0 ? { slots } : { slots, slotNumbers };
}

/** Returns which slot a text of the proof was submitted in, from 1. */
export function slotNumber({ slotNumbers }: Pick<Proof, 'slotNumbers'>, index: number): number {
  return slotNumbers?.[index] ?? index + 1;
}

export const Worker = z
  .object({
    id: WorkerId,
    name: z.string().exactOptional(),
    /** The country's name, or its code where only the results CSV was read. */
    country: z.string(),
    ip: z.string(),
    /** Stands for the browser that the task was submitted with; its text is not stored. */
    userAgentHash: z.string().exactOptional(),
  })
  .readonly();
export type Worker = z.infer<typeof Worker>;

/** Why a decision has not become a rating. `text` is a sentence for people. */
export const Problem = z
  .object({
    text: z.string(),
    /**
     * `campaign`: it does not accept ratings for now · `person`: whoever decided may not rate any more · absent: the
     * decision only waits for its next attempt.
     */
    waitsFor: z.enum(['campaign', 'person']).exactOptional(),
  })
  .readonly();
export type Problem = z.infer<typeof Problem>;

/**
 * The state of a decision:
 * `waiting` can be undone and is sent at `dueAt` · `sending` is under way; past `dueAt` its outcome is unknown and it is
 * read back · `held` cannot be sent for now and is tried again at `dueAt` · `applied` is a rating · `refused` by the
 * marketplace · `overtaken` by a rating made elsewhere.
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
    /**
     * Whether its maker had connected the account's key: then it stays valid when they give the key back. Absent: a version
     * before made it.
     */
    ownKey: z.boolean().exactOptional(),
    /** Decimal text, in the campaign's currency. */
    bonus: z.string().exactOptional(),
    favorite: FavoriteChange.exactOptional(),
    /** The saved reason that the comment was chosen from. */
    reason: z.string().exactOptional(),
    /**
     * Takes the place of `favorite` once the rating was read back instead of answered: whether the favorite took effect
     * cannot be read back, so nothing may claim it.
     */
    unprovenFavorite: FavoriteChange.exactOptional(),
    /** Milliseconds since 1970, like every time of a record. */
    at: z.number(),
    state: DecisionState,
    dueAt: z.number().exactOptional(),
    /** How many times it was sent. */
    attempts: z.number(),
    /** The latest attempt that certainly was not applied; the first is 1. */
    rejectedAttempt: z.number().exactOptional(),
    /** An attempt before the latest one may have been applied. */
    earlierAttemptUnknown: z.literal(true).exactOptional(),
    problem: Problem.exactOptional(),
    /**
     * Read back from the card after Redis had lost it. `part`: it may not be sent, since the card does not tell all of it,
     * or told that it was a rating already; it is only looked up at the marketplace.
     */
    restored: z.enum(['whole', 'part']).exactOptional(),
    /** The second look that it has waited for. */
    look: LookResult.exactOptional(),
  })
  .readonly();
export type Decision = z.infer<typeof Decision>;

/** A decision as its card tells it. `isWhole`: the card tells all of it. */
export const ShownDecision = z
  .object({
    ...Decision.unwrap().pick({
      id: true,
      by: true,
      verdict: true,
      comment: true,
      at: true,
      state: true,
      attempts: true,
      dueAt: true,
      bonus: true,
      favorite: true,
    }).shape,
    isWhole: z.boolean(),
    /** It waits for a second look, for this reason. */
    why: z.enum(lookReasons).exactOptional(),
  })
  .readonly();
export type ShownDecision = z.infer<typeof ShownDecision>;

/** The round before: what was submitted, the comment on it, who asked for a revision if anybody did, and the card. */
export const EarlierRound = z
  .object({
    slots: z.array(z.string()).readonly(),
    comment: z.string(),
    /** Who asked for the revision in Slack; absent when that is not known. */
    by: MemberId.exactOptional(),
    /** The task was seen in REVISE, which nobody asked for in Slack. */
    askedElsewhere: z.literal(true).exactOptional(),
    /** That card; `linked` once it links to the newer one. */
    card: z
      .object({ ...MessageRef.unwrap().shape, linked: z.literal(true).exactOptional() })
      .readonly()
      .exactOptional(),
    /** Cards of rounds before that one, which do not link to a newer one yet: the task came back faster than they were updated. */
    unlinked: z.array(MessageRef).readonly().exactOptional(),
    /** It was another task of the same worker and CSV row, so it is only likely that this one corrects it. */
    likely: z.literal(true).exactOptional(),
  })
  .readonly();
export type EarlierRound = z.infer<typeof EarlierRound>;

/**
 * An image of the proof, as uploaded to Slack. Where its bytes have passed through here, `bytesHash` stands for them, and
 * `print` for what it looks like.
 */
export const Picture = z
  .object({
    index: z.number(),
    file: z.string(),
    bytesHash: z.string().exactOptional(),
    print: z.string().exactOptional(),
  })
  .readonly();
export type Picture = z.infer<typeof Picture>;

/** All that is known of one task: the single source of its card, decision and rating. */
export const Task = z
  .object({
    id: TaskId,
    campaign: CampaignId,
    round: z.number(),
    rating: z.enum(ratings),
    /** The employer's comment at the marketplace, once rated. */
    comment: z.string(),
    /** The rating was never seen: a later submission shows that the task was sent back. */
    isRatingInferred: z.literal(true).exactOptional(),
    /** When the rating was last seen to change. */
    ratedAt: z.number(),
    worker: Worker,
    csvRow: z.string(),
    /**
     * When this round was submitted (ms), from the results CSV only: get_task_info may write the same moment differently.
     */
    submittedAt: z.number().exactOptional(),
    proof: Proof,
    /** Whether get_task_info was read for this round (files and every slot), or only the results CSV. */
    detailed: z.boolean(),
    /** The worker's tasks as of this round's post; absent where they were not known. */
    workerRecord: ShownRecord.exactOptional(),
    /** Images uploaded for this round's card; absent until the upload was tried. */
    pictures: z.array(Picture).readonly().exactOptional(),
    decision: Decision.exactOptional(),
    /** A decision that waits for a second look: until then it is none, and nobody else is shown what it says. */
    look: SecondLook.exactOptional(),
    /** Undone decisions of this round, latest last, so that a click delivered twice does not repeat one. */
    undone: z.array(z.string()).readonly().exactOptional(),
    /** Redis may have lost a decision of this round that no card shows: whose a rating is that turns up is not known. */
    mayHaveLostDecision: z.literal(true).exactOptional(),
    /** The latest decision of this round that somebody else undid: who, whose and which, unless nobody else may know that. */
    undoneBy: z
      .object({ by: MemberId, of: MemberId, verdict: z.enum(verdicts).exactOptional(), at: z.number() })
      .readonly()
      .exactOptional(),
    before: EarlierRound.exactOptional(),
    /** Who is to decide on it; it stays while a revision is awaited. */
    assignment: Assignment.exactOptional(),
    /** The ids of the notes on it, oldest first; see src/store/notes.ts. */
    notes: z.array(z.string()).readonly().exactOptional(),
    /** Other tasks are alike in something: what, is stored beside the record; see src/store/evidence.ts. */
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

/** Returns when the task's decision must be sent, read back or let go (ms), or undefined when none is pending. */
export function dueAt(task: Task): number | undefined {
  return isPending(task) ? task.decision?.dueAt : task.look?.until;
}

/** Returns the saved reason that a task was rated with just now; undefined when none was. */
export function reasonUsed(before: Task | undefined, { decision }: Task): string | undefined {
  return decision?.state === 'applied' && before?.decision?.state !== 'applied' ? decision.reason : undefined;
}

/**
 * Returns whether a rating found at the marketplace may be this decision. When the decision was never sent, or every
 * attempt was rejected, the rating is somebody else's even if it looks the same.
 */
export function mayBeApplied({ attempts, rejectedAttempt, earlierAttemptUnknown }: Decision): boolean {
  return earlierAttemptUnknown === true || (attempts > 0 && rejectedAttempt !== attempts);
}

/** Returns the decision as it may be shown when its rating was read back, without an answer to our own call. */
export function asReadBack({ favorite, ...decision }: Decision): Decision {
  return favorite ? { ...decision, unprovenFavorite: favorite } : decision;
}

/** Returns the decision in a final state: nothing is due any more. */
export function ended(decision: Decision, state: 'applied' | 'refused' | 'overtaken'): Decision {
  const { dueAt: _, ...rest } = withoutProblem(decision);
  return { ...rest, state };
}

/** Returns the decision without its problem. */
export function withoutProblem(decision: Decision): Decision {
  const { problem: _, ...rest } = decision;
  return rest;
}
