import type { SeenCard, ShownDecision } from './channel-view.ts';

/** A decision that somebody has read as accepted. From then on, it must not be lost. */
export interface SeenDecision extends Pick<ShownDecision, 'verdict' | 'by' | 'comment'> {
  readonly id: string;
  readonly task: string;
  readonly round: number;
  /** The state last shown on a card. */
  readonly state: ShownDecision['state'];
  /** When it was read, if only in focus review and on no card (ms); nothing in Slack shows it after that. */
  readonly onlyInFocusAt?: number;
  /** All comments sent with this rating in focus review, if tried more than once; any of them may be the stored one. */
  readonly comments?: readonly string[];
}

/** What people did and saw. */
export interface ReviewLog {
  /** Decisions that people tried to make. */
  tried: number;
  /** By the decision's id. */
  readonly accepted: Map<string, SeenDecision>;
  /** Ids of decisions whose Undo was clicked. */
  readonly undone: Set<string>;
  /** Bulk ratings whose confirmation was read, with the time (ms). */
  readonly bulk: Map<string, number>;
  /** Those of these in which everything possible was undone. */
  readonly undoneBulk: Set<string>;
  corrected: number;
  /** The number of summaries of waiting tasks that somebody deleted. */
  summariesDeleted: number;
  /** Attempts: focus reviews begun, replies in threads, tasks taken, requests approved. */
  reviews: number;
  replies: number;
  taken: number;
  approved: number;
  /** Acts read as done: tasks assigned to others, tasks taken over. */
  assigned: number;
  takenOver: number;
  /** Ids of decisions read as made in a review that was started from the message about the person's own tasks. */
  readonly mine: Set<string>;
  /** The number of roles read as withdrawn while a decision of the member waited. */
  withdrawn: number;
  /** Members whose role must be restored. */
  readonly withoutRole: Set<string>;
  /** Places of cards with a decision that cannot be sent because its maker has no role; somebody must undo it. */
  readonly barred: Set<string>;
}

export function createReviewLog(): ReviewLog {
  return {
    tried: 0,
    accepted: new Map(),
    undone: new Set(),
    bulk: new Map(),
    undoneBulk: new Set(),
    corrected: 0,
    summariesDeleted: 0,
    reviews: 0,
    replies: 0,
    taken: 0,
    approved: 0,
    assigned: 0,
    takenOver: 0,
    mine: new Set(),
    withdrawn: 0,
    withoutRole: new Set(),
    barred: new Set(),
  };
}

/** Returns a line with the numbers of decisions tried and read as accepted. */
export function decisionsLine({ tried, accepted }: ReviewLog): string {
  return `${tried} decisions tried, ${accepted.size} accepted`;
}

/** Returns a line with the number of attempts at each act other than decisions on cards. */
export function actsLine(log: ReviewLog): string {
  const { reviews, replies, taken, approved, bulk, corrected } = log;
  return `${reviews} focus reviews, ${bulk.size} bulk ratings, ${replies} replies, ${taken} tasks taken, ${approved} approvals, ${corrected} corrections, ${log.assigned} tasks assigned, ${log.takenOver} taken over, ${log.mine.size} decisions from reminders, ${log.withdrawn} roles withdrawn`;
}

/** Returns whether a decision was undone, alone or with its whole bulk rating. */
export function isUndone({ undone, undoneBulk }: ReviewLog, decision: string): boolean {
  return undone.has(decision) || [...undoneBulk].some((rating) => decision.startsWith(`bulk-${rating}-`));
}

/** Adds the decision that a card shows to the log. */
export function logDecision(log: ReviewLog, card: SeenCard): void {
  const { task, round, decision } = card;
  if (decision?.id === undefined) return;
  const { id, verdict, by, comment, state } = decision;
  const known = log.accepted.get(id);
  // An overtaken card no longer shows the decision's comment.
  const words = known && known.onlyInFocusAt === undefined ? known.comment : comment;
  log.accepted.set(id, { id, task, round, verdict, by, comment: words, state });
}
