import { normalizeSpace } from './evidence/texts.ts';
import { formerOf, withFormer } from './live-message.ts';
import {
  type Decision,
  type EarlierRound,
  ended,
  isOpen,
  isPending,
  mayBeApplied,
  type Proof,
  type SeenRow,
  type Task,
  type TransitionResult,
  type Worker,
  withoutProblem,
  withVisibleChange,
} from './task.ts';
import type { Rating, TaskId } from './terms.ts';

/** get_task_info's answer on a task, and when it was asked (ms). */
export interface TaskAnswer {
  readonly askedAt: number;
  readonly id: TaskId;
  readonly rating: Rating;
  readonly comment: string;
  readonly worker: Worker;
  readonly proof: Proof;
}

declare const isConfirmed: unique symbol;

/** A row of the results confirmed by get_task_info. Only {@link confirm} creates one. */
export type ConfirmedRow = SeenRow & { readonly answer: TaskAnswer; readonly [isConfirmed]: true };

/**
 * Returns a row with its confirmation, or undefined if get_task_info disagrees: one of the two lags, and neither is
 * trusted. An answer from before the row was read confirms nothing either.
 */
export function confirm(row: SeenRow, answer: TaskAnswer): ConfirmedRow | undefined {
  if (answer.id !== row.id || answer.rating !== row.rating || answer.askedAt < row.readAt) return undefined;
  return { ...row, answer } as ConfirmedRow;
}

const quarterHourMs = 900_000;

/** A worker's submission: when (ms; undefined if unreadable), the text of each slot, and the files if known. */
interface Submission {
  readonly submittedAt: number | undefined;
  readonly slots: readonly string[];
  readonly files?: readonly { readonly filename: string; readonly size: number }[];
}

/** Returns whether two times are the same moment, perhaps in different time zones. */
function isSameMoment(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && (one - other) % quarterHourMs === 0;
}

/** Returns whether a lagging source shows an earlier submission than the one known from another source. */
export function isSubmittedBefore(known: number | undefined, now: number | undefined): boolean {
  return isSubmittedLater(now, known) && !isSameMoment(now, known);
}

/** Returns whether a submission time is later than the known one. An unreadable time proves nothing. */
export function isSubmittedLater(known: number | undefined, now: number | undefined): boolean {
  return known !== undefined && now !== undefined && now > known;
}

/**
 * Returns whether a task waiting for its rating has another proof than the known one, because it was sent back and
 * corrected on the website meanwhile. A later time with the same texts proves this only if both times come from the same
 * source and do not differ by whole quarter hours, which would be the same moment in another time zone.
 */
export function isResubmitted(known: Submission, now: Submission, hasSameSource: boolean): boolean {
  if (known.submittedAt === undefined || now.submittedAt === undefined) return false;
  const laterMs = now.submittedAt - known.submittedAt;
  if (laterMs <= 0) return false;
  return !hasSameText(known, now) || (hasSameSource && laterMs % quarterHourMs !== 0);
}

/**
 * Returns how a submission relates to the known one, both from the same source. If the times are inconclusive, different
 * content counts as later, unless it equals the previous round's: a lagging source shows old content.
 */
export function submissionOrder(
  known: Submission,
  now: Submission,
  before: readonly string[] | undefined,
): 'same' | 'later' | 'earlier' {
  const laterMs =
    known.submittedAt === undefined || now.submittedAt === undefined
      ? 0
      : now.submittedAt - known.submittedAt;
  const isSame = hasSameText(known, now) && hasSameFiles(known, now);
  if (isSame && laterMs % quarterHourMs === 0) return 'same';
  if (laterMs !== 0) return laterMs > 0 ? 'later' : 'earlier';
  return before !== undefined && hasSameText({ slots: before }, now) ? 'earlier' : 'later';
}

function hasSameText(one: Pick<Submission, 'slots'>, other: Pick<Submission, 'slots'>): boolean {
  return normalizeSpace(one.slots.join(' ')) === normalizeSpace(other.slots.join(' '));
}

function hasSameFiles({ files: one }: Submission, { files: other }: Submission): boolean {
  if (one === undefined || other === undefined) return true;
  return (
    one.length === other.length &&
    one.every(({ filename, size }, at) => filename === other[at]?.filename && size === other[at].size)
  );
}

/** Maximum clock difference between two processes: results read this soon after a change are read again. */
export const clockSkewMs = 2_000;
/** If both sources still agree this long after the last change (ms), neither is lagging. */
const longestLagMs = 3_600_000;

/**
 * Classifies a row of a known task: `same` brings nothing new · `stale` is older than the record, or impossible, so its
 * source must be read again · `ask` may be true, so get_task_info is asked.
 */
export function examineRow(task: Task, row: SeenRow): 'same' | 'stale' | 'ask' {
  if (row.rating === task.rating) return isOpen(task) && mayBeLater(task, row) ? 'ask' : 'same';
  if (isTooEarly(task, row.readAt)) return 'stale';
  const { submittedAt } = row;
  const slots = task.proof.slots;
  const known = { submittedAt: task.submittedAt, slots };
  // The texts may come from different sources, so only the times are compared.
  if (submissionOrder(known, { submittedAt, slots }, undefined) === 'earlier') return 'stale';
  const isFinal = task.rating === 'OK' || task.rating === 'NOK';
  return isFinal && !mayBeLater(task, row) && !isBeyondLag(task, row) ? 'stale' : 'ask';
}

/** Applies a row confirmed by both sources to a known task. Pure. */
export function transitionConfirmed(task: Task, row: ConfirmedRow): TransitionResult {
  const { answer, rating } = row;
  const order = orderOf(task, row);
  if (order === 'earlier') return { kind: 'stale', task };
  if (rating === task.rating) {
    if (!isOpen(task) || !mayBeLater(task, row)) return { kind: 'same', task };
    if (order === 'same') return { kind: hasMovedInTime(task, row) ? 'stale' : 'same', task };
    return nextRound(task, row);
  }
  if (isTooEarly(task, row.readAt) || !isPossible(task, row, order)) return { kind: 'stale', task };
  // A decision made before the marketplace's own review of a correction belongs to the earlier round.
  const returns = task.rating !== 'NOTREVIEWED' || task.decision !== undefined || order === 'later';
  if (rating === 'NOTRATED' && returns) return nextRound(task, row);
  const { decision } = task;
  // It may be ours: the decision is read back.
  if (decision?.state === 'held' && mayBeApplied(decision)) {
    return withVisibleChange(task, {
      decision: { ...withoutProblem(decision), state: 'sending', dueAt: row.readAt },
    });
  }
  // Redis may have lost the attempt. When the decision is sent, the marketplace refuses it, and it is read back.
  if (decision && isPending(task) && isSame(decision, answer)) return { kind: 'same', task };
  return withVisibleChange(withoutInference(task), {
    rating,
    comment: answer.comment,
    ratedAt: row.readAt,
    ...(decision && !hasEnded(decision) ? { decision: ended(decision, 'overtaken') } : {}),
  });
}

function isSame({ verdict, comment }: Decision, found: TaskAnswer): boolean {
  return verdict === found.rating && normalizeSpace(comment) === normalizeSpace(found.comment);
}

/** Returns whether a decision is in progress, or the rating changed within the clock difference. */
function isTooEarly(task: Task, readAt: number): boolean {
  return task.decision?.state === 'sending' || readAt < task.ratedAt + clockSkewMs;
}

/**
 * Returns whether a task can have moved from its rating to another one ("States and transitions"). Both sources may lag,
 * and then agree on the state before our own rating, with the same submission. Ratings are never withdrawn, so a task
 * leaves OK and NOK only with a submission later than the rating.
 */
function isPossible(task: Task, row: ConfirmedRow, order: 'same' | 'later'): boolean {
  const isLater = order === 'later';
  const isRated = row.rating !== 'NOTRATED' && row.rating !== 'NOTREVIEWED';
  switch (task.rating) {
    case 'NOTREVIEWED':
      return true;
    case 'NOTRATED':
      return isRated || isLater;
    case 'REVISE':
      return isRated || isLater || isBeyondLag(task, row);
    default: {
      const isAfterRating = isLater && (submittedAtOf(row) ?? 0) > task.ratedAt;
      return isAfterRating || (isRated && isBeyondLag(task, row));
    }
  }
}

function isBeyondLag(task: Task, { readAt }: SeenRow): boolean {
  return readAt >= task.ratedAt + longestLagMs;
}

function submittedAtOf({ answer, submittedAt }: ConfirmedRow): number | undefined {
  return answer.proof.finishedAt ?? submittedAt;
}

/**
 * Returns how the submission in both sources relates to the known one, compared with the source the known one came from.
 */
function orderOf(task: Task, row: ConfirmedRow): 'same' | 'later' | 'earlier' {
  const { proof } = task;
  const before = task.before?.likely ? undefined : task.before?.slots;
  if (!task.detailed) {
    const known = { submittedAt: task.submittedAt, slots: proof.slots };
    return submissionOrder(known, { submittedAt: row.submittedAt, slots: row.proof.slots }, before);
  }
  const { slots, files, finishedAt } = row.answer.proof;
  const known = { submittedAt: proof.finishedAt, slots: proof.slots, files: proof.files };
  const order = submissionOrder(known, { submittedAt: finishedAt, slots, files }, before);
  // The details may have been read after the correction; then the known submission is already the later one.
  const isKnownLater =
    order === 'same' && hasMovedInTime(task, row) && isSameMoment(finishedAt, row.submittedAt);
  return isKnownLater ? 'later' : order;
}

/** Returns whether a row of an open task may show another submission than the known one. */
function mayBeLater(task: Task, { submittedAt, proof }: SeenRow): boolean {
  if (task.submittedAt === undefined) return isSubmittedLater(task.proof.finishedAt, submittedAt);
  const known = { submittedAt: task.submittedAt, slots: task.proof.slots };
  return isResubmitted(known, { submittedAt, slots: proof.slots }, true);
}

/** Returns whether only the results have a later time, which get_task_info does not confirm yet. */
function hasMovedInTime(task: Task, { submittedAt }: SeenRow): boolean {
  return isSubmittedLater(task.submittedAt, submittedAt);
}

function nextRound(task: Task, row: ConfirmedRow): TransitionResult {
  const {
    decision,
    before: _,
    pictures = [],
    hasEvidence: ______,
    undone: ___,
    undoneBy: _____,
    submittedAt: ____,
    ...rest
  } = withoutInference(task);
  const { answer, submittedAt } = row;
  const asked = decision?.state === 'applied' && decision.verdict === 'REVISE' ? decision : undefined;
  const isAskedElsewhere = asked === undefined && task.rating === 'REVISE' && !task.isRatingInferred;
  const before: EarlierRound = {
    slots: task.proof.slots,
    ...(pictures.length === 0 ? {} : { pictures }),
    comment: asked?.comment ?? (isAskedElsewhere ? task.comment : answer.comment),
    ...(asked ? { by: asked.by } : {}),
    ...(isAskedElsewhere ? { askedElsewhere: true } : {}),
    ...earlierCard(task),
  };
  // A lagging source shows an earlier submission. The time is kept only if both show the same one: a time later than the
  // proof would hide the submission it belongs to.
  const isLagging = isSubmittedBefore(submittedAt, answer.proof.finishedAt);
  const isTimeKnown = submittedAt !== undefined && (!task.detailed || (mayBeLater(task, row) && !isLagging));
  return withVisibleChange(rest, {
    id: row.id,
    campaign: row.campaign,
    csvRow: row.csvRow,
    ...(isTimeKnown ? { submittedAt } : {}),
    // Details that prove the new submission belong to this round; others are read when the card is rendered.
    ...(task.detailed
      ? { worker: { ...row.worker, ...answer.worker }, proof: answer.proof, detailed: true }
      : { worker: row.worker, proof: row.proof, detailed: false }),
    rating: row.rating,
    comment: answer.comment,
    round: task.round + 1,
    ratedAt: row.readAt,
    before,
    card: nextCard(task.card),
  });
}

/**
 * Returns the card of the next round. A task with a card keeps its place in the channel; one decided without a card
 * waits for a place like a new task.
 */
function nextCard(card: Task['card']): Task['card'] {
  // A post in progress becomes this round's card.
  if (card.state === 'wanted' || card.state === 'backlog') return card;
  const room = card.state === 'posted' ? { channel: card.channel } : {};
  return { state: 'wanted', ...room, ...withFormer(formerOf(card)) };
}

/**
 * Returns the cards that must link to the next round's: this round's, or the earlier one if this was never posted; and
 * older ones without a link to a newer card.
 */
function earlierCard({ card, before }: Task): Pick<EarlierRound, 'card' | 'unlinked'> {
  const { card: earlier, unlinked = [] } = before ?? {};
  const isNext = card.state === 'posted' && earlier !== undefined && !earlier.linked;
  const all = isNext ? [...unlinked, { channel: earlier.channel, ts: earlier.ts }] : unlinked;
  const last = card.state === 'posted' ? { channel: card.channel, ts: card.ts } : earlier;
  return { ...(last ? { card: last } : {}), ...(all.length === 0 ? {} : { unlinked: all }) };
}

function withoutInference(task: Task): Task {
  const { isRatingInferred: _, ...rest } = task;
  return rest;
}

function hasEnded(decision: Decision): boolean {
  return decision.state === 'applied' || decision.state === 'overtaken';
}
