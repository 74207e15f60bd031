import { linksIn } from '../../domain/proof-links.ts';
import type { Task } from '../../domain/task.ts';
import { type AccountRef, TaskId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { askedOfTask } from '../../kit/brief.ts';
import { caughtMarketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { updateModalIfOpen } from '../../slack/answers.ts';
import { decodeCardBlock } from '../../slack/card-block.ts';
import type { Click, Entries } from '../../slack/feature.ts';
import { linksModal } from '../../ui/proof.view.ts';
import { detailsModal } from './details.view.ts';
import { detailsRemoved, instructionsModal, wholeProof } from './proof.view.ts';

/** Creates a card's modals: the instructions, the whole proof, its links, and the task's details. */
export function createCardModals(deps: Modules): Entries<Click> {
  const { campaigns, slack, tasks } = deps;

  /** Returns the task of a card, after checking access. Throws UserError when its details are no longer stored. */
  async function taskOf(click: Click): Promise<{ ref: AccountRef; task: Task; title: string } | undefined> {
    const card = decodeCardBlock(click.blockId);
    if (card === undefined) return undefined;
    const ref = await click.authorize({ account: card.account });
    const task = await tasks.get(ref, TaskId.parse(click.value));
    if (task === undefined || task.detailsRemovedAt !== undefined) throw new UserError(detailsRemoved);
    const campaign = await campaigns.get(ref, task.campaign);
    return { ref, task, title: campaign?.title ?? 'A campaign' };
  }

  const showProof = (render: typeof wholeProof) => async (click: Click) => {
    const found = await taskOf(click);
    if (found === undefined) return;
    const { ref, task, title } = found;
    const asked = await askedOfTask(deps, ref, task);
    await click.open(render(task, title, asked));
  };

  async function showLinks(click: Click): Promise<void> {
    const found = await taskOf(click);
    if (found === undefined) return;
    const links = linksIn(found.task.proof.slots);
    await click.open(linksModal(links));
  }

  /**
   * Shows the details at once, and then the earnings, which depend on the rating and must be read from the marketplace.
   */
  async function showDetails(click: Click): Promise<void> {
    const found = await taskOf(click);
    if (found === undefined) return;
    const { ref, task, title } = found;
    const messenger = slack.messengerOf(click.workspace);
    const notes = await deps.tasks.notes.on(ref, task);
    const view = detailsModal(task, title, 'loading', notes);
    const viewId = await click.open(view);
    const info = await deps.marketplace
      .of(ref)
      .then((marketplace) => marketplace.getTaskInfo(task.id))
      .catch(caughtMarketplaceErrorText);
    const earned =
      typeof info === 'string'
        ? { sentence: info }
        : { worker: info.workerEarned, bonus: info.bonusWorkerEarned };
    await updateModalIfOpen(messenger, viewId, detailsModal(task, title, earned, notes));
  }

  return {
    'task.instructions': { needs: 'see', run: showProof(instructionsModal) },
    'task.proof': { needs: 'see', run: showProof(wholeProof) },
    'task.more.proof': { needs: 'see', run: showProof(wholeProof) },
    'task.more.links': { needs: 'see', run: showLinks },
    'task.more.details': { needs: 'see', run: showDetails },
  };
}
