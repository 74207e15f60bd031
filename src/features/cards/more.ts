import type { Task } from '../../domain/task.ts';
import { type AccountRef, type MemberId, TaskId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { Modules } from '../../kit/modules.ts';
import { decodeCardBlock } from '../../slack/card-block.ts';
import type { Click, Feature } from '../../slack/feature.ts';
import { moreModal, notKnown } from './more.view.ts';

/** Creates the modal of further actions on a task, opened from a card's menu; features that act in it show it again. */
export function createMore({ campaigns, tasks }: Modules) {
  /** Returns the modal with the current task. @param outcome of the last action, in mrkdwn */
  async function modalOf(ref: AccountRef, task: Task, member: MemberId, outcome?: string) {
    const campaign = await campaigns.get(ref, task.campaign);
    const campaignTitle = campaign?.title ?? 'A campaign';
    return moreModal({ account: ref.account, task, campaignTitle, member, outcome });
  }

  async function open(click: Click): Promise<void> {
    const card = decodeCardBlock(click.blockId);
    if (card === undefined) return;
    const ref = await click.authorize({ account: card.account });
    const task = await tasks.get(ref, TaskId.parse(click.value));
    if (task === undefined) throw new UserError(notKnown);
    const view = await modalOf(ref, task, click.member);
    await click.open(view);
  }

  const feature: Feature = { clicks: { 'task.more.acts': { needs: 'see', run: open } } };
  return { feature, modalOf };
}
