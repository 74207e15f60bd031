import type { ModalView } from '@slack/types';
import type { Asked } from '../../domain/brief.ts';
import { modal, section } from '../../slack/blocks.ts';
import { inline } from '../../slack/mrkdwn.ts';
import {
  askedInFull,
  instructionsBlocks,
  type ShownTask,
  wholeProofWithAsked,
} from '../shared/brief.view.ts';

/** The answer to who asks for what was submitted, once that is no longer stored. */
export const detailsRemoved =
  'This task was decided long ago, so its proof and comments are no longer stored here. Open it on the website to see them.';

/** The whole proof in a modal: every slot in full, with what was asked for above it. */
export function wholeProof(task: ShownTask, campaignTitle: string, asked?: Asked): ModalView {
  return modal({
    callbackId: 'task.proof',
    title: 'All of the proof',
    blocks: [section(`*${inline(campaignTitle)}*`), ...wholeProofWithAsked(asked, task)],
  });
}

/** The instructions and what was asked for in a modal, and the whole proof below them. */
export function instructionsModal(task: ShownTask, campaignTitle: string, asked?: Asked): ModalView {
  return modal({
    callbackId: 'task.instructions',
    title: 'What was asked',
    blocks: [
      section(`*${inline(campaignTitle)}*`),
      ...instructionsBlocks(asked),
      ...askedInFull(asked),
      { type: 'divider' },
      ...wholeProofWithAsked(asked, task),
    ],
  });
}
