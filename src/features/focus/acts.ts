import { undone, withoutLast } from '../../domain/focus.ts';
import { isOpen } from '../../domain/task.ts';
import { type AccountRef, needsComment, type Verdict, type WorkerId } from '../../domain/terms.ts';
import type { Decisions } from '../../kit/decisions.ts';
import { decodeFocus, framed } from '../../kit/focus-frame.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Message } from '../../slack/blocks.ts';
import { notice } from '../../slack/blocks.ts';
import type { Actor, Click, OpenView, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import {
  excludeView,
  excludingWorker,
  expiredView,
  payingBonus,
  pressedTwice,
  undoneBefore,
  undoneElsewhere,
  undoneText,
  waitingView,
} from './focus.view.ts';
import { isStep, type Step, type Steps } from './steps.ts';

export type ActDeps = Modules & {
  /** Decides with the same checks as a card's buttons. */
  readonly decisions: Decisions;
  /** Adds a worker to the exclude list. Returns the outcome in mrkdwn. */
  readonly excludeWorker: (ref: AccountRef, actor: Actor, worker: WorkerId) => Promise<string>;
};

/** Creates the actions on a review's task: decide, skip, undo, exclude its worker. */
export function createActs(deps: ActDeps, steps: Steps) {
  const { tasks, decisions } = deps;
  const {
    answerUnmoved,
    answerWithNext,
    decisionId,
    inStep,
    listening,
    nextView,
    outOfDate,
    redraw,
    showNext,
    stepOf,
    views,
    walk,
  } = steps;

  /** Returns whether OK followed the previous decision too quickly for anybody to have seen the task. */
  const isDoubleClick = ({ session: { movedAt } }: Step) =>
    movedAt !== undefined && deps.clock.now() - movedAt < deps.jobs.timeouts.doubleClickMs;

  async function submitOk(submission: Submission): Promise<SubmissionAnswer> {
    const step = await stepOf(submission);
    if (!isStep(step)) return outOfDate(step);
    if (isDoubleClick(step)) return answerUnmoved(step, [notice(pressedTwice)]);
    const made = { verdict: 'OK', comment: '', isOfMany: true } as const;
    await decisions.decide(listening(submission, step), step.target, made, decisionId(step.state, 'OK'));
    return answerWithNext(submission, step);
  }

  /** Forwards a form to the feature that owns it. */
  function submitForm(
    submit: (submission: Submission) => Promise<SubmissionAnswer | undefined>,
    callbackId: string,
    verdictOf: (values: Submission) => Verdict,
  ) {
    return async (submission: Submission): Promise<SubmissionAnswer> => {
      const step = await stepOf(submission);
      if (!isStep(step)) return outOfDate(step);
      const id = decisionId(step.state, verdictOf(submission));
      const answer = await submit(listening({ ...submission, id }, step));
      if (answer?.errors) return answer;
      if (answer?.update) return { update: formView(answer.update, callbackId, step) };
      const { afterwards } = answer ?? {};
      if (afterwards === undefined) return answerWithNext(submission, step);
      return {
        update: waitingView(step.state, payingBonus),
        async afterwards() {
          // If it fails, the person is told why, and the modal must not keep waiting.
          try {
            await afterwards();
          } finally {
            await showNext(submission, submission.id, step);
          }
        },
      };
    };
  }

  /** Returns a click in a form of another feature as a submission of it. */
  const asSubmission = (click: Click & { readonly view: OpenView }, step: Step): Submission => ({
    ...listening(click, step),
    ...click.view,
    id: decisionId(step.state, 'OK'),
    how: 'form',
  });

  const confirmExtras = inStep(async (click, step) => {
    const { workspace, view } = click;
    await views.update(workspace, view.id, () => waitingView(step.state, payingBonus));
    let outcome: Awaited<ReturnType<typeof decisions.confirmExtras>> | 'failed' = 'failed';
    try {
      outcome = await decisions.confirmExtras(asSubmission(click, step));
    } finally {
      const isSecond = outcome === undefined && step.notices.length === 0;
      if (typeof outcome === 'object') {
        const again = formView(outcome, view.callbackId, step);
        await views.update(workspace, view.id, () => again);
      } else if (!isSecond) await showNext(click, view.id, step);
    }
  });

  const changeExtras = inStep(async (click, step) => {
    const form = await decisions.changeExtras(asSubmission(click, step));
    if (form === undefined) return showNext(click, click.view.id, step);
    await views.update(click.workspace, click.view.id, () => formView(form, click.view.callbackId, step));
  });

  function formView(form: NonNullable<SubmissionAnswer['update']>, callbackId: string, { state }: Step) {
    return framed(form, callbackId, state);
  }

  /** Opens the form for the reason, or for the extras, in place of the task. */
  function openForm(verdict: Verdict) {
    const callbackId = needsComment(verdict) ? 'focus.reason' : 'focus.extras';
    return inStep(async (click, before) => {
      const step = await nextView(before);
      if (step === undefined) return;
      const { session, ref, state, target } = step;
      await walk.hold(ref, session, { count: 1 });
      const id = decisionId(state, verdict);
      const form = await decisions.form(listening(click, step), target, verdict, id);
      if (form === undefined) return showNext(click, click.view.id, step);
      await views.update(click.workspace, click.view.id, () => formView(form, callbackId, step));
    });
  }

  const skip = inStep(async (click, step) => {
    const standing = await steps.skip(step);
    await redraw(click, step.ref, standing);
  });

  const back = inStep(async (click, { ref, session }) => {
    await redraw(click, ref, await walk.hold(ref, session, { count: 1 }));
  });

  /** Undoes the latest decision, and shows its task again. */
  async function undo(click: Click): Promise<void> {
    const { view } = click;
    if (view === undefined) return;
    const state = decodeFocus(view.state);
    const ref = await click.authorize({ account: state.account });
    const session = await tasks.focusSessions.get(ref, state.session);
    const last = session?.decided.at(-1);
    if (session === undefined) return views.update(click.workspace, view.id, () => expiredView());
    // Clicked twice: the first click has undone it.
    if (session.step !== state.step || last?.decision !== click.value)
      return redraw({ ...click, view }, ref, await walk.hold(ref, session, { count: 1 }));
    const notices: Message[] = [];
    const actor = { ...click, answer: async (message: Message) => void notices.push(message) };
    await decisions.undo(actor, ref, last.task, last.decision);
    const task = await tasks.get(ref, last.task);
    const isUndone = task?.undone?.includes(last.decision) === true && isOpen(task);
    const { session: changed = session } = await tasks.focusSessions.change(ref, session.id, (one) => {
      if (one.step !== state.step) return undefined;
      return isUndone ? undone(one) : withoutLast(one);
    });
    if (!isUndone && notices.length === 0) notices.push(notice(undoneBefore));
    const standing = await walk.hold(ref, changed, { count: 1 });
    const isShown = standing.session.current === last.task;
    if (isUndone) notices.unshift(notice(isShown ? undoneText(last) : undoneElsewhere));
    await redraw({ ...click, view }, ref, standing, notices);
  }

  /** Continues at the end of a queue with skipped tasks, or new ones. */
  async function again(click: Click): Promise<void> {
    const { view } = click;
    if (view === undefined) return;
    const state = decodeFocus(view.state);
    const ref = await click.authorize({ account: state.account });
    const { session } = await tasks.focusSessions.change(ref, state.session, (one) => {
      const { ended: _, ...rest } = one;
      // The view may be outdated, or clicked twice: then only the current state is shown.
      if (one.step !== state.step) return one.ended ? rest : undefined;
      return { ...rest, step: one.step + 1, skipped: click.value === 'skipped' ? [] : one.skipped };
    });
    if (session === undefined) return;
    const filled = await walk.fill(ref, session);
    await redraw({ ...click, view }, ref, await walk.hold(ref, filled, { count: 1 }));
  }

  const openExclude = inStep(async (click, before) => {
    const step = await nextView(before);
    if (step === undefined) return;
    const { ref, session, state, target } = step;
    const standing = await walk.hold(ref, session, { count: 1 });
    const task = await tasks.get(ref, target.task);
    if (task === undefined) return redraw(click, ref, standing);
    await views.update(click.workspace, click.view.id, () => excludeView(state, task));
  });

  async function submitExclude(submission: Submission): Promise<SubmissionAnswer> {
    const step = await stepOf(submission);
    if (!isStep(step)) return outOfDate(step);
    const { ref, session, state, target } = step;
    const { workspace, id: viewId } = submission;
    return {
      update: waitingView(state, excludingWorker),
      async afterwards() {
        const task = await tasks.get(ref, target.task);
        const isFirst = await deps.jobs.claimOnce(workspace, `focus exclude ${session.id} ${state.step}`);
        if (task === undefined || !isFirst) return;
        const said = await deps.excludeWorker(ref, submission, task.worker.id);
        const standing = await walk.hold(ref, session, { count: 1 });
        const { view } = await walk.show(ref, standing, [notice(said)]);
        await views.update(workspace, viewId, view);
      },
    };
  }

  return {
    again,
    back,
    changeExtras,
    confirmExtras,
    openExclude,
    openForm,
    skip,
    submitExclude,
    submitExtras: submitForm(decisions.submitExtras, 'focus.extras', () => 'OK'),
    submitOk,
    submitReason: submitForm(decisions.submitReason, 'focus.reason', reasonOf),
    undo,
  };
}

/** Returns the verdict whose reason a form asks for. */
function reasonOf({ state }: Submission): Verdict {
  const { verdict } = JSON.parse(state) as { verdict?: string };
  return verdict === 'NOK' ? 'NOK' : 'REVISE';
}
