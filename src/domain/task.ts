import type { CampaignId, ChannelId, MemberId, Rating, TaskId, Verdict } from './terms.ts';

/** A file of a task's proof, as get_task_info lists it. `size` in bytes; `index` starts at 1. */
export interface ProofFile {
  readonly index: number;
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
}

/** What a worker handed in: one text per slot (empty slots left out), and files. */
export interface Proof {
  readonly slots: readonly string[];
  readonly files: readonly ProofFile[];
  /** When the worker finished, in milliseconds since 1970; absent when the marketplace's datetime was unreadable. */
  readonly finishedAt?: number;
}

export interface Worker {
  readonly id: string;
  readonly name?: string;
  /** The country's name, or its code where only the results CSV was read. */
  readonly country: string;
  readonly ip: string;
}

/** Why a decision has not become a rating, in words for people. */
export interface Problem {
  readonly text: string;
  /** What it waits for: the campaign to take ratings again. Absent: only for time to pass. */
  readonly waitsFor?: 'campaign';
}

/**
 * What became of a decision:
 * `waiting` can be undone and leaves at `dueAt` · `sending` is under way; past `dueAt` nobody knows and it is read
 * back · `held` cannot be sent for now and is tried again at `dueAt` · `applied` is a rating · `refused` by the
 * marketplace · `overtaken` by a rating made elsewhere.
 */
export type DecisionState = 'waiting' | 'sending' | 'held' | 'applied' | 'refused' | 'overtaken';

export interface Decision {
  readonly id: string;
  readonly by: MemberId;
  readonly verdict: Verdict;
  readonly comment: string;
  /** Decimal text, in the campaign's currency. */
  readonly bonus?: string;
  readonly favorite?: 'add' | 'remove';
  /**
   * What was asked for instead of `favorite` once the rating was found at the marketplace without an answer to our call:
   * nobody can read back whether that took effect, so nothing may claim it.
   */
  readonly unprovenFavorite?: 'add' | 'remove';
  /** Milliseconds since 1970, like every time of a record. */
  readonly at: number;
  readonly state: DecisionState;
  readonly dueAt?: number;
  /** How often it was sent. */
  readonly attempts: number;
  /** The latest attempt that certainly was not applied; the first is 1. */
  readonly rejectedAttempt?: number;
  /** Before the latest attempt there was one that may have been applied for all we know. */
  readonly earlierAttemptUnknown?: true;
  readonly problem?: Problem;
}

export interface MessageRef {
  readonly channel: ChannelId;
  readonly ts: string;
}

/** A post whose end is not known: where and when it was begun, and which round of a task it shows. */
export interface PostAttempt {
  readonly channel: ChannelId;
  readonly at: number;
  readonly round?: number;
}

/**
 * Where a task's card stands: `backlog` waits to be asked for · `wanted` is to be posted; with `attempt` a post was
 * begun (in that channel, then) and its end is not known · `posted` · `gone`: deleted when nothing was left to do.
 */
export type CardState =
  | { readonly state: 'backlog' }
  | { readonly state: 'wanted'; readonly attempt?: PostAttempt }
  | ({ readonly state: 'posted' } & MessageRef)
  | { readonly state: 'gone' };

/** The round before a correction: what was handed in, what was asked for, and the card that showed it. */
export interface EarlierRound {
  readonly slots: readonly string[];
  readonly comment: string;
  readonly by?: MemberId;
  /** That card; `linked` once it links to the newer one. */
  readonly card?: MessageRef & { readonly linked?: true };
  /** It was another task of the same worker and CSV row: a correction only by likelihood. */
  readonly likely?: true;
}

/** An image of the proof, as uploaded to Slack. */
export interface Picture {
  readonly index: number;
  readonly file: string;
}

/** All that is known of one task: the one thing that cards, decisions and ratings are read from. */
export interface Task {
  readonly id: TaskId;
  readonly campaign: CampaignId;
  readonly round: number;
  readonly rating: Rating;
  /** The employer's comment at the marketplace, once rated. */
  readonly comment: string;
  /** When the rating was last seen to change. */
  readonly ratedAt: number;
  readonly worker: Worker;
  readonly csvRow: string;
  /** When this round was handed in (ms), by the results CSV alone: get_task_info may write the same moment otherwise. */
  readonly submittedAt?: number;
  readonly proof: Proof;
  /** Whether get_task_info was read for this round (files and every slot), or only the results CSV. */
  readonly detailed: boolean;
  /** Images uploaded for this round's card; absent until that was tried. */
  readonly pictures?: readonly Picture[];
  readonly decision?: Decision;
  /** Decisions of this round that were taken back, latest last: a click delivered once more brings none back. */
  readonly undone?: readonly string[];
  readonly before?: EarlierRound;
  readonly card: CardState;
  /** Counts what people can see: grows with every change that a card must show. */
  readonly revision: number;
}

/** Whether a reviewer may decide on the task now. */
export function isOpen(task: Task): boolean {
  return task.rating === 'NOTRATED' && (task.decision === undefined || task.decision.state === 'refused');
}

/** Whether a decision waits to become a rating, or is on its way. */
export function isPending({ decision }: Pick<Task, 'decision'>): boolean {
  return decision?.state === 'waiting' || decision?.state === 'sending' || decision?.state === 'held';
}

/** When somebody has to look after the task's decision (ms), or undefined when nothing is pending. */
export function dueAt(task: Task): number | undefined {
  return isPending(task) ? task.decision?.dueAt : undefined;
}

/**
 * Whether a rating found at the marketplace may be this decision: one that was never sent, or whose every attempt was
 * turned away, is somebody else's however much it looks the same.
 */
export function mayBeApplied({ attempts, rejectedAttempt, earlierAttemptUnknown }: Decision): boolean {
  return earlierAttemptUnknown === true || (attempts > 0 && rejectedAttempt !== attempts);
}

/** The decision as it may be told when its rating was found without an answer to our own call. */
export function asReadBack({ favorite, ...decision }: Decision): Decision {
  return favorite ? { ...decision, unprovenFavorite: favorite } : decision;
}

/** The decision in a state in which nobody has to look after it any more. */
export function ended(decision: Decision, state: 'applied' | 'refused' | 'overtaken'): Decision {
  const { dueAt: _, ...rest } = withoutProblem(decision);
  return { ...rest, state };
}

export function withoutProblem(decision: Decision): Decision {
  const { problem: _, ...rest } = decision;
  return rest;
}
