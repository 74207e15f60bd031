import { type TaskEvent, type TransitionResult, withVisibleChange } from '../events.ts';
import type { Decision, Task } from '../task.ts';
import type { MemberId } from '../terms.ts';
import type { GivenVerdict, LookResult, SecondLook } from './look.ts';

type Decided = Extract<TaskEvent, { type: 'decided' }>;

/** Returns every verdict that is known of a task's round: the decision's, and those of its second look. */
export function verdictsOn({ decision, look }: Pick<Task, 'decision' | 'look'>): GivenVerdict[] {
  const looks = [look, decision?.look].flatMap((one) => (one ? [one] : []));
  const given = looks.flatMap(({ first, second }) => [first, ...(second ? [second] : [])]);
  const third = decision?.look?.third;
  if (third) given.push(third);
  const own = decision && !given.some(({ id }) => id === decision.id) ? [givenIn(decision)] : [];
  return [...given, ...own];
}

/** Returns whether a member may look at a task that waits for it: neither of those who have. */
export function mayLook({ first, second }: SecondLook, member: MemberId): boolean {
  return first.by !== member && second?.by !== member;
}

/**
 * Returns the verdict because of which a member cannot decide on a task without having seen more of it: their own, or that of
 * two who differ. Undefined when they can.
 */
export function lookedBy({ look }: Pick<Task, 'look'>, member: MemberId): GivenVerdict | undefined {
  if (look === undefined) return undefined;
  const { first, second } = look;
  return second?.by === member ? second : first.by === member || second ? first : undefined;
}

/** What two reviewers are to learn of a task: that they differ, or what a third has decided between them. */
export interface LookNews {
  /** The id of the verdict that makes it: the second, or the third. */
  readonly id: string;
  /** When that was given (ms). */
  readonly at: number;
  /** Whom it concerns: the first and the second. */
  readonly to: readonly [MemberId, MemberId];
}

/** Returns what the two who differ on a task are to learn as it stands; undefined when nobody differs. */
export function lookNews(task: Pick<Task, 'decision' | 'look'> | undefined): LookNews | undefined {
  const result = task?.decision?.look;
  const { first, second } = task?.look ?? result ?? {};
  const made = task?.look === undefined ? result?.third : second;
  if (first === undefined || second === undefined || made === undefined) return undefined;
  return { id: made.id, at: made.at, to: [first.by, second.by] };
}

/** Returns the task's second look as a decision begins it, or undefined when it does not wait for one. */
export function lookBegun({ decision, look, at }: Decided): SecondLook | undefined {
  if (look?.why === undefined) return undefined;
  return { why: look.why, until: look.until, first: { ...decision, at } };
}

/**
 * Applies what somebody decides on a task that waits for a second look. They are the second, or, when two differ and they
 * were shown both, the third. Rejected for those who have looked already, and for a third who has not seen what they differ
 * in.
 */
export function lookGiven(task: Task, look: SecondLook, event: Decided): TransitionResult {
  const { bonus: _, favorite: __, ...own } = event.decision;
  const given: GivenVerdict = { ...own, at: event.at };
  // A bonus that was asked for was asked for an open task.
  if (!mayLook(look, given.by) || event.approvedBy !== undefined) return { kind: 'rejected', task };
  const { look: ___, ...rest } = task;
  const { first, second } = look;
  if (second !== undefined) {
    if (event.look?.saw !== second.id) return { kind: 'rejected', task };
    const result: LookResult = { ...look, third: given, how: 'third' };
    // What somebody decided who may not rate any more would not be sent: the third's own is.
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

/**
 * Returns the first decision as somebody has confirmed it who decided between two: with their comment, if they wrote one, and
 * with the bonus that it has.
 */
function confirmedBy(decision: GivenVerdict, third: GivenVerdict): GivenVerdict {
  const { comment, reason } = third;
  if (comment.trim() === '') return decision;
  const { reason: _, ...first } = decision;
  return { ...first, comment, ...(reason === undefined ? {} : { reason }) };
}

/** Lets a decision go that nobody has looked at a second time, or decided between two. */
export function letGo(
  task: Task,
  { first, at, isNearDeadline }: Extract<TaskEvent, { type: 'look-let-go' }>,
): TransitionResult {
  const { look, ...rest } = task;
  if (look?.first.id !== first || (look.until > at && !isNearDeadline)) return { kind: 'rejected', task };
  return withVisibleChange(rest, { decision: decisionOf(look.first, at, { ...look, how: 'let go' }) });
}

/**
 * Applies that a verdict of a second look is undone; undefined when the event is about the decision itself. The first takes
 * back their decision, as long as no second differs; the second and the third take back what they said.
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

/**
 * Restores a decision that waits for a second look, as its card told it. What a second said is restored with it, unless
 * somebody has taken it back.
 */
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
 * Returns the second look of a task as it ends with a rating that somebody else made. Where that may have been a decision
 * which Redis has lost, nothing is said of it.
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

/** How many undone decisions a task remembers. */
const maxUndone = 5;

/** Returns the undone decisions of a task with one more. */
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
