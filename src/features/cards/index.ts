import type { AccountRef, TaskId } from '../../domain/terms.ts';
import { cardJobKey, type Payload } from '../../jobs/catalogue.ts';
import type { JobContext } from '../../jobs/runner.ts';
import { taskOfBlocks } from '../../slack/card-block.ts';
import type { Feature } from '../../slack/feature.ts';
import type { FeatureContext } from '../shared/context.ts';
import { createLiveMessages } from '../shared/live-message.ts';
import { cardMessage } from './card-message.ts';
import { createCardModals } from './modals.ts';

/** Interval at which freed places in the channel are filled while many cards are updated (ms). */
const fillRoomMs = 500;

/** Creates the cards: one message per task that mirrors the task's record. */
export function createCards(context: FeatureContext) {
  const { cardUpdateLine, cardWindows, jobs, routing, tasks } = context;
  const cards = createLiveMessages(context, cardMessage(context));

  const feature: Feature = {
    /** Posts a deleted card again while its task waits for a decision, or a decision waits to be sent. */
    async messageDeleted({ workspace, channel, ts, blocks }) {
      const shown = taskOfBlocks(blocks);
      if (shown === undefined) return;
      const ref = { workspace, account: shown.account };
      const { kind, task } = await tasks.apply(ref, shown.task, {
        type: 'card-gone',
        messageRef: { channel, ts },
      });
      if (kind !== 'done' || task?.card.state !== 'wanted') return;
      const payload = { ...ref, task: task.id };
      await jobs.add('post', payload, { uniqueKey: cardJobKey(payload) });
    },
    clicks: createCardModals(context),
  };

  const fillWindows = (ref: AccountRef) => jobs.add('fill-windows', ref, { uniqueKey: ref.account });

  /** Posts queued tasks' cards in places freed by decided tasks. */
  async function fillRoom(ref: AccountRef): Promise<void> {
    if (await cardWindows.isAnyQueued(ref)) await fillWindows(ref);
  }

  /** Updates a card. */
  async function redraw(ref: AccountRef, task: TaskId, job: JobContext): Promise<void> {
    await fillRoom(ref);
    await cards.render(ref, task, job, false);
  }

  /** Updates the cards in the queue of an account, or in those of its channels. */
  async function updateCards(payload: Payload<'update-cards'>, job: JobContext): Promise<void> {
    const { isLimited: _, ...ref } = payload;
    let filledAt = Number.NEGATIVE_INFINITY;
    const updated = await cardUpdateLine.run(payload, async (task) => {
      if (performance.now() - filledAt > fillRoomMs) {
        filledAt = performance.now();
        await fillRoom(ref);
      }
      await cards.render(ref, task, job, false);
    });
    // More tasks may have been decided meanwhile.
    if (updated > 1) await fillRoom(ref);
  }

  /**
   * Requeues a task whose unposted card holds a place in a channel it no longer goes to. A corrected task needs no
   * place: until its new card is posted, the previous round's card says nothing of the correction.
   */
  async function isRequeued(ref: AccountRef, id: TaskId): Promise<boolean> {
    const task = await tasks.get(ref, id);
    if (task?.card.state !== 'wanted' || task.card.channel === undefined || task.card.attempt) return false;
    const channel = await routing.forCampaign(ref, task.campaign);
    if (channel === task.card.channel) return false;
    if ((await tasks.apply(ref, id, { type: 'card-queued' })).kind !== 'done') return false;
    if (task.before !== undefined && channel !== undefined) {
      await tasks.apply(ref, id, { type: 'card-wanted', channel });
      return false;
    }
    await fillWindows(ref);
    return true;
  }

  return {
    feature,
    jobs: {
      async post({ task, ...ref }: Payload<'post'>, job: JobContext): Promise<void> {
        if (!(await isRequeued(ref, task))) await cards.render(ref, task, job, true);
      },
      redraw: ({ task, isBackground, ...ref }: Payload<'redraw'>, job: JobContext) =>
        redraw(ref, task, isBackground ? { ...job, isBackground } : job),
      'update-cards': updateCards,
    },
  };
}
