import { setTimeout as delay } from 'node:timers/promises';
import type { ModalView } from '@slack/types';
import type { MessageRef } from '../../domain/live-message.ts';
import { linksIn } from '../../domain/proof-links.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, MemberId, TaskId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import { cardJobKey } from '../../jobs/catalogue.ts';
import { updateModalIfOpen } from '../../slack/answers.ts';
import type { Click, OpenView } from '../../slack/feature.ts';
import { withAllPictures } from '../shared/all-pictures.ts';
import { askedOfTask } from '../shared/brief.ts';
import type { FeatureContext } from '../shared/context.ts';
import { linksModal } from '../shared/links.view.ts';
import { filesView, picturesView } from './files.view.ts';
import type { Step, StepDeps, Steps } from './steps.ts';
import { cardForFiles, instructionsView, loadingFiles } from './summary.view.ts';

/** How often, and how many times, is looked whether the card was posted that files go to. */
const cardPollMs = 250;
const cardPolls = 40;

export type AboveDeps = StepDeps &
  Pick<FeatureContext, 'jobs'> & {
    /** Shows the files of a task in a modal that waits for them; `isOpening`: opens them too. */
    readonly showFiles: (
      click: Click,
      place: { ref: AccountRef; task: Task; card: MessageRef; viewId: string },
      isOpening: boolean,
    ) => Promise<void>;
    /** Returns the modal with the notes on a task, as a member sees it. */
    readonly notesModal: (ref: AccountRef, task: TaskId, member: MemberId) => Promise<ModalView>;
  };

/** Creates what a review opens above its task: whoever closes it is back at the task. */
export function createAbove(deps: AboveDeps, { inStep, redraw, views, walk }: Steps) {
  const { messengerOf, tasks } = deps;

  /** Opens something above the task that a view shows, whose lease begins anew. */
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

  const push = ({ workspace, triggerId }: Click, view: ModalView) =>
    messengerOf(workspace).pushModal(triggerId, view);

  /** Has a card posted for a task that has none. Returns the task with it; undefined when that takes too long. */
  async function withCard(ref: AccountRef, { id }: Task): Promise<Task | undefined> {
    await tasks.apply(ref, id, { type: 'card-wanted' });
    const job = { ...ref, task: id };
    await deps.jobs.add('post', job, { uniqueKey: cardJobKey(job) });
    for (let polls = 0; polls < cardPolls; polls++) {
      await delay(cardPollMs);
      const task = await tasks.get(ref, id);
      if (task?.card.state === 'posted') return task;
    }
    return undefined;
  }

  /** Opens the files of a task. They go to the thread of its card, which is posted if there is none. */
  const files = (isOpening: boolean) =>
    above(async (click, { ref }, shown) => {
      const viewId = await push(click, filesView(loadingFiles));
      const task = shown.card.state === 'posted' ? shown : await withCard(ref, shown);
      if (task?.card.state === 'posted')
        await deps.showFiles(click, { ref, task, card: task.card, viewId }, isOpening);
      else await updateModalIfOpen(messengerOf(ref.workspace), viewId, filesView(cardForFiles));
    });

  return {
    listFiles: files(false),
    openFiles: files(true),

    /** Opens all of the instructions. */
    openInstructions: above(async (click, { ref }, task) =>
      push(click, instructionsView(await askedOfTask(deps, ref, task))),
    ),

    /** Opens the links of the proof: first where each leads. */
    openLinks: above(async (click, _, task) => push(click, linksModal(linksIn(task.proof.slots)))),

    /** Opens the notes, where another one can be left. */
    openNotes: above(async (click, { ref }, { id }) =>
      push(click, await deps.notesModal(ref, id, click.member)),
    ),

    /** Opens all pictures of the proof together. No card is needed for that. */
    openPictures: above(async (click, { ref }, shown) => {
      const viewId = await push(click, picturesView(shown, { isLoading: true }));
      const task = await withAllPictures(deps, ref, shown).catch((error: unknown) => {
        deps.logger.info({ task: shown.id, reason: messageOf(error) }, 'pictures of a review not loaded');
        return shown;
      });
      await views.update(ref.workspace, viewId, (withPictures) =>
        picturesView(withPictures ? task : { ...task, pictures: [] }),
      );
    }),
  };
}
