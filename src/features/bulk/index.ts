import { setTimeout as delay } from 'node:timers/promises';
import { type AccountRef, TaskId } from '../../domain/terms.ts';
import { askedOfTask } from '../../kit/brief.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onView } from '../../kit/on.ts';
import { messageModal, notice, section } from '../../slack/blocks.ts';
import type { Feature } from '../../slack/feature.ts';
import { updateModalIfOpen } from '../../slack/interactions.ts';
import { createTaskDetails, withPicturesIfPossible } from '../cards/public.ts';
import { createReasonOptions, type Decisions } from '../decide/public.ts';
import { createDeciding, type Deciding } from './deciding.ts';
import { selectionState, wholeTaskView } from './page.view.ts';
import { bulkMessage, ratingValue } from './progress.view.ts';
import { createSelecting } from './selecting.ts';
import { createBulkProgress, createBulkWork, queueBulk } from './work.ts';

/** How long after the end each task's result is kept (ms). */
const endedMs = 3 * 86_400_000;

type Deps = Modules & { readonly decisions: Decisions };

/** Interval and number of checks whether an undo has ended. */
const undoPollMs = 200;
const undoPolls = 25;

const ratingGone = 'These results are no longer stored. `/proofdesk audit` has each rating.';
const nothingToUndo = 'Nothing was undone: these ratings were already sent.';

/** Creates bulk rating: many tasks, each of them seen, are ticked and decided together. */
export function createBulk(deps: Deps) {
  const { tasks } = deps;
  const selecting = createSelecting(deps, (...shown) => deciding.render(...shown));
  const deciding: Deciding = createDeciding(deps, selecting);
  const progress = createBulkProgress(deps);
  const work = createBulkWork({ ...deps, fill: createReasonOptions(deps).fill });
  const details = createTaskDetails(deps);

  /** Shows a whole task above the page: the known data at once, then its files and pictures. */
  const showWhole = onView(selectionState, 'rate', async (click) => {
    const { ref } = click;
    const task = await tasks.get(ref, TaskId.parse(click.value));
    if (task === undefined) return;
    const [campaignTitle, record, asked] = await Promise.all([
      deps.campaigns.titleOf(ref, task.campaign),
      deps.campaigns.workers.record(ref, task.worker.id),
      askedOfTask(deps, ref, task),
    ]);
    const common = { campaignTitle, record, asked };
    const viewId = await click.open(
      wholeTaskView({ ...common, task, isLoading: true, isRefused: () => true }),
    );
    const loaded = await withPicturesIfPossible(deps, ref, await details.forModal(ref, task));
    await updateModalIfOpen(deps.slack.messengerOf(click.workspace), viewId, (isRefused) =>
      wholeTaskView({ ...common, task: loaded, isRefused }),
    );
  });

  /** Undoes all decisions of a bulk rating that are not sent yet. */
  const undo = onButton(ratingValue, { needs: 'rate', also: ['undo'] }, async ({ ref, value, ...click }) => {
    const rating = await tasks.bulkRatings.get(ref, value.rating);
    if (rating === undefined) return click.answer(notice(ratingGone));
    const { id, member } = rating;
    const isOwn = member === click.member;
    if (!isOwn) await click.authorize({ account: ref.account, also: 'undo' });
    const step = deps.audit.step(ref, {
      what: 'undo bulk',
      ...doneBy(click),
      ...(isOwn ? {} : { member }),
      act: id,
    });
    const { changed } = await tasks.bulkRatings.apply(ref, id, { type: 'undo', at: deps.clock.now() }, step);
    if (changed) await queueBulk(deps, ref, id, 'undo');
    let record = await tasks.bulkRatings.get(ref, id);
    for (let polls = 0; record?.state === 'undoing' && polls < undoPolls; polls++) {
      await delay(undoPollMs);
      record = await tasks.bulkRatings.get(ref, id);
    }
    if (record === undefined) return;
    const isNothing = record.state !== 'undoing' && !record.results.some((one) => one?.kind === 'undone');
    if (click.view !== undefined) {
      const { blocks } = bulkMessage(await progress.shown(ref, record));
      const said = isNothing ? [section(nothingToUndo)] : [];
      await selecting.update(click, click.view, messageModal('Undo all', { blocks: [...said, ...blocks] }));
    } else if (isNothing) await click.answer(notice(nothingToUndo));
  });

  const feature: Feature = {
    clicks: {
      ...selecting.clicks,
      'bulk.whole': showWhole,
      ...deciding.clicks,
      'bulk.undo': undo,
    },
    submissions: { ...selecting.submissions, ...deciding.submissions },
  };

  return {
    feature,
    message: progress.kind,
    jobs: { bulk: work.run },

    /** Requeues jobs that a process may have died before queuing, and removes old bulk ratings. */
    async afterPoll(ref: AccountRef): Promise<void> {
      for (const id of await tasks.bulkRatings.active(ref)) await queueBulk(deps, ref, id, 'resume');
      await tasks.bulkRatings.removeEnded(ref, deps.clock.now() - endedMs);
    },
  };
}
