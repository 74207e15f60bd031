import { setTimeout as delay } from 'node:timers/promises';
import type { ModalView } from '@slack/types';
import { linksIn } from '../../domain/evidence/texts.ts';
import { undone, withoutLast } from '../../domain/focus.ts';
import type { MessageRef } from '../../domain/live-message.ts';
import { withoutPictures } from '../../domain/picture.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import {
  type AccountRef,
  type MemberId,
  needsComment,
  type TaskId,
  type Verdict,
} from '../../domain/terms.ts';
import { askedOfTask } from '../../kit/brief.ts';
import type { Modules } from '../../kit/modules.ts';
import { notice } from '../../slack/blocks.ts';
import type { Actor, Click } from '../../slack/feature.ts';
import { withoutFiles } from '../../slack/files.ts';
import { updateModalIfOpen } from '../../slack/interactions.ts';
import { instructionsModal, linksModal } from '../../ui/proof.view.ts';
import { withPicturesIfPossible } from '../cards/public.ts';
import {
  type DecisionForms,
  type Decisions,
  type FormOutcome,
  type FormSubmission,
  intents,
  undoAnswer,
} from '../decide/public.ts';
import { filesStatusModal, loadingFiles } from '../files/public.ts';
import {
  cardForFiles,
  picturesView,
  pressedTwice,
  undoneBefore,
  undoneElsewhere,
  undoneText,
} from './focus.view.ts';
import { framed } from './public.ts';
import type { ClickInView, Step, Steps } from './walk.ts';

export type ActDeps = Modules & {
  /** Decide with the same checks as a card's buttons. */
  readonly decisions: Decisions;
  readonly forms: DecisionForms;
  /** Shows a task's files in a modal that waits for them; `isOpening`: also opens that modal. */
  readonly showFiles: (
    click: Click,
    place: { ref: AccountRef; task: Task; card: MessageRef; viewId: string },
    isOpening: boolean,
  ) => Promise<void>;
  /** Returns the modal with a task's notes, as a member sees it. */
  readonly notesModal: (ref: AccountRef, task: TaskId, member: MemberId) => Promise<ModalView>;
  /** Returns the modal with the record of a task's worker, and the button that excludes them. */
  readonly workerModal: (ref: AccountRef, task: Task) => Promise<ModalView>;
};

/** Interval and number of checks whether the card that files go to was posted. */
const cardPollMs = 250;
const cardPolls = 40;

/**
 * Creates the actions on a review's task: decide, skip, undo; and the modals that open above it, from
 * which closing returns to the task.
 */
export function createActs(deps: ActDeps, steps: Steps) {
  const { slack, tasks, decisions, forms } = deps;
  const { answerUnmoved, answerWithNext, decisionId, inNextStep, inReview, inStep } = steps;
  const { redraw, show, showNext, submitted, views, walk } = steps;

  /** Returns whether OK followed the previous decision too quickly for anybody to have seen the task. */
  const isDoubleClick = ({ session: { movedAt } }: Step) =>
    movedAt !== undefined && deps.clock.now() - movedAt < deps.jobs.timeouts.doubleClickMs;

  const rateOk = (actor: Actor, { state, target }: Step) =>
    decisions.rate(
      actor,
      target,
      { id: decisionId(state, 'OK'), verdict: 'OK', comment: '' },
      { isOfMany: true },
    );

  const submitOk = submitted(async (submission, step) => {
    if (isDoubleClick(step)) return answerUnmoved(step, [notice(pressedTwice)]);
    return answerWithNext(submission, step, await rateOk(submission, step));
  });

  /** OK by its button, which has no answer of its own. */
  const clickOk = inStep(async (click, step) => {
    if (isDoubleClick(step))
      return show(click, step.ref, await walk.hold(step.ref, step.session), [notice(pressedTwice)]);
    return showNext(click, step, await rateOk(click, step));
  });

  /** Forwards a submitted form to the feature that owns it. */
  function submitForm(submit: (form: FormSubmission) => Promise<FormOutcome>) {
    return submitted(async (submission, step) => {
      const state = intents.decode(submission.state);
      const id = decisionId(step.state, state.verdict);
      const outcome = await submit({ ...submission, ref: step.ref, state, id });
      if (outcome.kind === 'errors') return { errors: outcome.errors };
      if (outcome.kind === 'form') {
        const form = withoutFiles(outcome.view, () => true);
        return { update: framed(form, submission.callbackId, step.state) };
      }
      return answerWithNext(submission, step, outcome);
    });
  }

  const showForm = ({ workspace, view }: ClickInView, { state }: Step, form: ModalView, callbackId: string) =>
    views.update(workspace, view.id, (isRefused) => withoutFiles(framed(form, callbackId, state), isRefused));

  /** Opens the form for the reason, or for the extras, in place of the task. */
  function openForm(verdict: Verdict) {
    const isReason = needsComment(verdict);
    return inNextStep(async (click, step) => {
      const { ref, target } = step;
      const outcome = await forms.open({
        ...click,
        id: decisionId(step.state, verdict),
        ref,
        state: {
          account: ref.account,
          task: target.task,
          round: target.round,
          verdict,
          isOfMany: true,
          ...(isReason ? {} : { extras: true }),
        },
      });
      if (outcome.kind !== 'form') return showNext(click, step, outcome);
      return showForm(click, step, outcome.view, isReason ? 'focus.reason' : 'focus.extras');
    });
  }

  const skip = inStep(async (click, step) => show(click, step.ref, await steps.skip(step)));

  const back = inStep(redraw);

  /** Undoes the latest decision, and shows its task again. */
  const undo = inReview(async (click, review) => {
    const { ref, session, state } = review;
    const last = session.decided.at(-1);
    // Clicked twice: the first click has undone it.
    if (session.step !== state.step || last === undefined) return redraw(click, review);
    const outcome = await decisions.undo(click, { ref, task: last.task }, last.decision);
    const isUndone = (outcome.kind === 'undone' || outcome.kind === 'undone before') && isOpen(outcome.task);
    const { session: changed = session } = await tasks.focusSessions.change(ref, session.id, (one) => {
      if (one.step !== state.step) return undefined;
      return isUndone ? undone(one) : withoutLast(one);
    });
    const position = await walk.hold(ref, changed);
    const isShown = position.session.current === last.task;
    const said = isShown ? undoneText(last) : undoneElsewhere;
    const notices = [isUndone ? notice(said) : (undoAnswer(outcome) ?? notice(undoneBefore))];
    return show(click, ref, position, notices);
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
      const viewId = await click.open(filesStatusModal(loadingFiles));
      const task = shown.card.state === 'posted' ? shown : await withCard(ref, shown);
      if (task?.card.state === 'posted')
        await deps.showFiles(click, { ref, task, card: task.card, viewId }, isOpening);
      else
        await updateModalIfOpen(slack.messengerOf(ref.workspace), viewId, () =>
          filesStatusModal(cardForFiles),
        );
    });

  /** Opens all pictures of the proof together, which needs no card. */
  const openPictures = above(async (click, { ref }, shown) => {
    const viewId = await click.open(picturesView(shown, { isLoading: true }));
    const task = await withPicturesIfPossible(deps, ref, shown);
    await views.update(ref.workspace, viewId, (isRefused) => picturesView(withoutPictures(task, isRefused)));
  });

  return {
    listFiles: files(false),
    openFiles: files(true),
    openInstructions: above(async (click, { ref }, task) =>
      click.open(
        instructionsModal(
          await deps.campaigns.titleOf(ref, task.campaign),
          await askedOfTask(deps, ref, task),
        ),
      ),
    ),
    openLinks: above(async (click, _, task) => click.open(linksModal(linksIn(task.proof.slots)))),
    openNotes: above(async (click, { ref }, { id }) =>
      click.open(await deps.notesModal(ref, id, click.member)),
    ),
    openPictures,
    openWorker: above(async (click, { ref }, task) => click.open(await deps.workerModal(ref, task))),
    again,
    back,
    clickOk,
    openForm,
    skip,
    submitExtras: submitForm(forms.submitExtras),
    submitOk,
    submitReason: submitForm(forms.submitReason),
    undo,
  };
}
