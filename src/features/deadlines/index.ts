import { type ChannelSettings, withMuted } from '../../domain/channel-settings.ts';
import { AccountId, type AccountRef } from '../../domain/terms.ts';
import type { Click, Command, Feature } from '../../slack/feature.ts';
import { notice } from '../../slack/notice.ts';
import { doneBy } from '../shared/audited-act.ts';
import type { FeatureContext } from '../shared/context.ts';
import { createIndexRepair } from './index-repair.ts';
import {
  accountOfReminder,
  muteAction,
  noReminders,
  reminderSetting,
  unmuteAction,
} from './reminder.view.ts';
import { createReminderMessages } from './reminders.ts';

/** Creates the deadlines: maintains their index, and reminds channels of tasks that are due. */
export function createDeadlinesFeature(context: FeatureContext & { readonly reminderPaceMs: number }) {
  const { channelSettings, jobs, reminders, subscriptions } = context;
  const messages = createReminderMessages(context);
  const indexRepair = createIndexRepair(context);

  const setMuted = (isMuted: boolean) => async (click: Click) => {
    const { channel, workspace } = click;
    if (channel === undefined) return;
    const ref = await click.authorize({ account: AccountId.parse(click.value) });
    if (!(await context.claimOnce(workspace, `reminders ${click.id}`))) return;
    const change = (before: ChannelSettings) => withMuted(before, 'reminders', isMuted);
    await channelSettings.change(workspace, channel, change, { ...doneBy(click), account: ref.account });
    await messages.refresh(ref);
    await click.replace(reminderSetting(ref.account, isMuted));
  };

  /** Shows whether this channel gets reminders, for each of its accounts. */
  async function setting(command: Command): Promise<void> {
    const { channel, workspace } = command;
    const here = await subscriptions.ofChannel(workspace, channel);
    const isMuted = (await channelSettings.get(workspace, channel)).muted.includes('reminders');
    for (const account of new Set(here.map((one) => one.account))) {
      await command.authorize({ account });
      await command.answer(reminderSetting(account, isMuted));
    }
    if (here.length > 0) return;
    await command.authorize();
    await command.answer(notice(noReminders));
  }

  const feature: Feature = {
    commands: [
      {
        command: '/proofdesk',
        word: 'reminders',
        usage: '',
        help: 'Mutes reminders of tasks that are due soon, or turns them on again.',
        needs: 'subscribe',
        run: setting,
      },
    ],
    clicks: {
      [muteAction]: { needs: 'subscribe', run: setMuted(true) },
      [unmuteAction]: { needs: 'subscribe', run: setMuted(false) },
    },
    /** Posts a deleted reminder again while tasks are due. */
    async messageDeleted({ workspace, channel, ts, blocks }) {
      const account = accountOfReminder(blocks);
      if (account === undefined) return;
      const ref = { workspace, account };
      const gone = { type: 'card-gone', messageRef: { channel, ts } } as const;
      if ((await reminders.apply(ref, channel, gone)).changed)
        await jobs.add('remind', { ...ref, channel }, { uniqueKey: `${ref.account} ${channel}` });
    },
  };

  return {
    feature,
    jobs: messages.jobs,
    async afterPoll(ref: AccountRef): Promise<void> {
      await indexRepair.afterPoll(ref);
      await messages.refresh(ref);
    },
    afterSweep: indexRepair.afterSweep,
  };
}
