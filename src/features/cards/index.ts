import { TaskId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { cardJobKey, type Payload } from '../../jobs/catalogue.ts';
import type { JobContext } from '../../jobs/runner.ts';
import { decodeCardBlock, taskOfBlocks } from '../../slack/card-block.ts';
import type { Click, Feature } from '../../slack/feature.ts';
import type { FeatureContext } from '../shared/context.ts';
import { createLiveMessages } from '../shared/live-message.ts';
import { detailsRemoved, wholeProof } from './card.view.ts';
import { cardMessage } from './card-message.ts';

/** Creates the cards: one message per task that mirrors the task's record. */
export function createCards(context: FeatureContext) {
  const { campaigns, jobs, messengerOf, tasks } = context;
  const cards = createLiveMessages(context, cardMessage(context));

  async function showProof(click: Click): Promise<void> {
    const card = decodeCardBlock(click.blockId);
    if (card === undefined) return;
    const ref = await click.authorize({ account: card.account });
    const task = await tasks.get(ref, TaskId.parse(click.value));
    if (task === undefined) return;
    if (task.detailsRemovedAt !== undefined) throw new UserError(detailsRemoved);
    const campaign = await campaigns.get(ref, task.campaign);
    const modal = wholeProof(task, campaign?.title ?? 'A campaign');
    await messengerOf(click.workspace).openModal(click.triggerId, modal);
  }

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
    clicks: {
      'task.proof': { needs: 'see', run: showProof },
      'task.more.proof': { needs: 'see', run: showProof },
    },
  };

  return {
    feature,
    jobs: {
      post: ({ task, ...ref }: Payload<'post'>, job: JobContext) => cards.render(ref, task, job, true),
      redraw: ({ task, ...ref }: Payload<'redraw'>, job: JobContext) => cards.render(ref, task, job, false),
    },
  };
}
