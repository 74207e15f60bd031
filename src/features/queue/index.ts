import { queueMessageId } from '../../domain/queue-message.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Feature } from '../../slack/feature.ts';
import { createQueueMessages } from './messages.ts';
import { queueOfBlocks } from './queue.view.ts';
import { createWindow } from './window.ts';

/**
 * Creates the queue of open tasks per channel: a limited number have cards, and the rest is counted in one live message
 * per campaign.
 */
export function createQueue(context: Modules & { readonly queuePaceMs: number }) {
  const { jobs, slack, queuePaceMs } = context;
  const window = createWindow(context);
  const messages = createQueueMessages({ ...context, window });

  /** Merges all changes in the meantime into one count. */
  const countLater = (ref: AccountRef) =>
    jobs.add('count-queues', ref, { delayMs: queuePaceMs, uniqueKey: ref.account });

  const feature: Feature = {
    /** Posts a deleted message again while tasks wait that only it counts. */
    async messageDeleted({ workspace, channel, ts, blocks }) {
      const shown = queueOfBlocks(blocks);
      if (shown === undefined) return;
      const ref = { workspace, account: shown.account };
      const place = { channel, campaign: shown.campaign };
      const gone = { type: 'card-gone', messageRef: { channel, ts } } as const;
      await slack.queueMessages.apply(ref, queueMessageId(place), gone);
    },
  };

  return {
    feature,
    message: messages.kind,
    jobs: {
      async 'fill-windows'(ref: Payload<'fill-windows'>): Promise<void> {
        await window.fill(ref);
        await countLater(ref);
      },
      'count-queues': (ref: Payload<'count-queues'>) => messages.refresh(ref),
    },

    async afterPoll(ref: AccountRef): Promise<void> {
      // Not as a job: if a suspended process holds that job, nobody else would fill the windows.
      await window.fill(ref);
      await messages.refresh(ref);
    },
  };
}
