import type { ModalView } from '@slack/types';
import type { Message } from './blocks.ts';
import type { Click } from './feature.ts';
import type { Address, Messenger } from './messenger.ts';
import { notice } from './notice.ts';
import { SlackError } from './slack-error.ts';

/** What Slack says of a modal that is not open any more. */
const closed = 'not_found';

/** Shows something else in an open modal. False when Slack does not take it, mostly since the modal was closed meanwhile. */
export async function updateModalIfPossible(
  messenger: Messenger,
  viewId: string,
  view: ModalView,
): Promise<boolean> {
  return succeeds(messenger.updateModal(viewId, view));
}

/** Shows something in a modal unless the person has closed it: for what was only looked up, and is not missed then. */
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
 * Tells in its modal what came of something that was done; when it cannot be seen there, says it privately.
 * @param sentence the same as the view says, in mrkdwn
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
 * Tells what came of a click in the message that was clicked in; when that cannot be changed, says it privately.
 * @param sentence the outcome alone, in mrkdwn
 */
export async function answerInPlace(click: Click, message: Message, sentence: string): Promise<void> {
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
