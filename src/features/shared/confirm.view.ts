import type { Button, KnownBlock, ModalView } from '@slack/types';
import { actions, button, modal } from '../../slack/blocks.ts';

/** The button that confirms an act: it says the act and what it costs. */
export interface ConfirmButton {
  readonly text: string;
  readonly actionId: string;
  readonly value: string;
}

/**
 * Renders what an act costs, below a form in which it was asked for. The buttons are in its body: a submit button would be
 * where the one of the form was, so that a second click there would confirm.
 */
export function confirmView(
  {
    callbackId,
    title,
    state,
  }: { readonly callbackId: string; readonly title: string; readonly state: string },
  blocks: readonly KnownBlock[],
  { text, actionId, value }: ConfirmButton,
  ...back: readonly Button[]
): ModalView {
  const confirm = button(text, actionId, value, { style: 'primary' });
  return modal({
    callbackId,
    title,
    close: 'Cancel',
    state,
    blocks: [...blocks, actions(`${callbackId}.confirm`, [confirm, ...back])],
  });
}
