import { linksIn } from '../../domain/proof-links.ts';
import { askedOfTask } from '../../kit/brief.ts';
import { caughtMarketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCard } from '../../kit/on.ts';
import { updateModalIfOpen } from '../../slack/answers.ts';
import type { Click, Entries } from '../../slack/feature.ts';
import { linksModal } from '../../ui/proof.view.ts';
import { detailsModal } from './details.view.ts';
import { instructionsModal, wholeProof } from './proof.view.ts';

/** Creates a card's modals: the instructions, the whole proof, its links, and the task's details. */
export function createCardModals(deps: Modules): Entries<Click> {
  const showProof = (render: typeof wholeProof) =>
    onCard(deps, 'see', async ({ open, ref, task }) =>
      open(
        render(task, await deps.campaigns.titleOf(ref, task.campaign), await askedOfTask(deps, ref, task)),
      ),
    );

  return {
    'task.instructions': showProof(instructionsModal),
    'task.proof': showProof(wholeProof),
    'task.more.proof': showProof(wholeProof),
    'task.more.links': onCard(deps, 'see', ({ open, task }) => open(linksModal(linksIn(task.proof.slots)))),
    // At once, and then with the earnings, which depend on the rating and must be read from the marketplace.
    'task.more.details': onCard(deps, 'see', async ({ open, ref, task, workspace }) => {
      const title = await deps.campaigns.titleOf(ref, task.campaign);
      const notes = await deps.tasks.notes.on(ref, task);
      const viewId = await open(detailsModal(task, title, 'loading', notes));
      const info = await deps.marketplace
        .of(ref)
        .then((marketplace) => marketplace.getTaskInfo(task.id))
        .catch(caughtMarketplaceErrorText);
      const earned =
        typeof info === 'string'
          ? { sentence: info }
          : { worker: info.workerEarned, bonus: info.bonusWorkerEarned };
      const messenger = deps.slack.messengerOf(workspace);
      await updateModalIfOpen(messenger, viewId, detailsModal(task, title, earned, notes));
    }),
  };
}
