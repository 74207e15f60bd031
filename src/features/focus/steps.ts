import { type FocusDecision, type FocusSession, movedOn } from '../../domain/focus.ts';
import { isOpen } from '../../domain/task.ts';
import type { AccountRef, Verdict } from '../../domain/terms.ts';
import type { DecisionTarget } from '../../kit/decisions.ts';
import { decodeFocus, type FocusState } from '../../kit/focus-frame.ts';
import { createPacedViews } from '../../kit/modals.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Message } from '../../slack/blocks.ts';
import { notice } from '../../slack/blocks.ts';
import type {
  Actor,
  Authorized,
  Click,
  OpenView,
  Submission,
  SubmissionAnswer,
} from '../../slack/feature.ts';
import { expiredView, leftQueue } from './focus.view.ts';
import { createWalk, type ShownTask, type Standing } from './walk.ts';

/** An action in a view of a review that shows the review's current step. */
export interface Step {
  readonly ref: AccountRef;
  readonly session: FocusSession;
  readonly state: FocusState;
  /** The task of the view. */
  readonly target: DecisionTarget;
  /** Answers to the person, shown above the next task. */
  readonly notices: Message[];
}

/** The modal of a review. */
interface Place {
  readonly workspace: Actor['workspace'];
  readonly viewId: string;
}

/** Why a view is out of date: its review is no longer stored, or has moved on. */
type OutOfDate = 'expired' | { readonly standing: Standing; readonly ref: AccountRef };

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
    {
      workspace,
      viewId,
      shown,
      notices = [],
    }: Place & { readonly shown: ShownTask; readonly notices?: readonly Message[] },
  ): Promise<void> {
    const standing = await walk.prefetch(ref, id);
    if (!shown.isLoading || standing?.session.step !== step) return;
    const { view } = await walk.show(ref, standing, notices, { isFinal: true });
    if ((await tasks.focusSessions.get(ref, id))?.step !== step) return;
    await views.update(workspace, viewId, view);
    const moved = await tasks.focusSessions.get(ref, id);
    // If the person was faster than the update, it would show a task they have already decided.
    if (moved !== undefined && moved.current !== standing.session.current)
      await showStanding(ref, await walk.hold(ref, moved, { count: 1 }), { workspace, viewId });
  }

  /** Shows the current state of a review, then the missing parts of its task. */
  async function showStanding(
    ref: AccountRef,
    standing: Standing,
    { notices = [], ...place }: Place & { readonly notices?: readonly Message[] },
  ): Promise<void> {
    const shown = await walk.show(ref, standing, notices);
    await views.update(place.workspace, place.viewId, shown.view);
    await prepareNext(ref, standing.session, { ...place, shown, notices });
  }

  /** Returns the step of an action if its view is current; otherwise why the view is out of date. */
  async function stepOf(input: Authorized & OpenView): Promise<Step | OutOfDate> {
    const state = decodeFocus(input.state);
    const ref = await input.authorize({ account: state.account });
    const session = await tasks.focusSessions.get(ref, state.session);
    if (session === undefined || session.member !== input.member) return 'expired';
    const { task, round = 1 } = state;
    const isCurrent = session.step === state.step && session.current === task;
    if (!isCurrent || task === undefined)
      return { ref, standing: await walk.hold(ref, session, { count: 1 }) };
    return { ref, session, state, target: { ref, task, round }, notices: [] };
  }

  /** Answers a submission of an outdated view: decides nothing, and shows the current state. */
  async function outOfDate(found: OutOfDate): Promise<SubmissionAnswer> {
    if (found === 'expired') return { update: expiredView() };
    // Without pictures, because Slack may have refused the view for one of them.
    return { update: (await walk.show(found.ref, found.standing)).view(() => true) };
  }

  /** Returns the id of a step's decision; the same for a redelivery, or after a process died. */
  const decisionId = ({ session, step }: FocusState, verdict: Verdict) =>
    `focus-${session}-${step}-${verdict}`;

  /** Wraps an actor so that their answers are shown above the next task. */
  function listening<T extends Actor>(actor: T, { notices }: Step): T {
    return { ...actor, answer: async (message: Message) => void notices.push(message) };
  }

  /** Returns the outcome of the displayed task: decided in this step, skipped, or decided elsewhere. */
  async function outcomeOf({ ref, state, target }: Step): Promise<FocusDecision | 'skipped' | 'gone'> {
    const task = await tasks.get(ref, target.task);
    if (task === undefined) return 'gone';
    const { decision } = task;
    if (decision && decision.id === decisionId(state, decision.verdict))
      return { task: task.id, decision: decision.id, verdict: decision.verdict };
    return isOpen(task) && task.round === target.round ? 'skipped' : 'gone';
  }

  /** Moves on from a step's task. Returns the new state of the review. */
  async function moveOn(step: Step, outcome: FocusDecision | 'skipped' | 'gone'): Promise<Standing> {
    const { ref, state, target, session } = step;
    const moved = await tasks.focusSessions.change(ref, session.id, (one) =>
      one.step === state.step ? movedOn(one, outcome, deps.clock.now()) : undefined,
    );
    return walk.hold(ref, moved.session ?? session, { count: 1, release: [target.task] });
  }

  /** Answers a submission with the next task, and then prefetches. */
  async function answerWithNext(submission: Submission, step: Step): Promise<SubmissionAnswer> {
    const outcome = await outcomeOf(step);
    if (outcome === 'gone' && step.notices.length === 0) step.notices.push(notice(leftQueue));
    const standing = await moveOn(step, outcome);
    const { ref, notices } = step;
    const shown = await walk.show(ref, standing, notices);
    const { workspace, id: viewId } = submission;
    return {
      update: shown.view(() => false),
      afterwards: () => prepareNext(ref, standing.session, { workspace, viewId, shown, notices }),
    };
  }

  /** Answers a submission with the same task, and says why nothing was decided. */
  async function answerUnmoved(
    { ref, session }: Step,
    notices: readonly Message[],
  ): Promise<SubmissionAnswer> {
    const shown = await walk.show(ref, await walk.hold(ref, session, { count: 1 }), notices);
    return { update: shown.view(() => false) };
  }

  /** Shows the next task after an action too slow to answer directly. */
  async function showNext({ workspace }: Actor, viewId: string, step: Step): Promise<void> {
    const standing = await moveOn(step, await outcomeOf(step));
    await showStanding(step.ref, standing, { workspace, viewId, notices: step.notices });
  }

  /** Runs a click in a view of the review. In an outdated view, it only shows the current state. */
  function inStep(run: (click: Click & { readonly view: OpenView }, step: Step) => Promise<void>) {
    return async (click: Click): Promise<void> => {
      const { view } = click;
      if (view === undefined) return;
      const step = await stepOf({ ...click, ...view });
      if (step === 'expired') {
        await views.update(click.workspace, view.id, () => expiredView());
      } else if (isStep(step)) await run({ ...click, view }, step);
      else await redraw({ ...click, view }, step.ref, step.standing);
    };
  }

  /**
   * Begins a step for another view of the same task, such as a form, so that pending updates of the previous view do not
   * replace it. Returns undefined when the review has moved on.
   */
  async function nextView(step: Step): Promise<Step | undefined> {
    const { session, isChanged } = await tasks.focusSessions.change(step.ref, step.session.id, (one) =>
      one.step === step.state.step ? { ...one, step: one.step + 1 } : undefined,
    );
    if (session === undefined || !isChanged) return undefined;
    return { ...step, session, state: { ...step.state, step: session.step } };
  }

  /** Shows the current state of a review in place of the clicked view. */
  async function redraw(
    { workspace, view: open }: Click & { readonly view: OpenView },
    ref: AccountRef,
    standing: Standing,
    notices: readonly Message[] = [],
  ): Promise<void> {
    await showStanding(ref, standing, { workspace, viewId: open.id, notices });
  }

  return {
    answerUnmoved,
    answerWithNext,
    decisionId,
    inStep,
    listening,
    nextView,
    outOfDate,
    prepareNext,
    redraw,
    showNext,
    skip: (step: Step) => moveOn(step, 'skipped'),
    stepOf,
    views,
    walk,
  };
}

/** Returns whether a view is current. */
export function isStep(found: Step | OutOfDate): found is Step {
  return found !== 'expired' && 'target' in found;
}
