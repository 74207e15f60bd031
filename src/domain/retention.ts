import type { ConfirmedRow } from './confirmed-transition.ts';
import { type Announcement, type CardState, formerOf, withFormer } from './live-message.ts';
import { isPending, type Task, type TransitionResult, withoutProblem } from './task.ts';

/** Returns when a task was finally decided (ms); undefined while it may still need its reviewers. */
export function decidedAt(task: Task): number | undefined {
  // A task in REVISE may come back, and is then shown with its previous submission.
  if ((task.rating !== 'OK' && task.rating !== 'NOK') || isPending(task)) return undefined;
  return Math.max(task.ratedAt, task.decision?.at ?? 0);
}

/**
 * Returns a decided task without the worker's name, country and address, without the submission, and without comments,
 * which quote it. The rest still identifies the task when it is listed again, and who decided what.
 */
export function withoutDetails(task: Task, at: number): Task {
  const { id, campaign, round, rating, ratedAt, csvRow, submittedAt, decision, card, revision } = task;
  const { finishedAt } = task.proof;
  return {
    ...{ id, campaign, round, rating, ratedAt, csvRow, revision },
    ...(submittedAt === undefined ? {} : { submittedAt }),
    comment: '',
    worker: { id: task.worker.id, country: '', ip: '' },
    proof: { slots: [], files: [], ...(finishedAt === undefined ? {} : { finishedAt }) },
    // They are not read again.
    detailed: true,
    ...(decision ? { decision: { ...withoutProblem(decision), comment: '' } } : {}),
    card: withoutAttempt(card),
    detailsRemovedAt: at,
  };
}

/** A card that was never posted is no longer needed. */
function withoutAttempt(card: CardState): CardState {
  return card.state === 'wanted' ? { state: 'gone', ...withFormer(formerOf(card)) } : card;
}

/**
 * Returns the result of a confirmed row for a task without details: if the task is no longer final, it gets the row's
 * details.
 */
export function withDetailsAgain(
  before: Task,
  { worker, answer }: ConfirmedRow,
  result: TransitionResult,
): TransitionResult {
  if (before.detailsRemovedAt === undefined || result.kind !== 'done') return result;
  if (decidedAt(result.task) !== undefined) return { kind: 'done', task: { ...result.task, comment: '' } };
  const { detailsRemovedAt: _, before: earlier, ...task } = result.task;
  // The previous submission is unknown, so it must not be compared.
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

/** Returns the latest time at which a message was handled (ms); undefined while somebody must read it. */
export function dealtWithAt({ unread, trashed, sentAt }: Announcement): number | undefined {
  return unread && !trashed ? undefined : (sentAt ?? 0);
}
