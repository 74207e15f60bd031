import { setTimeout as delay } from 'node:timers/promises';
import type { BulkRating } from '../../domain/bulk-rating.ts';
import type { Capability } from '../../domain/permissions.ts';
import { type AccountRef, TaskId } from '../../domain/terms.ts';
import { askedOfTask } from '../../kit/brief.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onView } from '../../kit/on.ts';
import { createReasonOptions } from '../../kit/reasons.ts';
import { createTaskDetails, withPicturesIfPossible } from '../../kit/task-details.ts';
import { notice } from '../../slack/blocks.ts';
import type { Click, Feature } from '../../slack/feature.ts';
import { updateModalIfOpen } from '../../slack/interactions.ts';
import { user } from '../../slack/mrkdwn.ts';
import type { Decisions } from '../decide/public.ts';
import { createDeciding, type Deciding } from './deciding.ts';
import { selectionState, wholeTaskView } from './page.view.ts';
import { bulkResultsView, ratingValue } from './progress.view.ts';
import { createSelecting } from './selecting.ts';
import { createBulkProgress, createBulkWork, queueBulk } from './work.ts';

/** How long after the end each task's result is kept (ms); until then, failures can be retried. */
const endedMs = 3 * 86_400_000;

type Deps = Modules & { readonly decisions: Decisions };

/** Interval and number of checks whether an undo has ended. */
const undoPollMs = 200;
const undoPolls = 25;

/** A click on a button of a bulk rating. `run`: which try of it the button was shown for. */
type RatingClick = Omit<Click, 'value'> & {
  readonly ref: AccountRef;
  readonly rating: BulkRating;
  readonly value: { readonly run: number };
};

const ratingGone = 'These results are no longer stored. `/proofdesk audit` has each rating.';
const nothingToUndo = 'Nothing was undone: these ratings were already sent.';
const nothingToRetry = 'There’s nothing to try again: it’s under way, or done.';

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

  /** A button of a bulk rating. */
  const onRating = (needs: Capability, run: (click: RatingClick) => Promise<unknown>, also?: 'undo') =>
    onButton(ratingValue, { needs, ...(also && { also: [also] }) }, async (click) => {
      const rating = await tasks.bulkRatings.get(click.ref, click.value.rating);
      return rating === undefined ? click.answer(notice(ratingGone)) : run({ ...click, rating });
    });

  /** Undoes all decisions of a bulk rating that are not sent yet. */
  async function undo({ ref, rating: { id, member }, ...click }: RatingClick): Promise<void> {
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
    const said = isNothing ? nothingToUndo : undefined;
    if (click.view !== undefined)
      await selecting.update(click, click.view, bulkResultsView(await progress.shown(ref, record), said));
    else if (said !== undefined) await click.answer(notice(said));
  }

  /**
   * Retries failed tasks that are still open. The decisions are in the name of the confirming member, so nobody else may
   * retry.
   */
  async function retry({ ref, rating, value: { run }, ...click }: RatingClick): Promise<void> {
    const { id } = rating;
    if (rating.member !== click.member)
      return click.answer(notice(`Only ${user(rating.member)} can try again: the ratings are theirs.`));
    const step = deps.audit.step(ref, { what: 'retry bulk', ...doneBy(click), act: id });
    const event = { type: 'retry', run, at: deps.clock.now() } as const;
    const { record, changed } = await tasks.bulkRatings.apply(ref, id, event, step);
    if (!changed && record?.run === run) return click.answer(notice(nothingToRetry));
    if (!changed) return;
    await queueBulk(deps, ref, id, `retry ${run}`);
  }

  const feature: Feature = {
    clicks: {
      ...selecting.clicks,
      'bulk.whole': showWhole,
      ...deciding.clicks,
      'bulk.undo': onRating('rate', undo, 'undo'),
      'bulk.retry': onRating('rate', retry),
      'bulk.results': onRating('see', async ({ ref, rating, open }) =>
        open(bulkResultsView(await progress.shown(ref, rating))),
      ),
    },
    typings: { ...selecting.typings, ...deciding.typings },
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
