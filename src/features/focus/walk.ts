import { campaignTitleOf } from '../../domain/campaign.ts';
import { decidedIn, type FocusSession, holding } from '../../domain/focus.ts';
import type { AccountRef, TaskId } from '../../domain/terms.ts';
import { askedOfTask } from '../../kit/brief.ts';
import type { FocusState } from '../../kit/focus-frame.ts';
import type { MakeView } from '../../kit/modals.ts';
import type { Modules } from '../../kit/modules.ts';
import { createTaskLoading } from '../../kit/task-details.ts';
import { createWaitingTasks } from '../../kit/waiting-tasks.ts';
import { workerFactsOf } from '../../kit/workers.ts';
import type { Message } from '../../slack/blocks.ts';
import { doneView, focusView, type UndoableDecision } from './focus.view.ts';

/** Capacity of a queue; it is refilled before it runs out. */
const maxQueued = 1_000;
/** Number of tasks leased and loaded in advance. */
const tasksAhead = 2;
/** Maximum age of a queue before it is refilled (ms), and the minimum age of one that is running out. */
const refillMs = 60_000;
const refillShortMs = 5_000;

/** Current state of a review: its session, and the number of tasks left, including the current one. */
export interface Position {
  readonly session: FocusSession;
  readonly left: number;
}

/** A view ready to be shown; `isLoading`: missing parts can be shown later. */
export interface ShownTask {
  readonly view: MakeView;
  readonly isLoading: boolean;
}

/** Creates the navigation of a queue: the leases, the next task, and its view. */
export function createWalk(deps: Modules) {
  const { tasks, clock } = deps;
  const waitingTasks = createWaitingTasks(deps);
  const { load, isLoaded, loaded } = createTaskLoading(deps);

  const heldBy = ({ current, ahead }: FocusSession) => [...(current ? [current] : []), ...ahead];

  /** Fills the queue of a review, for example with skipped tasks: earliest deadline first, then longest waiting. */
  async function fill(ref: AccountRef, session: FocusSession): Promise<FocusSession> {
    const { id, member, filter } = session;
    const queuedAt = clock.now();
    const skipped = new Set(session.skipped);
    const waiting = (await waitingTasks.inOrder(ref, member, filter)).filter((task) => !skipped.has(task));
    await tasks.leases.fill(ref, id, waiting.slice(0, maxQueued));
    const filled = { queuedAt, unqueued: Math.max(0, waiting.length - maxQueued) };
    const { session: stored } = await tasks.focusSessions.change(ref, session.id, (one) => ({
      ...one,
      ...filled,
    }));
    return stored ?? { ...session, ...filled };
  }

  /**
   * Stores the tasks a session holds. Changes made by another step meanwhile are kept.
   * @param moves whether the next task is shown if the current one needs no decision any more
   */
  async function store(
    ref: AccountRef,
    known: FocusSession,
    leased: readonly TaskId[],
    moves: boolean,
  ): Promise<FocusSession> {
    const current = moves || known.current === undefined ? [] : [known.current];
    const held = [...new Set([...current, ...leased])];
    const { session } = await tasks.focusSessions.change(ref, known.id, (one) => {
      if (one.step !== known.step) {
        const isNew = (task: TaskId) => !heldBy(known).includes(task) && !heldBy(one).includes(task);
        const added = held.filter(isNew);
        return added.length === 0 ? undefined : { ...one, ahead: [...one.ahead, ...added] };
      }
      if (heldBy(one).join() === held.join()) return undefined;
      const isOther = one.current !== held[0];
      return { ...holding(one, held), step: one.step + (isOther ? 1 : 0) };
    });
    return session ?? known;
  }

  /**
   * Renews a review's leases, and leases the next tasks of its queue up to `count`. Skips tasks decided elsewhere, or
   * leased by somebody else; the current one only if it `moves`.
   */
  async function hold(
    ref: AccountRef,
    session: FocusSession,
    {
      count = 1,
      release = [],
      moves = true,
    }: { readonly count?: number; readonly release?: readonly TaskId[]; readonly moves?: boolean } = {},
  ): Promise<Position> {
    let known = session;
    for (let isFilled = false; ; isFilled = true) {
      const { held, left } = await tasks.leases.take(ref, known.id, { count, keep: heldBy(known), release });
      known = await store(ref, known, held, moves);
      const age = clock.now() - known.queuedAt;
      const isShort = held.length === 0 || (held.length < count && age > refillShortMs);
      if (isFilled || !isShort) return { session: known, left: left + known.unqueued + held.length };
      known = await fill(ref, known);
    }
  }

  /** Returns a review's last decision if it is not sent yet. */
  async function undoable(ref: AccountRef, { decided }: FocusSession): Promise<UndoableDecision | undefined> {
    const last = decided.at(-1);
    const task = last && (await tasks.get(ref, last.task));
    const { id, state, dueAt } = task?.decision ?? {};
    const isUnsent = state === 'waiting' || state === 'held';
    if (task === undefined || last === undefined || id !== last.decision || !isUnsent) return undefined;
    const until = state === 'waiting' && dueAt !== undefined ? { until: dueAt } : {};
    return { ...last, worker: task.worker.name ?? task.worker.id, ...until };
  }

  /**
   * Returns the view of a review's current state.
   * @param notices about the previous step
   * @param isFinal missing parts will not follow
   */
  async function show(
    ref: AccountRef,
    { session, left }: Position,
    notices: readonly Message[] = [],
    { isFinal = false } = {},
  ): Promise<ShownTask> {
    const { current, filter, step } = session;
    const { label } = filter;
    const common = { label, notices, last: await undoable(ref, session) };
    const task = current === undefined ? undefined : await loaded(ref, current);
    const state: FocusState = { account: ref.account, session: session.id, step };
    if (task === undefined) {
      // The person sees the summary here, so none is sent when they close it.
      await tasks.focusSessions.change(ref, session.id, (one) =>
        one.step === step && one.ended === undefined ? { ...one, ended: true } : undefined,
      );
      return { view: () => doneView(state, session, common), isLoading: false };
    }
    const [campaign, deadlines, record, asked, notes, alike, worker] = await Promise.all([
      deps.campaigns.get(ref, task.campaign),
      deps.tasks.deadlines.dueAt(ref, [task]),
      deps.campaigns.workers.record(ref, task.worker.id, task.campaign),
      askedOfTask(deps, ref, task),
      deps.tasks.notes.on(ref, task),
      deps.campaigns.evidence.on(ref, task),
      workerFactsOf(deps, ref, task),
    ]);
    const data = {
      ...common,
      state: { ...state, task: task.id, round: task.round },
      task,
      campaignTitle: campaignTitleOf(task.campaign, campaign?.title),
      paymentPerTask: campaign?.paymentPerTask,
      dueAt: deadlines.get(task.id),
      record,
      notes,
      alike,
      worker,
      asked,
      left,
      decided: decidedIn(session),
      hasDesk: deps.people.desk.url !== undefined,
    };
    const isLoading = !isFinal && !isLoaded(task);
    return {
      view: (isRefused) => focusView({ ...data, isLoading, isRefused }),
      isLoading,
    };
  }

  return {
    fill,
    hold,
    show,

    /** Leases and loads the next tasks in advance. Returns the current state of the review. */
    async prefetch(ref: AccountRef, id: string): Promise<Position | undefined> {
      let session = await tasks.focusSessions.get(ref, id);
      // No task follows; one leased now would be shown to nobody.
      if (session === undefined || session.ended) return undefined;
      if (clock.now() - session.queuedAt > refillMs) session = await fill(ref, session);
      // A decision may be stored whose step has not moved on yet: it moves on, and counts the decision.
      const position = await hold(ref, session, { count: 1 + tasksAhead, moves: false });
      if ((await tasks.focusSessions.get(ref, id))?.ended) {
        await tasks.leases.releaseAll(ref, id);
        return undefined;
      }
      const { current, ahead } = position.session;
      if (current !== undefined) await load(ref, current);
      await Promise.all(ahead.map((task) => load(ref, task)));
      return position;
    },
  };
}
