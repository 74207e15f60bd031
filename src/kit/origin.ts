import type { MemberId } from '../domain/terms.ts';
import type { Message } from '../slack/blocks.ts';
import { messageModal } from '../slack/message-modal.view.ts';
import type { Messenger } from '../slack/messenger.ts';
import { SlackError } from '../slack/slack-error.ts';
import type { Origin } from './origin-state.ts';

/** Replaces the message in which a form was asked for. Resolves to false where Slack does not allow that. */
export async function replaceAt(
  messenger: Messenger,
  { responseUrl, modal }: Origin,
  message: Message,
): Promise<boolean> {
  try {
    if (modal) await messenger.updateModal(modal.id, messageModal(modal.title, message));
    else if (responseUrl) await messenger.replaceEphemeral(responseUrl, message);
    return modal !== undefined || responseUrl !== undefined;
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    return false;
  }
}

/**
 * Shows a form's outcome in the message in which it was asked for; privately if that is not possible.
 * @param instead the private message
 */
export async function showAt(
  messenger: Messenger,
  member: MemberId,
  origin: Origin,
  message: Message,
  instead = message,
): Promise<void> {
  if (!(await replaceAt(messenger, origin, message)))
    await messenger.answer({ member, channel: origin.channel }, instead);
}
