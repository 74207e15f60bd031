import type { ModalView } from '@slack/types';
import { modal, section } from '../../slack/blocks.ts';

/** A modal that only says something: that a request is on its way, or how it ended. */
export function noteView(callbackId: string, title: string, ...paragraphs: readonly string[]): ModalView {
  return modal({ callbackId, title, blocks: paragraphs.map((text) => section(text)) });
}

/** What takes the place of a form once it is submitted. */
export function sendingView(callbackId: string, title: string): ModalView {
  return noteView(
    callbackId,
    title,
    'Sending to the marketplace…',
    'If this does not change within a minute, look at `/campaign status` before you try again.',
  );
}
