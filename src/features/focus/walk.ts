import { decidedIn, type FocusDecision, type FocusSession, holding, movedOn } from '../../domain/focus.ts';
import type { AccountRef, TaskId, Verdict } from '../../domain/terms.ts';
import { createPacedViews, type MakeView } from '../../kit/modals.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Message } from '../../slack/blocks.ts';
import type {
  Actor,
  Authorized,
  Click,
  OpenView,
  Submission,
  SubmissionAnswer,
} from '../../slack/feature.ts';
import { createTaskLoading } from '../cards/public.ts';
import { answerOf, type DecisionTarget, type FormOutcome } from '../decide/public.ts';
import { factsOfTask } from '../workers/public.ts';
import { doneView, expiredView, focusView, type UndoableDecision } from './focus.view.ts';
import { createWaitingTasks, decodeFocus, type FocusState } from './public.ts';

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
    return stored ?? session;
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
    const data = {
      ...common,
      ...(await factsOfTask(deps, ref, task)),
      state: { ...state, task: task.id, round: task.round },
      task,
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

/** An action in a view of a review that shows the review's current step. */
export interface Step {
  readonly ref: AccountRef;
  readonly session: FocusSession;
  readonly state: FocusState;
  /** The task of the view. */
  readonly target: DecisionTarget;
}

/** The modal of a review, and what is said above its task. */
interface Place {
  readonly workspace: Actor['workspace'];
  readonly viewId: string;
  readonly notices?: readonly Message[] | undefined;
}

/** The review of a view, which may show an earlier step of it. */
type Review = Pick<Step, 'ref' | 'session' | 'state'>;

export type ClickInView = Click & { readonly view: OpenView };

export type Steps = ReturnType<typeof createSteps>;

/** Creates the steps of a review: each view of its modal is one, and its action runs once. */
export function createSteps(deps: Modules) {
  const { tasks } = deps;
  const walk = createWalk(deps);
  const views = createPacedViews(deps);

  /** Prefetches the next tasks, then updates the current view with its missing parts. */
  async function prepareNext(
    ref: AccountRef,
    { id, step }: FocusSession,
    shown: ShownTask,
    { workspace, viewId, notices }: Place,
  ): Promise<void> {
    const position = await walk.prefetch(ref, id);
    if (!shown.isLoading || position?.session.step !== step) return;
    const { view } = await walk.show(ref, position, notices, { isFinal: true });
    if ((await tasks.focusSessions.get(ref, id))?.step !== step) return;
    await views.update(workspace, viewId, view);
    const moved = await tasks.focusSessions.get(ref, id);
    // If the person was faster than the update, it would show a task they have already decided.
    if (moved !== undefined && moved.current !== position.session.current)
      await showPosition(ref, await walk.hold(ref, moved), { workspace, viewId });
  }

  /** Shows the current state of a review, then the missing parts of its task. */
  async function showPosition(ref: AccountRef, position: Position, place: Place): Promise<void> {
    const shown = await walk.show(ref, position, place.notices);
    await views.update(place.workspace, place.viewId, shown.view);
    await prepareNext(ref, position.session, shown, place);
  }

  /** Returns the review of a view; undefined once it is no longer stored. */
  async function reviewOf({ authorize, state: text }: Authorized & OpenView): Promise<Review | undefined> {
    const state = decodeFocus(text);
    const ref = await authorize({ account: state.account });
    const session = await tasks.focusSessions.get(ref, state.session);
    return session && { ref, session, state };
  }

  /** Returns the step of a view if it is the current one. */
  function stepIn({ ref, session, state }: Review): Step | undefined {
    const { task, round = 1 } = state;
    const isCurrent = session.step === state.step && session.current === task;
    if (!isCurrent || task === undefined) return undefined;
    return { ref, session, state, target: { ref, task, round } };
  }

  /** Returns the id of a step's decision; the same for a redelivery, or after a process died. */
  const decisionId = ({ session, step }: FocusState, verdict: Verdict) =>
    `focus-${session}-${step}-${verdict}`;

  /** Moves on from a step's task. Returns the new state of the review. */
  async function moveOn(step: Step, outcome: FocusDecision | 'skipped' | 'gone'): Promise<Position> {
    const { ref, state, target, session } = step;
    const moved = await tasks.focusSessions.change(ref, session.id, (one) =>
      one.step === state.step ? movedOn(one, outcome, deps.clock.now()) : undefined,
    );
    return walk.hold(ref, moved.session ?? session, { release: [target.task] });
  }

  /** Answers a submission with the next task, and then prefetches. */
  async function answerWithNext(
    submission: Submission,
    step: Step,
    outcome: FormOutcome,
  ): Promise<SubmissionAnswer> {
    const position = await moveOn(step, moveOf(outcome));
    const { ref } = step;
    const notices = noticesOf(outcome);
    const shown = await walk.show(ref, position, notices);
    const place = { workspace: submission.workspace, viewId: submission.id, notices };
    return {
      update: shown.view(() => false),
      afterwards: () => prepareNext(ref, position.session, shown, place),
    };
  }

  /** Answers a submission with the same task, and says why nothing was decided. */
  async function answerUnmoved(
    { ref, session }: Step,
    notices: readonly Message[],
  ): Promise<SubmissionAnswer> {
    const shown = await walk.show(ref, await walk.hold(ref, session), notices);
    return { update: shown.view(() => false) };
  }

  /** Shows the next task after an action too slow to answer directly. */
  async function showNext({ workspace, view }: ClickInView, step: Step, outcome: FormOutcome): Promise<void> {
    const position = await moveOn(step, moveOf(outcome));
    await showPosition(step.ref, position, { workspace, viewId: view.id, notices: noticesOf(outcome) });
  }

  /** Runs a submission of the current view. Of an outdated one, it decides nothing, and shows the current state. */
  function submitted(run: (submission: Submission, step: Step) => Promise<SubmissionAnswer>) {
    return async (submission: Submission): Promise<SubmissionAnswer> => {
      const review = await reviewOf(submission);
      if (review === undefined) return { update: expiredView() };
      const step = stepIn(review);
      if (step !== undefined) return run(submission, step);
      const shown = await walk.show(review.ref, await walk.hold(review.ref, review.session));
      // Without pictures, because Slack may have refused the view for one of them.
      return { update: shown.view(() => true) };
    };
  }

  /** Runs a click in a view of the review. */
  function inReview(run: (click: ClickInView, review: Review) => Promise<unknown>) {
    return async (click: Click): Promise<void> => {
      const { view } = click;
      if (view === undefined) return;
      const review = await reviewOf({ ...click, ...view });
      if (review === undefined) await views.update(click.workspace, view.id, expiredView);
      else await run({ ...click, view }, review);
    };
  }

  /** Runs a click in the current view. In an outdated one, it only shows the current state. */
  const inStep = (run: (click: ClickInView, step: Step) => Promise<unknown>) =>
    inReview(async (click, review) => {
      const step = stepIn(review);
      return step === undefined ? redraw(click, review) : run(click, step);
    });

  /**
   * Runs a click that begins a step for another view of the same task, such as a form, so that pending updates of the
   * previous view do not replace it.
   */
  const inNextStep = (run: (click: ClickInView, step: Step) => Promise<unknown>) =>
    inStep(async (click, { ref, session: before, state, ...step }) => {
      const { session, isChanged } = await tasks.focusSessions.change(ref, before.id, (one) =>
        one.step === state.step ? { ...one, step: one.step + 1 } : undefined,
      );
      if (session === undefined || !isChanged) return;
      await walk.hold(ref, session);
      await run(click, { ...step, ref, session, state: { ...state, step: session.step } });
    });

  /** Shows a state of a review in place of the clicked view. */
  function show({ workspace, view }: ClickInView, ref: AccountRef, position: Position, notices?: Message[]) {
    return showPosition(ref, position, { workspace, viewId: view.id, notices });
  }

  /** Shows the current state of a review in place of the clicked view. */
  async function redraw(click: ClickInView, { ref, session }: Pick<Review, 'ref' | 'session'>) {
    await show(click, ref, await walk.hold(ref, session));
  }

  return {
    answerUnmoved,
    answerWithNext,
    decisionId,
    inNextStep,
    inReview,
    inStep,
    prepareNext,
    redraw,
    show,
    showNext,
    skip: (step: Step) => moveOn(step, 'skipped'),
    submitted,
    views,
    walk,
  };
}

/** Returns how a review moves on from a task: one that nothing was decided on still waits. */
function moveOf(outcome: FormOutcome): FocusDecision | 'skipped' | 'gone' {
  if (outcome.kind === 'missed') return 'gone';
  if (outcome.kind !== 'decided') return 'skipped';
  const { task, decision } = outcome;
  return { task: task.id, decision: decision.id, verdict: decision.verdict };
}

/** Returns what is said above the next task. */
function noticesOf(outcome: FormOutcome): readonly Message[] {
  const said = answerOf(outcome);
  return said === undefined ? [] : [said];
}
