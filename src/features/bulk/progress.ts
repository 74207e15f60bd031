import { type BulkRating, type BulkRatingId, isPendingResult } from '../../domain/bulk-rating.ts';
import { type Money, money } from '../../domain/money.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { LiveMessageKind } from '../../kit/live-message.ts';
import type { Modules } from '../../kit/modules.ts';
import { messageTag } from '../../slack/message-tags.ts';
import { bulkMessage, type ShownRating } from './progress.view.ts';

/** Minimum interval between progress updates of a bulk rating (ms). */
const paceMs = 1_000;

/** Creates the progress messages of bulk ratings: one each, in the direct messages of the confirming member. */
export function createBulkProgress(deps: Modules) {
  const { tasks, campaigns, clock } = deps;

  /** Returns a bulk rating with the displayed data of its tasks. */
  async function shown(ref: AccountRef, rating: BulkRating): Promise<ShownRating> {
    const known = await tasks.getMany(
      ref,
      rating.items.map(({ task }) => task),
    );
    const listed = await campaigns.getMany(ref, [...new Set(known.map(({ campaign }) => campaign))]);
    const byId = new Map<string, Task>(known.map((task) => [task.id, task]));
    let paid: Money | undefined = money(0);
    let sentAt: number | undefined;
    for (const [index, { task: id }] of rating.items.entries()) {
      const task = byId.get(id);
      const result = rating.results[index] ?? null;
      const payment = task && listed.get(task.campaign)?.paymentPerTask;
      if (result?.kind === 'applied') paid = payment === undefined ? undefined : paid?.plus(money(payment));
      const dueAt = isPendingResult(result) ? task?.decision?.dueAt : undefined;
      if (dueAt !== undefined && dueAt > clock.now()) sentAt = Math.min(sentAt ?? dueAt, dueAt);
    }
    const rated = known.map(
      ({ id, worker, campaign }) =>
        [
          id,
          {
            worker: worker.name ?? worker.id,
            campaign: listed.get(campaign)?.title ?? `Campaign ${campaign}`,
          },
        ] as const,
    );
    return { account: ref.account, rating, tasks: new Map(rated), paid, sentAt };
  }

  const kind: LiveMessageKind<BulkRating, BulkRatingId> = {
    records: tasks.bulkRatings,
    channelFor: ({ workspace }, { member }) => deps.slack.messengerOf(workspace).directChannel(member),
    tagFor: ({ account }, { id }) => messageTag('bulk', account, { rating: id }),
    waitMs: ({ shownAt = 0 }) => shownAt + paceMs - clock.now(),
    render: async (ref, rating) => bulkMessage(await shown(ref, rating)),
    async afterRender(ref, { id }) {
      await tasks.bulkRatings.apply(ref, id, { type: 'shown', at: clock.now() });
      return undefined;
    },
  };
  return { shown, kind };
}
