import { cardJobKey, type Payload } from '../../jobs/catalogue.ts';
import type { JobContext } from '../../jobs/runner.ts';
import { taskOfBlocks } from '../../slack/card-block.ts';
import type { Feature } from '../../slack/feature.ts';
import type { FeatureContext } from '../shared/context.ts';
import { createLiveMessages } from '../shared/live-message.ts';
import { cardMessage } from './card-message.ts';
import { createCardModals } from './modals.ts';

/** Creates the cards: one message per task that mirrors the task's record. */
export function createCards(context: FeatureContext) {
  const { jobs, tasks } = context;
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

  return {
    feature,
    jobs: {
      post: ({ task, ...ref }: Payload<'post'>, job: JobContext) => cards.render(ref, task, job, true),
      redraw: ({ task, ...ref }: Payload<'redraw'>, job: JobContext) => cards.render(ref, task, job, false),
    },
  };
}
