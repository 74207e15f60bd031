import type { KnownBlock, ModalView } from '@slack/types';
import { type Message, modal, section } from './blocks.ts';
import { limits } from './limits.ts';

/** The callback id of modals that show a message. */
export const messageModalId = 'message';

/** Figures that Slack draws only in messages; their message says the same in words. */
const onlyInMessages: readonly string[] = ['table', 'data_table', 'data_visualization'];

const loadingText = ':hourglass_flowing_sand: Loading…';

/** Returns a message as a modal, for clicks where there is no channel to answer in. */
export function messageModal(title: string, { blocks }: Pick<Message, 'blocks'>): ModalView {
  const shown = blocks.filter(({ type }: KnownBlock) => !onlyInMessages.includes(type));
  return modal({ callbackId: messageModalId, title, blocks: shown.slice(0, limits.viewBlocks) });
}

/** Returns the modal that is shown until its message is ready. */
export function loadingMessageModal(title: string): ModalView {
  return messageModal(title, { blocks: [section(loadingText)] });
}
