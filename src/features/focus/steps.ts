import { type FocusDecision, type FocusSession, movedOn } from '../../domain/focus.ts';
import type { AccountRef, Verdict } from '../../domain/terms.ts';
import { decodeFocus, type FocusState } from '../../kit/focus-frame.ts';
import { createPacedViews } from '../../kit/modals.ts';
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
import { answerOf, type DecisionTarget, type FormOutcome } from '../decide/public.ts';
import { expiredView } from './focus.view.ts';
import { createWalk, type Position, type ShownTask } from './walk.ts';

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
