import type { AccountRef } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Feature } from '../../slack/feature.ts';
import { accountOfReminder } from './reminder.view.ts';
import { createReminderMessages } from './reminders.ts';

/** Creates the reminders of channels of tasks that are due. */
export function createDeadlinesFeature(context: Modules & { readonly reminderPaceMs: number }) {
  const { slack } = context;
  const messages = createReminderMessages(context);

  const feature: Feature = {
    /** Posts a deleted reminder again while tasks are due. */
    async messageDeleted({ workspace, channel, ts, blocks }) {
      const account = accountOfReminder(blocks);
      if (account === undefined) return;
      const ref = { workspace, account };
      const gone = { type: 'card-gone', messageRef: { channel, ts } } as const;
      await slack.reminders.apply(ref, channel, gone);
    },
  };

  return {
    feature,
    message: messages.kind,
    async afterPoll(ref: AccountRef): Promise<void> {
      await messages.refresh(ref);
    },
  };
}
