import type { ModalView } from '@slack/types';
import type { Asked } from '../../domain/brief.ts';
import { modal, section } from '../../slack/blocks.ts';
import { inline } from '../../slack/mrkdwn.ts';
import { askedInFull, instructionsBlocks, type ShownTask, wholeProofWithAsked } from '../../ui/proof.view.ts';

/** Returns the modal with the whole proof: every slot in full, below what was asked for. */
export function wholeProof(task: ShownTask, campaignTitle: string, asked?: Asked): ModalView {
  return modal({
    callbackId: 'task.proof',
    title: 'All of the proof',
    blocks: [section(`*${inline(campaignTitle)}*`), ...wholeProofWithAsked(asked, task)],
  });
}

/** Returns the modal with the instructions and the request; the card behind it shows the proof. */
export function instructionsModal(_: ShownTask, campaignTitle: string, asked?: Asked): ModalView {
  return modal({
    callbackId: 'task.instructions',
    title: 'Instructions',
    blocks: [section(`*${inline(campaignTitle)}*`), ...instructionsBlocks(asked), ...askedInFull(asked)],
  });
}
