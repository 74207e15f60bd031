import type { ModalView } from '@slack/types';
import type { Asked } from '../../domain/campaign.ts';
import { linksIn } from '../../domain/evidence/texts.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import { askedOfTask } from '../../kit/brief.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCard } from '../../kit/on.ts';
import type { Feature } from '../../slack/feature.ts';
import { instructionsModal, linksModal } from '../../ui/proof.view.ts';
import { detailsModal, wholeProof } from './modals.view.ts';

/** Creates a card's modals: the instructions, the whole proof, its links, and the task's details. */
export function createCardModals(deps: Modules) {
  const shows = (render: (task: Task, campaignTitle: string, asked?: Asked) => ModalView) =>
    onCard(deps, 'see', async ({ open, ref, task }) =>
      open(
        render(task, await deps.campaigns.titleOf(ref, task.campaign), await askedOfTask(deps, ref, task)),
      ),
    );
  const showProof = shows(wholeProof);

  async function detailsOf(
    ref: AccountRef,
    task: Task,
    member: MemberId,
    outcome?: string,
  ): Promise<ModalView> {
    return detailsModal({
      account: ref.account,
      task,
      campaignTitle: await deps.campaigns.titleOf(ref, task.campaign),
      member,
      notes: await deps.tasks.notes.on(ref, task),
      outcome,
    });
  }

  const feature: Feature = {
    clicks: {
      'task.instructions': shows((_, campaignTitle, asked) => instructionsModal(campaignTitle, asked)),
      'task.proof': showProof,
      'task.more.proof': showProof,
      'task.more.links': onCard(deps, 'see', ({ open, task }) => open(linksModal(linksIn(task.proof.slots)))),
      'task.more.details': onCard(deps, 'see', async ({ open, ref, task, member }) =>
        open(await detailsOf(ref, task, member)),
      ),
    },
  };
  return { feature, detailsOf };
}
