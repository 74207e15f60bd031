import type { ModalView } from '@slack/types';
import type { Message } from './blocks.ts';
import type { Click } from './feature.ts';
import type { Address, Messenger } from './messenger.ts';
import { notice } from './notice.ts';
import { type IsRefused, withoutRefusedPictures } from './refused-pictures.ts';
import { SlackError } from './slack-error.ts';

/** Slack's error for a modal that is no longer open. */
const closed = 'not_found';

/** Updates a modal. Resolves to false when Slack refuses, usually because the modal was closed meanwhile. */
export async function updateModalIfPossible(
  messenger: Messenger,
  viewId: string,
  view: ModalView,
): Promise<boolean> {
  return succeeds(messenger.updateModal(viewId, view));
}

/** Updates a modal like {@link updateModalIfPossible}, without the pictures that Slack refuses. */
export async function updatePicturesIfPossible(
  messenger: Messenger,
  viewId: string,
  make: (isRefused: IsRefused) => ModalView | Promise<ModalView>,
): Promise<boolean> {
  return succeeds(withoutRefusedPictures(make, (view) => messenger.updateModal(viewId, view)));
}

/** Updates a modal unless the person has closed it: for results of a lookup, which are then not needed. */
export async function updateModalIfOpen(
  messenger: Messenger,
  viewId: string,
  view: ModalView,
): Promise<void> {
  try {
    await messenger.updateModal(viewId, view);
  } catch (error) {
    if (!(error instanceof SlackError) || error.code !== closed) throw error;
  }
}

/**
 * Shows a result in its modal, or answers privately when the modal cannot be updated.
 * @param sentence the view's content, in mrkdwn
 */
export async function answerInModal(
  messenger: Messenger,
  { viewId, ...address }: Address & { readonly viewId: string },
  view: ModalView,
  sentence: string,
): Promise<void> {
  if (!(await updateModalIfPossible(messenger, viewId, view)))
    await messenger.answer(address, notice(sentence));
}

/**
 * Shows the result of a click in the clicked message, or answers privately when that cannot be replaced.
 * @param sentence the outcome alone, in mrkdwn
 */
export async function answerInPlace(
  click: Pick<Click, 'answer' | 'replace'>,
  message: Message,
  sentence: string,
): Promise<void> {
  if (!(await succeeds(click.replace(message)))) await click.answer(notice(sentence));
}

async function succeeds(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    return false;
  }
}
