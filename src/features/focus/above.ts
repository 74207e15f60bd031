import { setTimeout as delay } from 'node:timers/promises';
import type { ModalView } from '@slack/types';
import type { MessageRef } from '../../domain/live-message.ts';
import { withoutPictures } from '../../domain/picture.ts';
import { linksIn } from '../../domain/proof-links.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, MemberId, TaskId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import { askedOfTask } from '../../kit/brief.ts';
import type { Modules } from '../../kit/modules.ts';
import { withAllPictures } from '../../kit/proof-images.ts';
import { updateModalIfOpen } from '../../slack/answers.ts';
import type { Click, OpenView } from '../../slack/feature.ts';
import { linksModal } from '../../ui/proof.view.ts';
import { cardForFiles, filesView, instructionsView, loadingFiles, picturesView } from './focus.view.ts';
import type { Step, Steps } from './steps.ts';

/** Interval and number of checks whether the card that files go to was posted. */
const cardPollMs = 250;
const cardPolls = 40;

export type AboveDeps = Modules & {
  /** Shows a task's files in a modal that waits for them; `isOpening`: also opens that modal. */
  readonly showFiles: (
    click: Click,
    place: { ref: AccountRef; task: Task; card: MessageRef; viewId: string },
    isOpening: boolean,
  ) => Promise<void>;
  /** Returns the modal with a task's notes, as a member sees it. */
  readonly notesModal: (ref: AccountRef, task: TaskId, member: MemberId) => Promise<ModalView>;
};

/** Creates the modals a review opens above its task; closing one returns to the task. */
export function createAbove(deps: AboveDeps, { inStep, redraw, views, walk }: Steps) {
  const { slack, tasks } = deps;

  /** Opens a modal above the task of a view, and renews the task's lease. */
  function above(
    open: (click: Click & { readonly view: OpenView }, step: Step, task: Task) => Promise<unknown>,
  ) {
    return inStep(async (click, step) => {
      const { ref, session, target } = step;
      const standing = await walk.hold(ref, session, { count: 1 });
      const task = await tasks.get(ref, target.task);
      await (task === undefined ? redraw(click, ref, standing) : open(click, step, task));
    });
  }

  /** Posts a card for a task that has none. Returns the task with it; undefined if that takes too long. */
  async function withCard(ref: AccountRef, { id }: Task): Promise<Task | undefined> {
    const { task: wanted } = await tasks.apply(ref, id, { type: 'card-wanted' });
    if (wanted !== undefined) await deps.slack.cards.clicked(ref, wanted);
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

  return {
    listFiles: files(false),
    openFiles: files(true),

    /** Opens the full instructions. */
    openInstructions: above(async (click, { ref }, task) =>
      click.open(instructionsView(await askedOfTask(deps, ref, task))),
    ),

    /** Opens the links of the proof: each destination first. */
    openLinks: above(async (click, _, task) => click.open(linksModal(linksIn(task.proof.slots)))),

    /** Opens the notes, where another one can be added. */
    openNotes: above(async (click, { ref }, { id }) =>
      click.open(await deps.notesModal(ref, id, click.member)),
    ),

    /** Opens all pictures of the proof together, which needs no card. */
    openPictures: above(async (click, { ref }, shown) => {
      const viewId = await click.open(picturesView(shown, { isLoading: true }));
      const task = await withAllPictures(deps, ref, shown).catch((error: unknown) => {
        deps.log.info({ task: shown.id, reason: messageOf(error) }, 'pictures of a review not loaded');
        return shown;
      });
      await views.update(ref.workspace, viewId, (isRefused) =>
        picturesView(withoutPictures(task, isRefused)),
      );
    }),
  };
}
