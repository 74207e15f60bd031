import type {
  CardPlace,
  CardState,
  Decision,
  DecisionState,
  EarlierRound,
  Picture,
  Problem,
  Proof,
  Task,
  Worker,
} from './task.ts';
import { isOpen } from './task.ts';
import type { CampaignId, ChannelId, Rating, TaskId } from './terms.ts';

/** What can happen to a task. All times are milliseconds since 1970. */
export type TaskEvent =
  /** A row of the results CSV; `readAt` is when that read began. */
  | ({ readonly type: 'seen' } & SeenRow)
  /** get_task_info's answer. */
  | { readonly type: 'detailed'; readonly round: number; readonly worker: Worker; readonly proof: Proof }
  | { readonly type: 'pictured'; readonly round: number; readonly pictures: readonly Picture[] }
  | { readonly type: 'card-wanted' }
  | { readonly type: 'posting'; readonly channel: ChannelId; readonly at: number }
  | { readonly type: 'not-posted' }
  | { readonly type: 'posted'; readonly place: CardPlace }
  /** The earlier round's card now points at this one. */
  | { readonly type: 'pointed' }
  /** The card was deleted by someone. */
  | { readonly type: 'card-gone'; readonly place: CardPlace }
  | {
      readonly type: 'decided';
      readonly decision: NewDecision;
      /** The round that was decided on. */
      readonly round: number;
      readonly at: number;
      readonly sendAt: number;
    }
  | DecisionEvent;

/** What can happen to a decision; each names the one it speaks of. */
export type DecisionEvent =
  | { readonly type: 'undone'; readonly decision: string }
  /** The decision is about to be sent; past `leaseUntil` its end counts as unknown. */
  | { readonly type: 'sending'; readonly decision: string; readonly at: number; readonly leaseUntil: number }
  | { readonly type: 'applied'; readonly decision: string; readonly at: number }
  | { readonly type: 'refused'; readonly decision: string; readonly problem: Problem }
  /** It cannot be sent for now, and certainly was not applied. */
  | { readonly type: 'held'; readonly decision: string; readonly until: number; readonly problem: Problem }
  /** What held it up may be over: it is tried again now. */
  | { readonly type: 'released'; readonly decision: string; readonly at: number }
  /** Nobody knows whether it was applied: it is to be read back at `until`. */
  | { readonly type: 'unsure'; readonly decision: string; readonly until: number }
  /** get_task_info says that somebody else's rating stands. */
  | {
      readonly type: 'overtaken';
      readonly decision: string;
      readonly rating: Rating;
      readonly comment: string;
      readonly at: number;
    };

export interface SeenRow {
  readonly readAt: number;
  readonly id: TaskId;
  readonly campaign: CampaignId;
  readonly rating: Rating;
  readonly comment: string;
  readonly worker: Worker;
  readonly csvRow: string;
  readonly handedIn?: number;
  readonly proof: Proof;
  /** What a new task gets: a card, a place in the backlog, or the card it turned out to have already. */
  readonly want: 'card' | 'backlog' | (CardPlace & { readonly round: number });
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
export type Outcome =
  | { readonly kind: 'done'; readonly task: Task }
  | { readonly kind: 'same' | 'stale' | 'rejected'; readonly task: Task | undefined };

/** So many decisions that were taken back are remembered. */
const undoneKept = 5;

/** Two processes' clocks may differ by this much: news this close to a change is not trusted, but read again. */
export const clockSkewMs = 2_000;

const quarterHourMs = 900_000;

/** Applies an event to a task. Pure: the same task and event always give the same outcome. */
export function transition(task: Task | undefined, event: TaskEvent): Outcome {
  if (event.type === 'seen') return task === undefined ? firstSeen(event) : seenAgain(task, event);
  if (task === undefined) return { kind: 'rejected', task };
  switch (event.type) {
    case 'detailed':
      if (task.round !== event.round) return { kind: 'rejected', task };
      return visible(task, { worker: event.worker, proof: event.proof, detailed: true });
    case 'pictured':
      if (task.round !== event.round) return { kind: 'rejected', task };
      return unseen(task, { pictures: event.pictures });
    case 'pointed': {
      const { before } = task;
      return before?.card
        ? unseen(task, { before: { ...before, card: { ...before.card, pointed: true } } })
        : { kind: 'same', task };
    }
    case 'card-wanted':
      return task.card.state === 'backlog'
        ? visible(task, { card: { state: 'wanted' } })
        : { kind: 'same', task };
    case 'posting':
      if (task.card.state !== 'wanted') return { kind: 'rejected', task };
      return unseen(task, {
        card: { state: 'wanted', attempt: { channel: event.channel, at: event.at, round: task.round } },
      });
    case 'not-posted':
      return task.card.state === 'wanted'
        ? unseen(task, { card: { state: 'wanted' } })
        : { kind: 'same', task };
    case 'posted':
      if (task.card.state !== 'wanted') return { kind: 'rejected', task };
      return unseen(task, { card: { state: 'posted', ...event.place } });
    case 'card-gone':
      return cardGone(task, event.place);
    case 'decided':
      return decided(task, event);
    default:
      return settle(task, event);
  }
}

function firstSeen(row: SeenRow): Outcome {
  const { want } = row;
  if (row.rating !== 'NOTRATED' && typeof want === 'string') return { kind: 'same', task: undefined };
  const card: CardState =
    typeof want === 'string'
      ? { state: want === 'card' ? 'wanted' : 'backlog' }
      : { state: 'posted', channel: want.channel, ts: want.ts };
  const round = typeof want === 'string' ? 1 : want.round;
  const before = row.corrects ? { before: row.corrects } : {};
  const task: Task = { ...contentOf(row), ...before, round, ratedAt: 0, detailed: false, card, face: 1 };
  return { kind: 'done', task };
}

function contentOf(row: SeenRow) {
  const { id, campaign, rating, comment, worker, csvRow, handedIn, proof } = row;
  const content = { id, campaign, rating, comment, worker, csvRow, proof };
  return handedIn === undefined ? content : { ...content, handedIn };
}

function seenAgain(task: Task, row: SeenRow): Outcome {
  if (row.rating === task.rating && !isHandedInAgain(task, row)) return { kind: 'same', task };
  if (task.decision?.state === 'sending') return { kind: 'stale', task };
  if (row.readAt < task.ratedAt + clockSkewMs) return { kind: 'stale', task };
  // What was decided before the marketplace's own review of a correction belongs to the round before.
  const returns = task.rating !== 'NOTREVIEWED' || task.decision !== undefined;
  if (row.rating === 'NOTRATED' && returns) return nextRound(task, row);
  const change = { rating: row.rating, comment: row.comment, ratedAt: row.readAt };
  return visible(task, {
    ...change,
    ...(task.decision && !hasEnded(task.decision) ? metBy(task.decision, row) : {}),
  });
}

/**
 * Sent back and corrected elsewhere between two reads: it waits as before, but what waits is another proof. A time that
 * differs by whole quarters of an hour, with the same texts, is the same moment in another time zone.
 */
function isHandedInAgain(task: Task, { handedIn, proof }: SeenRow): boolean {
  if (!isOpen(task) || handedIn === undefined || task.handedIn === undefined) return false;
  const later = handedIn - task.handedIn;
  const sameTexts = proof.slots.join('\0') === task.proof.slots.join('\0');
  return later > 0 && !(sameTexts && later % quarterHourMs === 0);
}

function nextRound(task: Task, row: SeenRow): Outcome {
  const { decision, before: _, pictures: __, undone: ___, handedIn: ____, ...rest } = task;
  const reviewed = decision?.state === 'applied' ? decision : undefined;
  const before = {
    slots: task.proof.slots,
    comment: reviewed?.comment ?? (task.comment || row.comment),
    ...(reviewed ? { by: reviewed.by } : {}),
    ...earlierCard(task),
  };
  return visible(rest, {
    ...contentOf(row),
    round: task.round + 1,
    ratedAt: row.readAt,
    detailed: false,
    before,
    // A post that may be under way becomes the card of this round.
    card: task.card.state === 'wanted' ? task.card : { state: 'wanted' },
  });
}

/** The card that is to point at the next round's: this round's, or where that was never posted the one before. */
function earlierCard({ card, before }: Task): Pick<EarlierRound, 'card'> {
  if (card.state === 'posted') return { card: { channel: card.channel, ts: card.ts } };
  return before?.card ? { card: before.card } : {};
}

function cardGone(task: Task, place: CardPlace): Outcome {
  const stands =
    task.card.state === 'posted' && task.card.ts === place.ts && task.card.channel === place.channel;
  if (!stands) return { kind: 'same', task };
  const needed = isOpen(task) || (task.decision !== undefined && pending(task.decision));
  return visible(task, { card: { state: needed ? 'wanted' : 'gone' } });
}

function decided(task: Task, event: Extract<TaskEvent, { type: 'decided' }>): Outcome {
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
  return visible(task, { decision });
}

/** What happens to a decision on its way; an event that speaks of another decision changes nothing. */
function settle(task: Task, event: DecisionEvent): Outcome {
  const decision = task.decision;
  if (decision?.id !== event.decision) return { kind: 'rejected', task };
  switch (event.type) {
    case 'undone': {
      if (decision.state !== 'waiting' && decision.state !== 'held') return { kind: 'rejected', task };
      const { decision: _, ...open } = task;
      return visible(open, { undone: [...(task.undone ?? []), decision.id].slice(-undoneKept) });
    }
    case 'sending':
      if (!pending(decision) || (decision.dueAt ?? 0) > event.at) return { kind: 'rejected', task };
      return unseen(task, {
        decision: {
          ...without(decision),
          state: 'sending',
          dueAt: event.leaseUntil,
          attempts: decision.attempts + 1,
        },
      });
    case 'unsure':
      if (decision.state !== 'sending') return { kind: 'rejected', task };
      return unseen(task, { decision: { ...decision, dueAt: event.until } });
    case 'held':
      if (decision.state !== 'sending') return { kind: 'rejected', task };
      return visible(task, {
        decision: { ...decision, state: 'held', dueAt: event.until, problem: event.problem },
      });
    case 'released':
      if (decision.state !== 'held') return { kind: 'rejected', task };
      return unseen(task, { decision: { ...decision, dueAt: event.at } });
    case 'applied':
      if (decision.state !== 'sending') return { kind: 'rejected', task };
      return visible(task, {
        rating: decision.verdict,
        comment: decision.comment,
        ratedAt: event.at,
        decision: ended(decision, 'applied'),
      });
    case 'refused':
      if (decision.state !== 'sending') return { kind: 'rejected', task };
      return visible(task, { decision: { ...ended(decision, 'refused'), problem: event.problem } });
    case 'overtaken':
      if (decision.state !== 'sending') return { kind: 'rejected', task };
      return visible(task, {
        rating: event.rating,
        comment: event.comment,
        ratedAt: event.at,
        ...overtake(decision),
      });
  }
}

function pending(decision: Decision): boolean {
  return decision.state === 'waiting' || decision.state === 'sending' || decision.state === 'held';
}

function hasEnded(decision: Decision): boolean {
  return decision.state === 'applied' || decision.state === 'overtaken';
}

/** What a rating that was seen means for the decision on the same task: it may be the decision itself. */
function metBy(decision: Decision, row: SeenRow): { decision: Decision } {
  const isOurs =
    decision.attempts > 0 &&
    pending(decision) &&
    row.rating === decision.verdict &&
    row.comment.trim() === decision.comment.trim();
  return isOurs ? { decision: ended(decision, 'applied') } : overtake(decision);
}

function overtake(decision: Decision): { decision: Decision } {
  return { decision: ended(decision, 'overtaken') };
}

function ended(decision: Decision, state: DecisionState): Decision {
  const { dueAt: _, ...rest } = without(decision);
  return { ...rest, state };
}

function without(decision: Decision): Decision {
  const { problem: _, ...rest } = decision;
  return rest;
}

function visible(task: Task, change: Partial<Task>): Outcome {
  return { kind: 'done', task: { ...task, ...change, face: task.face + 1 } };
}

function unseen(task: Task, change: Partial<Task>): Outcome {
  return { kind: 'done', task: { ...task, ...change } };
}
