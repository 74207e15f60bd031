import { setTimeout as delay } from 'node:timers/promises';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { undone, withoutLast } from '../../domain/focus.ts';
import type { MessageRef } from '../../domain/live-message.ts';
import { withoutPictures } from '../../domain/picture.ts';
import { linksIn } from '../../domain/proof-links.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import {
  type AccountRef,
  type MemberId,
  needsComment,
  type TaskId,
  type Verdict,
  verdicts,
  type WorkerId,
} from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import { askedOfTask } from '../../kit/brief.ts';
import type { Decisions } from '../../kit/decisions.ts';
import { framed } from '../../kit/focus-frame.ts';
import type { Modules } from '../../kit/modules.ts';
import { withAllPictures } from '../../kit/task-details.ts';
import { updateModalIfOpen } from '../../slack/answers.ts';
import { type Message, notice } from '../../slack/blocks.ts';
import type { Actor, Click, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { linksModal } from '../../ui/proof.view.ts';
import {
  cardForFiles,
  excludeView,
  excludingWorker,
  filesView,
  instructionsView,
  loadingFiles,
  payingBonus,
  picturesView,
  pressedTwice,
  undoneBefore,
  undoneElsewhere,
  undoneText,
  waitingView,
} from './focus.view.ts';
import type { ClickInView, Step, Steps } from './steps.ts';

export type ActDeps = Modules & {
  /** Decides with the same checks as a card's buttons. */
  readonly decisions: Decisions;
  /** Shows a task's files in a modal that waits for them; `isOpening`: also opens that modal. */
  readonly showFiles: (
    click: Click,
    place: { ref: AccountRef; task: Task; card: MessageRef; viewId: string },
    isOpening: boolean,
  ) => Promise<void>;
  /** Returns the modal with a task's notes, as a member sees it. */
  readonly notesModal: (ref: AccountRef, task: TaskId, member: MemberId) => Promise<ModalView>;
  /** Adds a worker to the exclude list. Returns the outcome in mrkdwn. */
  readonly excludeWorker: (ref: AccountRef, actor: Actor, worker: WorkerId) => Promise<string>;
};

/** Interval and number of checks whether the card that files go to was posted. */
const cardPollMs = 250;
const cardPolls = 40;

/**
 * Creates the actions on a review's task: decide, skip, undo, exclude its worker; and the modals that open above it, from
 * which closing returns to the task.
 */
export function createActs(deps: ActDeps, steps: Steps) {
  const { slack, tasks, decisions } = deps;
  const { answerUnmoved, answerWithNext, decisionId, inNextStep, inReview, inStep, listening } = steps;
  const { redraw, show, showNext, submitted, views, walk } = steps;

  /** Returns whether OK followed the previous decision too quickly for anybody to have seen the task. */
  const isDoubleClick = ({ session: { movedAt } }: Step) =>
    movedAt !== undefined && deps.clock.now() - movedAt < deps.jobs.timeouts.doubleClickMs;

  const submitOk = submitted(async (submission, step) => {
    if (isDoubleClick(step)) return answerUnmoved(step, [notice(pressedTwice)]);
    const made = { verdict: 'OK', comment: '', isOfMany: true } as const;
    await decisions.decide(listening(submission, step), step.target, made, decisionId(step.state, 'OK'));
    return answerWithNext(submission, step);
  });

  /** Forwards a form to the feature that owns it. */
  function submitForm(submit: (submission: Submission) => Promise<SubmissionAnswer | undefined>) {
    return submitted(async (submission, step) => {
      const id = decisionId(step.state, verdictOf(submission));
      const answer = await submit(listening({ ...submission, id }, step));
      if (answer?.errors) return answer;
      if (answer?.update) return { update: framed(answer.update, submission.callbackId, step.state) };
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
    });
  }

  /** Returns a click in a form of another feature as a submission of it. */
  const asSubmission = (click: ClickInView, step: Step): Submission => ({
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
        const again = framed(outcome, view.callbackId, step.state);
        await views.update(workspace, view.id, () => again);
      } else if (!isSecond) await showNext(click, view.id, step);
    }
  });

  const changeExtras = inStep(async (click, step) => {
    const form = await decisions.changeExtras(asSubmission(click, step));
    if (form === undefined) return showNext(click, click.view.id, step);
    await views.update(click.workspace, click.view.id, () => framed(form, click.view.callbackId, step.state));
  });

  /** Opens the form for the reason, or for the extras, in place of the task. */
  function openForm(verdict: Verdict) {
    const callbackId = needsComment(verdict) ? 'focus.reason' : 'focus.extras';
    return inNextStep(async (click, step) => {
      const { state, target } = step;
      const id = decisionId(state, verdict);
      const form = await decisions.form(listening(click, step), target, verdict, id);
      if (form === undefined) return showNext(click, click.view.id, step);
      await views.update(click.workspace, click.view.id, () => framed(form, callbackId, state));
    });
  }

  const skip = inStep(async (click, step) => show(click, step.ref, await steps.skip(step)));

  const back = inStep(redraw);

  /** Undoes the latest decision, and shows its task again. */
  const undo = inReview(async (click, review) => {
    const { ref, session, state } = review;
    const last = session.decided.at(-1);
    // Clicked twice: the first click has undone it.
    if (session.step !== state.step || last?.decision !== click.value) return redraw(click, review);
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
    const standing = await walk.hold(ref, changed);
    const isShown = standing.session.current === last.task;
    if (isUndone) notices.unshift(notice(isShown ? undoneText(last) : undoneElsewhere));
    return show(click, ref, standing, notices);
  });

  /** Continues at the end of a queue with skipped tasks, or new ones. */
  const again = inReview(async (click, { ref, session: before, state }) => {
    const { session = before } = await tasks.focusSessions.change(ref, before.id, (one) => {
      const { ended: _, ...rest } = one;
      // The view may be outdated, or clicked twice: then only the current state is shown.
      if (one.step !== state.step) return one.ended ? rest : undefined;
      return { ...rest, step: one.step + 1, skipped: click.value === 'skipped' ? [] : one.skipped };
    });
    await redraw(click, { ref, session: await walk.fill(ref, session) });
  });

  const openExclude = inNextStep(async (click, step) => {
    const task = await tasks.get(step.ref, step.target.task);
    if (task === undefined) return redraw(click, step);
    return views.update(click.workspace, click.view.id, () => excludeView(step.state, task));
  });

  const submitExclude = submitted(async (submission, { ref, session, state, target }) => {
    const { workspace, id: viewId } = submission;
    return {
      update: waitingView(state, excludingWorker),
      async afterwards() {
        const task = await tasks.get(ref, target.task);
        const isFirst = await deps.jobs.claimOnce(workspace, `focus exclude ${session.id} ${state.step}`);
        if (task === undefined || !isFirst) return;
        const said = await deps.excludeWorker(ref, submission, task.worker.id);
        const standing = await walk.hold(ref, session);
        const { view } = await walk.show(ref, standing, [notice(said)]);
        await views.update(workspace, viewId, view);
      },
    };
  });

  /** Opens a modal above the task of a view, and renews the task's lease. */
  function above(open: (click: ClickInView, step: Step, task: Task) => Promise<unknown>) {
    return inStep(async (click, step) => {
      const { ref, session, target } = step;
      const task = await tasks.get(ref, target.task);
      if (task === undefined) return redraw(click, step);
      await walk.hold(ref, session);
      return open(click, step, task);
    });
  }

  /** Posts a card for a task that has none. Returns the task with it; undefined if that takes too long. */
  async function withCard(ref: AccountRef, { id }: Task): Promise<Task | undefined> {
    const { task: wanted } = await tasks.apply(ref, id, { type: 'card-wanted' });
    if (wanted !== undefined) await slack.cards.clicked(ref, wanted);
    for (let polls = 0; polls < cardPolls; polls++) {
      await delay(cardPollMs);
      const task = await tasks.get(ref, id);
      if (task?.card.state === 'posted') return task;
    }
    return undefined;
  }

  /** Opens a task's files. They go to the thread of its card, which is posted if there is none. */
  const files = (isOpening: boolean) =>
    above(async (click, { ref }, shown) => {
      const viewId = await click.open(filesView(loadingFiles));
      const task = shown.card.state === 'posted' ? shown : await withCard(ref, shown);
      if (task?.card.state === 'posted')
        await deps.showFiles(click, { ref, task, card: task.card, viewId }, isOpening);
      else await updateModalIfOpen(slack.messengerOf(ref.workspace), viewId, filesView(cardForFiles));
    });

  /** Opens all pictures of the proof together, which needs no card. */
  const openPictures = above(async (click, { ref }, shown) => {
    const viewId = await click.open(picturesView(shown, { isLoading: true }));
    const task = await withAllPictures(deps, ref, shown).catch((error: unknown) => {
      deps.log.info({ task: shown.id, reason: messageOf(error) }, 'pictures of a review not loaded');
      return shown;
    });
    await views.update(ref.workspace, viewId, (isRefused) => picturesView(withoutPictures(task, isRefused)));
  });

  return {
    listFiles: files(false),
    openFiles: files(true),
    openInstructions: above(async (click, { ref }, task) =>
      click.open(instructionsView(await askedOfTask(deps, ref, task))),
    ),
    openLinks: above(async (click, _, task) => click.open(linksModal(linksIn(task.proof.slots)))),
    openNotes: above(async (click, { ref }, { id }) =>
      click.open(await deps.notesModal(ref, id, click.member)),
    ),
    openPictures,
    again,
    back,
    changeExtras,
    confirmExtras,
    openExclude,
    openForm,
    skip,
    submitExclude,
    submitExtras: submitForm(decisions.submitExtras),
    submitOk,
    submitReason: submitForm(decisions.submitReason),
    undo,
  };
}

/** Returns the verdict that a form of another feature is about. */
function verdictOf({ state }: Submission): Verdict {
  return z.object({ verdict: z.enum(verdicts) }).parse(JSON.parse(state)).verdict;
}
