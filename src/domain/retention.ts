import type { Announcement } from './announcement.ts';
import type { ConfirmedRow } from './confirmation.ts';
import type { TransitionResult } from './events.ts';
import { type CardState, formerOf, withFormer } from './live-message.ts';
import { type Decision, isPending, type Task, withoutProblem } from './task.ts';

/** Returns when a task was decided for good (ms); undefined while it may still need its reviewers. */
export function decidedAt(task: Task): number | undefined {
  // A task in REVISE may come back, and is then shown with what was submitted before.
  if ((task.rating !== 'OK' && task.rating !== 'NOK') || isPending(task)) return undefined;
  return Math.max(task.ratedAt, task.decision?.at ?? 0);
}

/**
 * Returns a decided task without the worker's name, country and address, without what was submitted, and without comments,
 * which quote it. What is left recognizes the task when it is listed again, and says who decided what.
 */
export function withoutDetails(task: Task, at: number): Task {
  const { id, campaign, round, rating, ratedAt, csvRow, submittedAt, decision, card, revision } = task;
  const { finishedAt } = task.proof;
  return {
    ...{ id, campaign, round, rating, ratedAt, csvRow, revision },
    ...(submittedAt === undefined ? {} : { submittedAt }),
    ...(task.isRatingInferred ? { isRatingInferred: true } : {}),
    comment: '',
    worker: { id: task.worker.id, country: '', ip: '' },
    proof: { slots: [], files: [], ...(finishedAt === undefined ? {} : { finishedAt }) },
    // They are not read again.
    detailed: true,
    ...(decision ? { decision: { ...withoutLook(withoutProblem(decision)), comment: '' } } : {}),
    card: withoutAttempt(card),
    detailsRemovedAt: at,
  };
}

/** What a second look said is stored apart, without comments. */
function withoutLook(decision: Decision): Decision {
  const { look: _, ...rest } = decision;
  return rest;
}

/** A card that was never posted need not be any more. */
function withoutAttempt(card: CardState): CardState {
  return card.state === 'wanted' ? { state: 'gone', ...withFormer(formerOf(card)) } : card;
}

/**
 * Returns the result of a confirmed row for a task without details: if it is no longer decided for good, it has those of
 * the row again.
 */
export function withDetailsAgain(
  before: Task,
  { worker, answer }: ConfirmedRow,
  result: TransitionResult,
): TransitionResult {
  if (before.detailsRemovedAt === undefined || result.kind !== 'done') return result;
  if (decidedAt(result.task) !== undefined) return { kind: 'done', task: { ...result.task, comment: '' } };
  const { detailsRemovedAt: _, before: earlier, ...task } = result.task;
  // What was submitted before is not known, so it must not be compared.
  const { slots: __, ...rest } = earlier ?? { slots: [] };
  return {
    kind: 'done',
    task: {
      ...task,
      ...(earlier?.card ? { before: { ...rest, comment: earlier.comment, slots: answer.proof.slots } } : {}),
      comment: answer.comment,
      worker: { ...worker, ...answer.worker },
      proof: answer.proof,
    },
  };
}

/** Returns when a message was dealt with at the latest (ms); undefined while somebody is to read it. */
export function dealtWithAt({ unread, trashed, sentAt }: Announcement): number | undefined {
  return unread && !trashed ? undefined : (sentAt ?? 0);
}
