import type { Task } from '../../domain/task.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCard } from '../../kit/on.ts';
import type { Feature } from '../../slack/feature.ts';
import { moreModal } from './more.view.ts';

/** Creates the modal of further actions on a task, opened from a card's menu; features that act in it show it again. */
export function createMore(modules: Modules) {
  /** Returns the modal with the current task. @param outcome of the last action, in mrkdwn */
  async function modalOf(ref: AccountRef, task: Task, member: MemberId, outcome?: string) {
    const campaignTitle = await modules.campaigns.titleOf(ref, task.campaign);
    return moreModal({ account: ref.account, task, campaignTitle, member, outcome });
  }

  const feature: Feature = {
    clicks: {
      'task.more.acts': onCard(modules, 'see', async ({ open, ref, task, member }) =>
        open(await modalOf(ref, task, member)),
      ),
    },
  };
  return { feature, modalOf };
}
