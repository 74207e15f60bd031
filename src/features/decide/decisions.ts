import { taskSubject } from '../../domain/approval.ts';
import { formerOf, isSame, type MessageRef } from '../../domain/live-message.ts';
import {
  type Assignment,
  type Decision,
  deadlineOf,
  finishedAtOf,
  isOpen,
  type NewDecision,
  sendTime,
  type Task,
} from '../../domain/task.ts';
import type { AccountRef, MemberId, TaskId, Verdict } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Actor, Authorized } from '../../slack/feature.ts';
import type { LostTask } from '../../ui/task.view.ts';
import { retireFormer } from '../channels/public.ts';
import { queueApproval } from '../people/public.ts';
import { keepText } from './comment-texts.ts';

/** The round of a task that a member decides on while looking at it. */
export interface DecisionTarget {
  readonly ref: AccountRef;
  readonly task: TaskId;
  readonly round: number;
  /** The clicked card. */
  readonly card?: MessageRef | undefined;
}

/** A task whose round does not matter. */
type Looked = Omit<DecisionTarget, 'round'> & Partial<Pick<DecisionTarget, 'round'>>;

/** A complete decision; its id is the idempotency key. */
export type MadeDecision = Omit<NewDecision, 'by' | 'ownKey'>;

/** Who else has a task: by taking it, by assignment, or by looking at it in a focus review. */
export interface Others {
  readonly assignment?: Assignment;
  readonly looking?: MemberId;
}

/** The decision counts, also when it was made by an earlier delivery. */
export interface Decided {
  readonly kind: 'decided';
  readonly ref: AccountRef;
  readonly task: Task;
  readonly decision: Decision;
  /** Who else has the task, which the decider did not know; and its campaign. */
  readonly others?: Others & { readonly title: string };
}

/** Nothing was decided: somebody was first, or the task has changed. */
export interface Missed {
  readonly kind: 'missed';
  readonly member: MemberId;
  readonly wanted: Verdict;
  readonly round: number;
  /** The task as it is; absent if nothing is stored of it. */
  readonly lost?: LostTask;
  /** What the member wrote, to be returned. */
  readonly text?: string;
}

/** What became of a decision. `undone`: an earlier delivery made it, and somebody has undone it since. */
export type RateOutcome = Decided | Missed | { readonly kind: 'undone'; readonly task: Task };

/**
 * What became of an undo. `undone`: by this or an earlier delivery · `undone before`: the task may have been decided on
 * since · `too late`: it is sent, or there was nothing to undo · `gone`: nothing is stored of the task.
 */
export type UndoOutcome =
  | { readonly kind: 'undone' | 'undone before' | 'too late'; readonly task: Task }
  | { readonly kind: 'gone' };

/** Somebody who decides, and what, wherever that is. */
type Attempt = Pick<MadeDecision, 'id' | 'verdict'> & { readonly member: MemberId };

interface RateOptions {
  /** Part of a quick series by one person; the series is sent together. */
  readonly isOfMany?: boolean | undefined;
  /** Who approved its bonus. */
  readonly approvedBy?: MemberId;
  /** When it is made (ms). */
  readonly at?: number;
}

export type Decisions = ReturnType<typeof createDecisions>;

/** Creates the decisions on tasks, which cards, reviews, bulk ratings and the home tab make and undo alike. */
export function createDecisions(modules: Modules) {
  const { campaigns, clock, jobs, people, slack, tasks } = modules;

  /**
   * Returns the task. A clicked card that its record does not know (its post could not be recorded, or Redis has lost that)
   * becomes its card if it has none; otherwise it is rewritten to say where the task continues.
   */
  async function found({ ref, task: id, round, card: clicked }: Looked): Promise<Task | undefined> {
    const task = await tasks.get(ref, id);
    if (task === undefined || clicked === undefined) return task;
    const { card } = task;
    // A former card can still be clicked where the bot was removed, but is no longer updated.
    const isKnown = card.state === 'posted' && isSame(card, clicked);
    if (isKnown || formerOf(card).some((place) => isSame(place, clicked))) return task;
    const posted = await tasks.apply(ref, id, {
      type: 'posted',
      messageRef: clicked,
      ...(round === undefined ? {} : { round }),
    });
    if (posted.kind !== 'done') return task;
    // What it shows is not known.
    await tasks.markNeedsRender(ref, [id]);
    await retireFormer(modules, ref, formerOf(posted.task.card));
    return posted.task;
  }

  /** Returns why a task cannot be decided on, or the decision that an earlier delivery has made. */
  async function notOpen(
    { ref, round }: DecisionTarget,
    task: Task | undefined,
    { id, member, verdict: wanted }: Attempt,
  ): Promise<Decided | Missed> {
    if (task === undefined) return { kind: 'missed', member, wanted, round };
    // The clicked card may be outdated, though usually it only was at the time of the click.
    if (await tasks.needsRender(ref, task.id)) await slack.cards.clicked(ref, task);
    const { decision } = task;
    if (decision?.id === id) return { kind: 'decided', ref, task, decision };
    const [title, card] = await Promise.all([
      campaigns.titleOf(ref, task.campaign),
      slack.cards.linkTo(ref, task),
    ]);
    return { kind: 'missed', member, wanted, round, lost: { task, title, card } };
  }

  /** Returns the task if it can be decided on. */
  async function openTask(
    target: DecisionTarget,
    attempt: Attempt,
  ): Promise<{ readonly kind: 'open'; readonly task: Task } | Decided | Missed> {
    const task = await found(target);
    if (task?.round !== target.round || !isOpen(task)) return notOpen(target, task, attempt);
    return { kind: 'open', task };
  }

  /** Makes a decision if the task is still open: the first one wins. */
  async function rate(
    { member, how }: Pick<Actor, 'member' | 'how'>,
    target: DecisionTarget,
    made: MadeDecision,
    { isOfMany = false, approvedBy, at = clock.now() }: RateOptions = {},
  ): Promise<RateOutcome> {
    const { ref, round } = target;
    const attempt = { ...made, member };
    const open = await openTask(target, attempt);
    if (open.kind !== 'open') return open;
    const { id, campaign } = open.task;
    const [days, keySource] = await Promise.all([
      tasks.timesToRate.get(ref, campaign),
      people.accounts.keySourceOf(ref, member),
    ]);
    const sendAt = sendTime(
      at,
      clock.undoSeconds * 1_000,
      deadlineOf(finishedAtOf(open.task), days),
      isOfMany,
    );
    const { kind, task } = await tasks.apply(ref, id, {
      type: 'decided',
      decision: {
        ...made,
        by: member,
        ...(keySource === 'own' ? { ownKey: true } : {}),
      },
      round,
      at,
      sendAt,
      how,
      ...(approvedBy === undefined ? {} : { approvedBy }),
    });
    if (task === undefined || kind === 'rejected') return notOpen(target, task, attempt);
    slack.homes.own(ref.workspace, member);
    const [others] = await Promise.all([
      kind === 'done' && !isOfMany ? othersOf(ref, open.task, member) : undefined,
      queueJobs(ref, task, sendAt),
      approvedBy === undefined && endRequest(ref, id, made.id),
    ]);
    const { decision } = task;
    if (decision?.id !== made.id) return { kind: 'undone', task };
    if (others === undefined) return { kind: 'decided', ref, task, decision };
    const title = await campaigns.titleOf(ref, campaign);
    return { kind: 'decided', ref, task, decision, others: { ...others, title } };
  }

  /** A click delivered twice queues the jobs twice; the second ones find nothing to do. */
  async function queueJobs(ref: AccountRef, task: Task, sendAt: number): Promise<void> {
    await slack.cards.clicked(ref, task);
    const second = Math.ceil(sendAt / 1_000);
    const delayMs = second * 1_000 - clock.now();
    await jobs.add('send', ref, { delayMs, uniqueKey: `${ref.account} ${second}` });
  }

  /** Ends a colleague's pending approval request for a bonus on this task. */
  async function endRequest(ref: AccountRef, task: TaskId, decision: string): Promise<void> {
    const request = await people.approvals.get(ref, taskSubject(task));
    if (request !== undefined) await queueApproval(modules, ref, request, `decided ${decision}`);
  }

  /**
   * Returns who else has a task; undefined if nobody does. This blocks nobody: a confirmation each time would slow down
   * everybody although this is no lock, and a decision can be undone until it is sent.
   */
  async function othersOf(ref: AccountRef, task: Task, member: MemberId): Promise<Others | undefined> {
    const review = await tasks.leases.ownerOf(ref, task.id);
    const session = review === undefined ? undefined : await tasks.focusSessions.get(ref, review);
    // A review also holds the next tasks, which nobody is looking at yet.
    const looking = session?.current === task.id ? session.member : undefined;
    const { assignment } = task;
    const isOwn = assignment === undefined || assignment.to === member;
    const isLooking = looking !== undefined && looking !== member;
    if (isOwn && !isLooking) return undefined;
    return { ...(isOwn ? {} : { assignment }), ...(isLooking ? { looking } : {}) };
  }

  /** Stores a decision's reason for its maker, to be offered in the next form about the task. */
  async function keepComment(
    ref: AccountRef,
    { id: task, round }: Task,
    { by: member, verdict, comment: text }: Decision,
  ): Promise<void> {
    const about = { task, round, member };
    const kept = { verdict, text, form: clock.now() } as const;
    if (text !== '') await keepText(modules, ref, about, kept);
  }

  /** Undoes a decision that is not sent yet. @param shown the one that the person saw; absent: the one that stands */
  async function undo(
    actor: Pick<Authorized, 'member' | 'how' | 'authorize'>,
    target: Looked,
    shown?: string,
  ): Promise<UndoOutcome> {
    const { ref } = target;
    const task = await found(target);
    if (task === undefined) return { kind: 'gone' };
    const decision = shown ?? task.decision?.id;
    if (decision === undefined) return { kind: 'too late', task };
    const made = task.decision?.id === decision ? task.decision : undefined;
    if (made !== undefined) {
      if (made.by !== actor.member) await actor.authorize({ account: ref.account, also: 'undo' });
      await keepComment(ref, task, made);
    }
    const by = { member: actor.member, at: clock.now() };
    const outcome = await tasks.apply(ref, task.id, { type: 'undone', decision, by, how: actor.how });
    await slack.cards.clicked(ref, task);
    if (outcome.kind !== 'done') {
      const { task: now = task } = outcome;
      // Delivered twice: that decision is already undone, whatever was decided since.
      return { kind: now.undone?.includes(decision) ? 'undone before' : 'too late', task: now };
    }
    return { kind: 'undone', task: outcome.task };
  }

  return { openTask, othersOf, rate, undo };
}
