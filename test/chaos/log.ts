import type { Verdict } from '../../src/domain/terms.ts';
import type { SeenCard, ShownDecision } from './channel-view.ts';

/** A decision that somebody has read as accepted: from then on it counts. */
export interface SeenDecision extends Pick<ShownDecision, 'verdict' | 'by' | 'comment'> {
  readonly id: string;
  readonly task: string;
  readonly round: number;
  /** What a card said of it last. */
  readonly state: ShownDecision['state'];
  /** When it was read in focus review, on no card (ms): nothing in Slack shows it after that. */
  readonly onlyInFocusAt?: number;
  /** Everything that was sent with this rating in focus review, when it was tried more than once: any of it may be meant. */
  readonly comments?: readonly string[];
}

/** A decision that somebody has read as waiting for a second look, or the second of two that differ: nobody read which. */
export interface HeldDecision {
  readonly id: string;
  readonly task: string;
  readonly round: number;
  readonly by: string;
  readonly isSecond: boolean;
}

/** What people did and saw. */
export interface ReviewLog {
  /** Decisions that people tried to make. */
  tried: number;
  /** By the decision's id. */
  readonly accepted: Map<string, SeenDecision>;
  /** By the id of the verdict. */
  readonly held: Map<string, HeldDecision>;
  /** The verdict that each person tried last on each task. */
  readonly verdicts: Map<string, Verdict>;
  /** Where somebody could read a first verdict that waited for a second look. */
  readonly verdictsShown: Set<string>;
  /** Ids of decisions whose Undo was clicked. */
  readonly undone: Set<string>;
  /** Bulk ratings whose confirmation was read, and when (ms). */
  readonly bulk: Map<string, number>;
  /** Of these, those of which all was undone that could be. */
  readonly undoneBulk: Set<string>;
  corrected: number;
  /** Summaries of what waits that somebody deleted. */
  summariesDeleted: number;
  /** Focus reviews begun, replies in threads, tasks taken, requests approved: as often as it was tried. */
  reviews: number;
  replies: number;
  taken: number;
  approved: number;
  /** Read as done: tasks assigned to somebody else and taken over from somebody, reminders turned off or on. */
  assigned: number;
  takenOver: number;
  reminders: number;
  /** Ids of decisions read as made in a review that was begun from the message about one's own tasks. */
  readonly mine: Set<string>;
  /** Roles read as withdrawn while a decision of the member waited. */
  withdrawn: number;
  /** Members whose role is to be given back. */
  readonly withoutRole: Set<string>;
  /** Places of cards with a decision that cannot be sent, since its maker has no role: somebody has to undo it. */
  readonly barred: Set<string>;
}

export function createReviewLog(): ReviewLog {
  return {
    tried: 0,
    accepted: new Map(),
    held: new Map(),
    verdicts: new Map(),
    verdictsShown: new Set(),
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
    reminders: 0,
    mine: new Set(),
    withdrawn: 0,
    withoutRole: new Set(),
    barred: new Set(),
  };
}

/** Returns how many decisions were tried and read as accepted. */
export function decisionsLine({ tried, accepted }: ReviewLog): string {
  return `${tried} decisions tried, ${accepted.size} accepted`;
}

/** Returns how often what was tried, besides decisions on cards. */
export function actsLine(log: ReviewLog): string {
  const { reviews, replies, taken, approved, bulk, corrected } = log;
  return `${reviews} focus reviews, ${bulk.size} bulk ratings, ${replies} replies, ${taken} tasks taken, ${approved} approvals, ${corrected} corrections, ${log.assigned} tasks assigned, ${log.takenOver} taken over, ${log.mine.size} decisions from reminders, ${log.reminders} reminders turned off or on, ${log.withdrawn} roles withdrawn`;
}

/** Returns whether somebody has undone a decision, alone or with all of its bulk rating. */
export function isUndone({ undone, undoneBulk }: ReviewLog, decision: string): boolean {
  return undone.has(decision) || [...undoneBulk].some((rating) => decision.startsWith(`bulk-${rating}-`));
}

/** What somebody asked a worker for in the round before: everybody may read it. */
const askedBefore = /requested a revision: “[^”]*”/g;

/** Returns what a text tells of somebody's verdict: a verdict in bold, or what they wrote; undefined when that is nothing. */
export function wordsOf(text: string, by = '\\w+'): string | undefined {
  const told = text.replaceAll(askedBefore, '');
  return new RegExp(`\\*(?:OK|NOK|REVISE)\\*|(?:Reason|Together) \\d+ by ${by}\\b`).exec(told)?.[0];
}

/** Adds the decision that a card shows to the log. */
export function logDecision(log: ReviewLog, card: SeenCard): void {
  const { task, round, decision, look } = card;
  if (look !== undefined) {
    const { id, first, second } = look;
    log.held.set(id, { id, task, round, by: second ?? first, isSecond: second !== undefined });
    const shown = second === undefined ? wordsOf(card.text, first) : undefined;
    if (shown !== undefined) log.verdictsShown.add(`${task} round ${round}, on its card: ${shown}`);
  }
  if (decision?.id === undefined) return;
  const { id, verdict, by, comment, state } = decision;
  const known = log.accepted.get(id);
  // A card that was overtaken no longer shows the words of the decision.
  const words = known && known.onlyInFocusAt === undefined ? known.comment : comment;
  log.accepted.set(id, { id, task, round, verdict, by, comment: words, state });
}
