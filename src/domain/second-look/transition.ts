import { type TaskEvent, type TransitionResult, withVisibleChange } from '../events.ts';
import type { Decision, Task } from '../task.ts';
import type { MemberId } from '../terms.ts';
import type { GivenVerdict, LookResult, SecondLook } from './look.ts';

type Decided = Extract<TaskEvent, { type: 'decided' }>;

/** Returns every known verdict on a task's round: the decision's, and those of its second look. */
export function verdictsOn({ decision, look }: Pick<Task, 'decision' | 'look'>): GivenVerdict[] {
  const looks = [look, decision?.look].flatMap((one) => (one ? [one] : []));
  const given = looks.flatMap(({ first, second }) => [first, ...(second ? [second] : [])]);
  const third = decision?.look?.third;
  if (third) given.push(third);
  const own = decision && !given.some(({ id }) => id === decision.id) ? [givenIn(decision)] : [];
  return [...given, ...own];
}

/** Returns whether a member may look at a waiting task: anybody who has not looked yet. */
export function mayLook({ first, second }: SecondLook, member: MemberId): boolean {
  return first.by !== member && second?.by !== member;
}

/**
 * Returns the verdict that bars a member from deciding without having seen more: their own, or that of two who differ.
 * Undefined if nothing bars them.
 */
export function lookedBy({ look }: Pick<Task, 'look'>, member: MemberId): GivenVerdict | undefined {
  if (look === undefined) return undefined;
  const { first, second } = look;
  return second?.by === member ? second : first.by === member || second ? first : undefined;
}

/** News for two reviewers of a task: that they differ, or the tie-break. */
export interface LookNews {
  /** Id of the verdict that is the news: the second, or the third. */
  readonly id: string;
  /** When that verdict was given (ms). */
  readonly at: number;
  /** The recipients: the first and the second reviewer. */
  readonly to: readonly [MemberId, MemberId];
}

/** Returns the current news for two reviewers who differ; undefined if nobody differs. */
export function lookNews(task: Pick<Task, 'decision' | 'look'> | undefined): LookNews | undefined {
  const result = task?.decision?.look;
  const { first, second } = task?.look ?? result ?? {};
  const made = task?.look === undefined ? result?.third : second;
  if (first === undefined || second === undefined || made === undefined) return undefined;
  return { id: made.id, at: made.at, to: [first.by, second.by] };
}

/** Returns the second look a decision starts, or undefined if it does not wait for one. */
export function lookBegun({ decision, look, at }: Decided): SecondLook | undefined {
  if (look?.why === undefined) return undefined;
  return { why: look.why, until: look.until, first: { ...decision, at } };
}

/**
 * Applies a decision on a task that waits for a second look: as the second, or, if two differ and the decider saw both,
 * as the third. Rejected for those who have already looked, and for a third who has not seen both verdicts.
 */
export function lookGiven(task: Task, look: SecondLook, event: Decided): TransitionResult {
  const { bonus: _, ownBonus: __, favorite: ___, ...own } = event.decision;
  const given: GivenVerdict = { ...own, at: event.at };
  // A requested bonus refers to an open task, and who may not rate confirms nothing.
  if (!mayLook(look, given.by) || event.approvedBy !== undefined || given.unchecked)
    return { kind: 'rejected', task };
  const { look: ____, ...rest } = task;
  const { first, second } = look;
  if (second !== undefined) {
    if (event.look?.saw !== second.id) return { kind: 'rejected', task };
    const result: LookResult = { ...look, third: given, how: 'third' };
    // The decision of a member who may no longer rate would not be sent, so the third's own counts.
    const isConfirmed = given.verdict === first.verdict && !event.look.isFirstGone;
    const made = isConfirmed ? confirmedBy(first, given) : given;
    return withVisibleChange(rest, { decision: decisionOf(made, event.sendAt, result) });
  }
  if (event.look?.isFirstGone)
    return withVisibleChange(rest, {
      decision: decisionOf({ ...event.decision, at: event.at }, event.sendAt),
    });
  if (given.verdict === first.verdict) {
    const result: LookResult = { ...look, second: given, how: 'agreed' };
    return withVisibleChange(rest, { decision: decisionOf(first, event.sendAt, result) });
  }
  return withVisibleChange(task, {
    look: { ...look, second: given, until: event.look?.until ?? look.until },
  });
}

/** Returns the first decision as confirmed by a tie-break: with the third's comment if there is one, and its own bonus. */
function confirmedBy(decision: GivenVerdict, third: GivenVerdict): GivenVerdict {
  const { comment, reason } = third;
  if (comment.trim() === '') return decision;
  const { reason: _, ...first } = decision;
  return { ...first, comment, ...(reason === undefined ? {} : { reason }) };
}

/** Lets a decision go without a second look, or without a tie-break. */
export function letGo(
  task: Task,
  { first, at, isNearDeadline }: Extract<TaskEvent, { type: 'look-let-go' }>,
): TransitionResult {
  const { look, ...rest } = task;
  if (look?.first.id !== first || (look.until > at && !isNearDeadline)) return { kind: 'rejected', task };
  return withVisibleChange(rest, { decision: decisionOf(look.first, at, { ...look, how: 'let go' }) });
}

/**
 * Applies the undo of a verdict of a second look; undefined if the event concerns the decision itself. The first
 * reviewer can undo their decision as long as no second differs; the second and third can undo their verdicts.
 */
export function lookUndone(
  task: Task,
  { decision: id, by, wasUndone }: Extract<TaskEvent, { type: 'undone' }>,
): TransitionResult | undefined {
  const { look, decision, ...open } = task;
  if (look !== undefined) {
    const { first, second, ...rest } = look;
    if (second?.id === id)
      return withVisibleChange(task, { look: { ...rest, first }, ...undoneNow(task, id) });
    if (first.id !== id || (second && !wasUndone)) return undefined;
    const isOther = by !== undefined && by.member !== first.by;
    const undoneBy = isOther ? { undoneBy: { by: by.member, of: first.by, at: by.at } } : {};
    return withVisibleChange(open, { ...undoneNow(task, id), ...undoneBy });
  }
  const result = decision?.look;
  if (decision === undefined || result === undefined || !mayUndo(decision, wasUndone)) return undefined;
  const { how, second, third, ...before } = result;
  const isSecond = how === 'agreed' && second?.id === id;
  const isThird = third?.id === id;
  if (!isSecond && !isThird) return undefined;
  const waiting = { ...before, ...(isThird && second ? { second } : {}) };
  return withVisibleChange(open, { look: waiting, ...undoneNow(task, id) });
}

/** Restores a decision that waits for a second look from its card, with a second verdict unless that was undone. */
export function lookRestored(
  task: Task,
  { first, ...look }: Omit<SecondLook, 'second'>,
  second: GivenVerdict | undefined,
): TransitionResult {
  const isSame = task.look?.first.id === first.id;
  if (task.rating !== 'NOTRATED' || (task.look !== undefined && !isSame)) return { kind: 'rejected', task };
  const isNews = second !== undefined && !task.undone?.includes(second.id);
  if (isSame && (task.look?.second !== undefined || !isNews)) return { kind: 'same', task };
  const { decision: _, ...open } = task;
  return withVisibleChange(open, { look: { ...look, first, ...(isNews ? { second } : {}) } });
}

/**
 * Returns the second look of a task that ends with somebody else's rating. If that may be a decision Redis has lost, the
 * look records nothing.
 */
export function supersededLook({ look, mayHaveLostDecision }: Pick<Task, 'look' | 'mayHaveLostDecision'>): {
  decision?: Decision;
} {
  if (look === undefined || mayHaveLostDecision) return {};
  return { decision: { ...look.first, state: 'overtaken', attempts: 0 } };
}

/** Returns the task without its second look. */
export function withoutLook(task: Task): Task {
  const { look: _, ...rest } = task;
  return rest;
}

function mayUndo({ state }: Decision, wasUndone: true | undefined): boolean {
  return state === 'waiting' || state === 'held' || (state === 'sending' && wasUndone === true);
}

/** Maximum number of undone decisions stored per task. */
const maxUndone = 5;

/** Returns a task's undone decisions with one more. */
export function undoneNow({ undone = [] }: Pick<Task, 'undone'>, id: string): Pick<Task, 'undone'> {
  return { undone: [...undone, id].slice(-maxUndone) };
}

function decisionOf(given: GivenVerdict, dueAt: number, look?: LookResult): Decision {
  return { ...given, state: 'waiting', dueAt, attempts: 0, ...(look ? { look } : {}) };
}

function givenIn({ id, by, verdict, comment, reason, bonus, at }: Decision): GivenVerdict {
  return {
    ...{ id, by, verdict, comment, at },
    ...(reason === undefined ? {} : { reason }),
    ...(bonus === undefined ? {} : { bonus }),
  };
}
