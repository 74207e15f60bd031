import { restored, supersede, transitionDecision } from './decision-transition.ts';
import {
  type SeenRow,
  type TaskEvent,
  type TransitionResult,
  withHiddenChange,
  withVisibleChange,
} from './events.ts';
import { type CardState, type MessageRef, type PostEvent, postTransition } from './live-message.ts';
import { isResubmitted } from './resubmission.ts';
import type { Decision, EarlierRound, Task } from './task.ts';
import { isOpen, isPending, mayBeApplied, withoutProblem } from './task.ts';

/** How far the clocks of two processes may differ: results read this soon after a change are not trusted, but read again. */
export const clockSkewMs = 2_000;

/** Applies an event to a task. Pure: the same task and event always return the same result. */
export function transition(task: Task | undefined, event: TaskEvent): TransitionResult {
  if (event.type === 'seen') return task === undefined ? firstSeen(event) : seenAgain(task, event);
  if (task === undefined) return { kind: 'rejected', task };
  switch (event.type) {
    case 'detailed':
      if (task.round !== event.round) return { kind: 'rejected', task };
      return withVisibleChange(task, { worker: event.worker, proof: event.proof, detailed: true });
    case 'images-uploaded':
      if (task.round !== event.round) return { kind: 'rejected', task };
      return withHiddenChange(task, { pictures: event.pictures });
    case 'earlier-card-linked': {
      const { before } = task;
      return before?.card
        ? withHiddenChange(task, { before: { ...before, card: { ...before.card, linked: true } } })
        : { kind: 'same', task };
    }
    case 'card-wanted':
      return task.card.state === 'backlog'
        ? withVisibleChange(task, { card: { state: 'wanted' } })
        : { kind: 'same', task };
    case 'posting':
    case 'not-posted':
    case 'posted':
    case 'card-gone':
      return posted(task, event);
    case 'decided':
      return decided(task, event);
    case 'restored':
      return restored(task, event);
    default:
      return transitionDecision(task, event);
  }
}

function firstSeen(row: SeenRow): TransitionResult {
  const { want } = row;
  if (row.rating !== 'NOTRATED' && typeof want === 'string') return { kind: 'same', task: undefined };
  const card: CardState =
    typeof want === 'string'
      ? { state: want === 'card' ? 'wanted' : 'backlog' }
      : { state: 'posted', channel: want.channel, ts: want.ts };
  const round = typeof want === 'string' ? 1 : want.round;
  const before = row.corrects ? { before: row.corrects } : {};
  const ratedAt = row.rating === 'NOTRATED' ? 0 : row.readAt;
  const task: Task = { ...contentOf(row), ...before, round, ratedAt, detailed: false, card, revision: 1 };
  return { kind: 'done', task };
}

function contentOf(row: SeenRow) {
  const { id, campaign, rating, comment, worker, csvRow, submittedAt, proof } = row;
  const content = { id, campaign, rating, comment, worker, csvRow, proof };
  return submittedAt === undefined ? content : { ...content, submittedAt };
}

function seenAgain(task: Task, row: SeenRow): TransitionResult {
  if (row.rating === task.rating && !isCorrectedElsewhere(task, row)) return { kind: 'same', task };
  if (task.decision?.state === 'sending') return { kind: 'stale', task };
  if (row.readAt < task.ratedAt + clockSkewMs) return { kind: 'stale', task };
  // A decision made before the marketplace's own review of a correction belongs to the earlier round.
  const returns = task.rating !== 'NOTREVIEWED' || task.decision !== undefined;
  if (row.rating === 'NOTRATED' && returns) return nextRound(task, row);
  const { decision } = task;
  // The row does not say whose rating it is, nor its bonus, so get_task_info is asked.
  if (decision?.state === 'held' && mayBeApplied(decision)) {
    return withVisibleChange(task, {
      decision: { ...withoutProblem(decision), state: 'sending', dueAt: row.readAt },
    });
  }
  const change = { rating: row.rating, comment: row.comment, ratedAt: row.readAt };
  return withVisibleChange(task, {
    ...change,
    ...(decision && !hasEnded(decision) ? supersede(decision) : {}),
  });
}

function isCorrectedElsewhere(task: Task, { submittedAt, proof }: SeenRow): boolean {
  const known = { submittedAt: task.submittedAt, slots: task.proof.slots };
  return isOpen(task) && isResubmitted(known, { submittedAt, slots: proof.slots }, true);
}

function nextRound(task: Task, row: SeenRow): TransitionResult {
  const { decision, before: _, pictures: __, undone: ___, submittedAt: ____, ...rest } = task;
  const reviewed = decision?.state === 'applied' ? decision : undefined;
  const before = {
    slots: task.proof.slots,
    comment: reviewed?.comment ?? (task.comment || row.comment),
    ...(reviewed ? { by: reviewed.by } : {}),
    ...earlierCard(task),
  };
  return withVisibleChange(rest, {
    ...contentOf(row),
    round: task.round + 1,
    ratedAt: row.readAt,
    detailed: false,
    before,
    // A post that may be under way becomes this round's card.
    card: task.card.state === 'wanted' ? task.card : { state: 'wanted' },
  });
}

/** Returns the card that is to link to the next round's: this round's, or the earlier one if this was never posted. */
function earlierCard({ card, before }: Task): Pick<EarlierRound, 'card'> {
  if (card.state === 'posted') return { card: { channel: card.channel, ts: card.ts } };
  return before?.card ? { card: before.card } : {};
}

function posted(task: Task, event: PostEvent & { readonly round?: number }): TransitionResult {
  if (event.type === 'posted' && isOfAnEarlierRound(task, event)) return { kind: 'rejected', task };
  const isNeeded = isOpen(task) || isPending(task);
  const card = postTransition(task.card, event, { isNeeded, round: task.round });
  if (card !== undefined)
    return event.type === 'card-gone' ? withVisibleChange(task, { card }) : withHiddenChange(task, { card });
  const isRejected = event.type === 'posting' || event.type === 'posted';
  return { kind: isRejected ? 'rejected' : 'same', task };
}

function isOfAnEarlierRound(
  { round, before }: Task,
  event: { readonly messageRef: MessageRef; readonly round?: number },
): boolean {
  const isBefore =
    before?.card?.ts === event.messageRef.ts && before.card.channel === event.messageRef.channel;
  return isBefore || (event.round !== undefined && event.round !== round);
}

function decided(task: Task, event: Extract<TaskEvent, { type: 'decided' }>): TransitionResult {
  const { id } = event.decision;
  if (task.decision?.id === id || task.undone?.includes(id)) return { kind: 'same', task };
  if (!isOpen(task) || task.round !== event.round) return { kind: 'rejected', task };
  const decision: Decision = {
    ...event.decision,
    at: event.at,
    state: 'waiting',
    dueAt: event.sendAt,
    attempts: 0,
  };
  return withVisibleChange(task, { decision });
}

function hasEnded(decision: Decision): boolean {
  return decision.state === 'applied' || decision.state === 'overtaken';
}
