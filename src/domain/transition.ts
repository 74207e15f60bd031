import { transitionConfirmed } from './confirmed-transition.ts';
import {
  type CardState,
  formerOf,
  type MessageRef,
  type PostEvent,
  postTransition,
  withFormer,
} from './live-message.ts';
import { transitionNotes } from './note.ts';
import { decidedAt, withDetailsAgain, withoutDetails } from './retention.ts';
import {
  asReadBack,
  assignmentVersion,
  type Decision,
  type DecisionEvent,
  ended,
  isOpen,
  isPending,
  mayBeApplied,
  type SeenRow,
  type Task,
  type TaskEvent,
  type TransitionResult,
  withHiddenChange,
  withoutProblem,
  withVisibleChange,
} from './task.ts';

/** Applies an event to a task. Pure: the same task and event always return the same result. */
export function transition(task: Task | undefined, event: TaskEvent): TransitionResult {
  return withAssignmentEnded(withCardIfNeeded(applied(task, event)));
}

/**
 * Posts a card for a task decided without one if people must know the outcome: the decision was refused or overtaken, or
 * waits for somebody to take it over. A task that is open again, and whose card was deleted meanwhile, waits for a place
 * like one that never had a card.
 */
function withCardIfNeeded(result: TransitionResult): TransitionResult {
  if (result.kind !== 'done') return result;
  const { task } = result;
  const { card, decision } = task;
  if (card.state === 'gone' && isOpen(task))
    return { kind: 'done', task: { ...task, card: { ...card, state: 'backlog' } } };
  if (card.state !== 'backlog') return result;
  const { state, problem } = decision ?? {};
  const isTold = state === 'refused' || state === 'overtaken';
  if (!isTold && !(state === 'held' && problem?.waitsFor === 'person')) return result;
  return { kind: 'done', task: { ...task, card: { ...card, state: 'wanted' } } };
}

function applied(task: Task | undefined, event: TaskEvent): TransitionResult {
  if (event.type === 'seen') return task === undefined ? firstSeen(event) : seenAgain(task, event);
  if (event.type === 'confirmed')
    return task === undefined
      ? firstSeen(event)
      : withDetailsAgain(task, event, transitionConfirmed(task, event));
  if (task === undefined) return { kind: 'rejected', task };
  if (aboutDetails.includes(event.type) && task.detailsRemovedAt !== undefined) return { kind: 'same', task };
  switch (event.type) {
    case 'details-expired':
      if (decidedAt(task) === undefined) return { kind: 'rejected', task };
      return { kind: 'done', task: withoutDetails(task, event.at) };
    case 'detailed':
      if (task.round !== event.round) return { kind: 'rejected', task };
      return withVisibleChange(task, {
        worker: event.worker,
        proof: event.proof,
        detailed: true,
      });
    case 'evidence-found':
      return isOpen(task) || isPending(task)
        ? withVisibleChange(task, { hasEvidence: true })
        : withHiddenChange(task, { hasEvidence: true });
    case 'images-uploaded':
      if (task.round !== event.round) return { kind: 'rejected', task };
      return withHiddenChange(task, { pictures: event.pictures });
    case 'earlier-card-linked': {
      if (task.before?.card === undefined) return { kind: 'same', task };
      const { unlinked: _, ...before } = { ...task.before, card: task.before.card };
      return withHiddenChange(task, { before: { ...before, card: { ...before.card, linked: true } } });
    }
    case 'card-wanted': {
      // A task decided without a card needs none, unless somebody asks for it.
      const isNeeded = event.channel === undefined || isOpen(task);
      if (task.card.state !== 'backlog' || !isNeeded) return { kind: 'same', task };
      const room = event.channel === undefined ? {} : { channel: event.channel };
      return withVisibleChange(task, { card: { ...task.card, state: 'wanted', ...room } });
    }
    case 'card-queued':
      return isOpen(task) && task.card.state === 'wanted' && task.card.attempt === undefined
        ? withVisibleChange(task, { card: { state: 'backlog', ...withFormer(formerOf(task.card)) } })
        : { kind: 'same', task };
    case 'posting':
    case 'not-posted':
    case 'posted':
    case 'card-gone':
    case 'channel-lost':
    case 'former-retired':
      return posted(task, event);
    case 'assigned':
      return assigned(task, event);
    case 'decided':
      return decided(task, event);
    case 'note-left':
    case 'note-changed':
    case 'note-removed':
      return transitionNotes(task, event);
    default:
      return transitionDecision(task, event);
  }
}

/** The events that would restore removed details, or remove them again. */
const aboutDetails: readonly TaskEvent['type'][] = [
  'details-expired',
  'detailed',
  'images-uploaded',
  'evidence-found',
];

function firstSeen(row: SeenRow): TransitionResult {
  const { want } = row;
  if (row.rating !== 'NOTRATED') return { kind: 'same', task: undefined };
  const card: CardState = { state: want === 'card' ? 'wanted' : 'backlog' };
  const before = row.corrects ? { before: row.corrects } : {};
  const state = { ...before, round: 1, ratedAt: 0, detailed: false, card, revision: 1 };
  const task: Task = { ...contentOf(row), ...state };
  return { kind: 'done', task };
}

function contentOf(row: SeenRow) {
  const { id, campaign, rating, comment, worker, csvRow, submittedAt, proof } = row;
  const content = { id, campaign, rating, comment, worker, csvRow, proof };
  return submittedAt === undefined ? content : { ...content, submittedAt };
}

/** Handles a row of a known task; a row alone proves nothing. */
function seenAgain(task: Task, row: SeenRow): TransitionResult {
  return { kind: row.rating === task.rating ? 'same' : 'stale', task };
}

function posted(task: Task, event: PostEvent & { readonly round?: number }): TransitionResult {
  if (event.type === 'posted' && isOfAnEarlierRound(task, event)) return { kind: 'rejected', task };
  // The card of a task that nobody decided here, and nobody has to, stays where it was.
  const isFinal = task.decision === undefined || task.detailsRemovedAt !== undefined;
  if (event.type === 'channel-lost' && !isOpen(task) && isFinal) return { kind: 'same', task };
  const isNeeded = isOpen(task) || isPending(task);
  const moved = postTransition(task.card, event, { isNeeded, round: task.round });
  // A decided task's card must be visible at once; an open one waits for a place in the other channel.
  const isQueued = event.type === 'channel-lost' && moved !== undefined && isOpen(task);
  const card: CardState | undefined = isQueued ? { state: 'backlog', ...withFormer(formerOf(moved)) } : moved;
  if (card !== undefined)
    return isSeenOnCard(event) ? withVisibleChange(task, { card }) : withHiddenChange(task, { card });
  const isRejected = event.type === 'posting' || event.type === 'posted';
  return { kind: isRejected ? 'rejected' : 'same', task };
}

/** Returns whether the message must be rendered after an event of its post. */
function isSeenOnCard({ type }: PostEvent): boolean {
  return type === 'card-gone' || type === 'channel-lost';
}

function isOfAnEarlierRound(
  { round, before }: Task,
  event: { readonly messageRef: MessageRef; readonly round?: number },
): boolean {
  const isBefore =
    before?.card?.ts === event.messageRef.ts && before.card.channel === event.messageRef.channel;
  return isBefore || (event.round !== undefined && event.round !== round);
}

/**
 * Returns the card of a task just decided: an unposted card is no longer needed, unless an earlier one must link to it.
 */
function cardOfDecided({ card, before }: Task): CardState {
  const isNeeded = card.state !== 'wanted' || card.attempt !== undefined || before?.card !== undefined;
  return isNeeded ? card : { state: 'backlog', ...withFormer(formerOf(card)) };
}

function decided(task: Task, event: Extract<TaskEvent, { type: 'decided' }>): TransitionResult {
  const { id } = event.decision;
  if (task.undone?.includes(id) || task.decision?.id === id) return { kind: 'same', task };
  if (!isOpen(task) || task.round !== event.round) return { kind: 'rejected', task };
  const decision: Decision = {
    ...event.decision,
    at: event.at,
    state: 'waiting',
    dueAt: event.sendAt,
    attempts: 0,
  };
  return withVisibleChange(task, { decision, card: cardOfDecided(task) });
}

/** Applies an event to a task's decision. An event about another decision or attempt is rejected. Pure. */
export function transitionDecision(task: Task, event: DecisionEvent): TransitionResult {
  const decision = task.decision;
  if (decision?.id !== event.decision) return { kind: 'rejected', task };
  switch (event.type) {
    case 'undone': {
      if (decision.state !== 'waiting' && decision.state !== 'held') return { kind: 'rejected', task };
      const { decision: _, ...open } = task;
      return withVisibleChange(open, {
        undone: [...(task.undone ?? []), decision.id].slice(-maxUndone),
        ...undoneByColleague(decision, event),
      });
    }
    case 'released':
      if (decision.state !== 'held') return { kind: 'rejected', task };
      return withHiddenChange(task, { decision: { ...decision, dueAt: event.at } });
    case 'sending': {
      const isNext = event.attempt === decision.attempts + 1;
      if (!isPending(task) || (decision.dueAt ?? 0) > event.at || !isNext) return { kind: 'rejected', task };
      return withHiddenChange(task, {
        decision: {
          ...withoutProblem(decision),
          state: 'sending',
          dueAt: event.leaseUntil,
          attempts: event.attempt,
          ...(mayBeApplied(decision) ? { earlierAttemptUnknown: true } : {}),
        },
      });
    }
    case 'applied':
      if (decision.state !== 'sending' && !isLateAnswer(decision, event.answered))
        return { kind: 'rejected', task };
      return withVisibleChange(task, {
        rating: decision.verdict,
        comment: decision.comment,
        ratedAt: event.at,
        decision: ended(event.answered ? decision : asReadBack(decision), 'applied'),
      });
    default:
      if (decision.state !== 'sending' || event.attempt !== decision.attempts)
        return { kind: 'rejected', task };
      return attempted(task, decision, event);
  }
}

/** Maximum number of undone decisions stored per task. */
const maxUndone = 5;

/** Returns the record of a decision undone by somebody other than its maker. */
function undoneByColleague(
  { by: of, verdict }: Decision,
  { by }: Extract<DecisionEvent, { type: 'undone' }>,
): Pick<Task, 'undoneBy'> {
  if (by.member === of) return {};
  return { undoneBy: { by: by.member, of, verdict, at: by.at } };
}

/** Applies the outcome of the latest attempt. */
function attempted(
  task: Task,
  decision: Decision,
  event: Extract<DecisionEvent, { type: 'refused' | 'held' | 'outcome-unknown' | 'overtaken' }>,
): TransitionResult {
  const rejected = { ...decision, rejectedAttempt: event.attempt };
  switch (event.type) {
    case 'outcome-unknown':
      return withHiddenChange(task, {
        decision: { ...(event.wasRejected ? rejected : decision), dueAt: event.until },
      });
    case 'held':
      return withVisibleChange(task, {
        decision: { ...rejected, state: 'held', dueAt: event.until, problem: event.problem },
      });
    case 'refused':
      return withVisibleChange(task, {
        decision: { ...ended(rejected, 'refused'), problem: event.problem },
      });
    case 'overtaken':
      return withVisibleChange(task, {
        rating: event.rating,
        comment: event.comment,
        ratedAt: event.at,
        ...(event.isInferred ? { isRatingInferred: true } : {}),
        decision: ended(decision, 'overtaken'),
      });
  }
}

/** Returns whether the marketplace accepted an earlier attempt although another process's later one has failed since. */
function isLateAnswer(decision: Decision, answered: boolean): boolean {
  const isOver = decision.state === 'held' || decision.state === 'refused';
  return answered && isOver && mayBeApplied(decision);
}

/**
 * Assigns a task, or ends its assignment. Rejected if the task can no longer be decided on, or if the assignment differs
 * from the one shown: of two members who take a task at once, one succeeds, and the other is told.
 */
export function assigned(task: Task, event: Extract<TaskEvent, { type: 'assigned' }>): TransitionResult {
  const { assignment, ...free } = task;
  const { to, by, at, seen } = event;
  if (to !== undefined && !isOpen(task)) return { kind: 'rejected', task };
  if (assignment?.to === to) return { kind: 'same', task };
  if (assignmentVersion(assignment) !== seen) return { kind: 'rejected', task };
  if (to === undefined || by === undefined) return withVisibleChange(free, {});
  return withVisibleChange(free, { assignment: { to, by, at } });
}

/**
 * Ends the assignment of a task rated OK or NOK. A task in REVISE keeps it, so that the same reviewer gets the
 * correction; so does one whose decision can still be undone or refused.
 */
export function withAssignmentEnded(result: TransitionResult): TransitionResult {
  if (result.kind !== 'done' || result.task.assignment === undefined) return result;
  const { assignment: _, ...free } = result.task;
  const isFinal = free.rating === 'OK' || free.rating === 'NOK';
  return isFinal && !isPending(free) ? { kind: 'done', task: free } : result;
}
