import { z } from 'zod';
import { BulkItem } from './bulk-selection.ts';
import { Mirrored, type PostEvent, withPost } from './live-message.ts';
import type { Task } from './task.ts';
import { MemberId, ratings, verdicts, WorkspaceId } from './terms.ts';

export const BulkRatingId = z.string().brand<'BulkRatingId'>();
export type BulkRatingId = z.infer<typeof BulkRatingId>;

/**
 * The result of one task: `waiting` to be sent, or being sent · `held` by the marketplace · `applied`: it is a rating ·
 * `refused` by the marketplace · `overtaken` by a rating made outside of Slack · `undone` · `decided` by somebody else
 * first · `returned` with a correction since it was looked at · `reviewed` by a colleague right now · `barred`: the
 * confirming member may no longer rate · `too long`: its comment, once filled in · `unknown` by now · `failed` for
 * another reason.
 */
export const bulkResultKinds = [
  'waiting',
  'held',
  'applied',
  'refused',
  'overtaken',
  'undone',
  'decided',
  'returned',
  'reviewed',
  'barred',
  'too long',
  'unknown',
  'failed',
] as const;

export const BulkResult = z
  .object({
    kind: z.enum(bulkResultKinds),
    /** The decision made here. */
    decision: z.string().exactOptional(),
    /** The colleague, and their verdict; or the rating, if nobody in Slack made it. */
    by: MemberId.exactOptional(),
    rating: z.enum(ratings).exactOptional(),
    /** The marketplace's reason. */
    why: z.string().exactOptional(),
  })
  .readonly();
export type BulkResult = z.infer<typeof BulkResult>;

/** Returns whether a task's decision can still be undone. */
export function isUndoable(result: BulkResult | null): boolean {
  return result?.kind === 'waiting' || result?.kind === 'held';
}

/** Returns whether a task's result is still open. */
export function isPendingResult(result: BulkResult | null): boolean {
  return result === null || isUndoable(result);
}

/** A task of a bulk rating, with its own comment if comments are individual. */
const RatedItem = z.object({ ...BulkItem.unwrap().shape, comment: z.string().exactOptional() }).readonly();

/**
 * A **bulk rating**: tasks that one member has looked at, ticked and confirmed, decided one after the other. `deciding`
 * · `undoing`: no more are decided, and existing decisions are undone · `sending`: all are decided, and their outcomes
 * are polled · `done`.
 */
export const BulkRating = z
  .object({
    id: BulkRatingId,
    member: MemberId,
    /** The member's own workspace. */
    team: WorkspaceId,
    at: z.number(),
    verdict: z.enum(verdicts),
    /** The comment for all, with placeholders; '' if comments are individual. */
    text: z.string(),
    reason: z.string().exactOptional(),
    items: z.array(RatedItem).readonly(),
    /** The result of each task, in the same order. */
    results: z.array(BulkResult.nullable()).readonly(),
    state: z.enum(['deciding', 'undoing', 'sending', 'done']),
    /** When it was started, undone, or done (ms). */
    changedAt: z.number(),
    /** When its message was last updated (ms). */
    shownAt: z.number().exactOptional(),
    ...Mirrored.unwrap().shape,
  })
  .readonly();
export type BulkRating = z.infer<typeof BulkRating>;

export type BulkRatingEvent =
  | { readonly type: 'confirmed'; readonly rating: NewBulkRating }
  /** Results of some tasks, by index. `isUndone`: what could be undone is. */
  | {
      readonly type: 'results';
      readonly results: ReadonlyMap<number, BulkResult>;
      readonly at: number;
      readonly isUndone?: true;
    }
  | { readonly type: 'undo'; readonly at: number }
  | { readonly type: 'shown'; readonly at: number }
  | PostEvent;

export type NewBulkRating = Pick<
  BulkRating,
  'id' | 'member' | 'team' | 'at' | 'verdict' | 'text' | 'items' | 'reason'
>;

/** Applies an event. Returns the changed bulk rating, or undefined when nothing changes. Pure. */
export function applyBulkEvent(
  before: BulkRating | undefined,
  event: BulkRatingEvent,
): BulkRating | undefined {
  if (event.type === 'confirmed') return before === undefined ? begun(event.rating) : undefined;
  if (before === undefined) return undefined;
  switch (event.type) {
    case 'results':
      return withResults(before, event);
    case 'undo':
      if (before.state !== 'deciding' && before.state !== 'sending') return undefined;
      return changed(before, { state: 'undoing', changedAt: event.at });
    case 'shown':
      return { ...before, shownAt: event.at };
    default:
      return withPost(before, event, before.state !== 'done');
  }
}

function begun(rating: NewBulkRating): BulkRating {
  return {
    ...rating,
    results: rating.items.map(() => null),
    state: 'deciding',
    changedAt: rating.at,
    card: { state: 'wanted' },
    revision: 1,
  };
}

function changed(before: BulkRating, change: Partial<BulkRating>): BulkRating {
  return { ...before, ...change, revision: before.revision + 1 };
}

/** A final result is kept. Results found while undoing do not end that state. */
function withResults(
  before: BulkRating,
  { results: found, at, isUndone }: Extract<BulkRatingEvent, { type: 'results' }>,
): BulkRating | undefined {
  if (before.state === 'done') return undefined;
  const results = before.results.map((result, index) =>
    isPendingResult(result) ? (found.get(index) ?? result) : result,
  );
  const isUndoing = before.state === 'undoing' && !isUndone;
  const isOver = !results.some(isPendingResult);
  const isDecided = isUndone || !results.includes(null);
  const state = isUndoing ? 'undoing' : isOver ? 'done' : isDecided ? 'sending' : before.state;
  const isSame = state === before.state && JSON.stringify(results) === JSON.stringify(before.results);
  if (isSame) return undefined;
  return changed(before, { results, state, ...(state === 'done' ? { changedAt: at } : {}) });
}

/** Returns the id of the decision on one task: the same in every process, and when repeated after a crash. */
export function decisionIdOf({ id }: Pick<BulkRating, 'id'>, index: number): string {
  return `bulk-${id}-${index}`;
}

/**
 * Returns the result of a task; undefined while it is open and not decided.
 * @param before the result recorded so far
 */
export function resultOf(
  task: Task | undefined,
  about: Pick<BulkRating, 'verdict'> & {
    readonly item: BulkItem;
    readonly decision: string;
    readonly before: BulkResult | null;
  },
): BulkResult | undefined {
  const { item, decision, verdict, before } = about;
  if (task?.decision?.id === decision) return ownResult(task, decision);
  if (task?.undone?.includes(decision)) return { kind: 'undone', decision };
  const closed = closedResult(task, item);
  // The worker can only have corrected it after a revision was requested.
  const isCorrected = closed?.kind === 'returned' && before?.decision !== undefined && verdict === 'REVISE';
  return isCorrected ? { kind: 'applied', decision } : closed;
}

/** Returns why nobody can decide on a task in the round that was shown; undefined while it is open. */
export function closedResult(task: Task | undefined, { round }: BulkItem): BulkResult | undefined {
  if (task === undefined) return { kind: 'unknown' };
  if (task.round !== round) return { kind: 'returned' };
  const { decision: made, rating } = task;
  if (made !== undefined && made.state !== 'refused' && made.state !== 'overtaken')
    return { kind: 'decided', by: made.by, rating: made.verdict };
  return rating === 'NOTRATED' ? undefined : { kind: 'decided', rating };
}

function ownResult({ decision: made, rating }: Task, decision: string): BulkResult {
  const why = made?.problem === undefined ? {} : { why: made.problem.text };
  switch (made?.state) {
    case 'applied':
      return { kind: 'applied', decision };
    case 'refused':
      return { kind: 'refused', decision, ...why };
    case 'overtaken':
      return { kind: 'overtaken', decision, rating };
    case 'held':
      return { kind: 'held', decision, ...why };
    default:
      return { kind: 'waiting', decision };
  }
}
