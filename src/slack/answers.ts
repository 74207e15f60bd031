import type { ModalView } from '@slack/types';
import type { MemberId } from '../domain/terms.ts';
import type { Message } from './blocks.ts';
import { notice } from './blocks.ts';
import type { Actor, Asker, Origin } from './feature.ts';
import { messageModal } from './message-modal.view.ts';
import type { Messenger } from './messenger.ts';
import { type IsRefused, withoutRefusedPictures } from './refused-pictures.ts';
import { SlackError } from './slack-error.ts';

/** Slack's error for a modal that is no longer open. */
const closed = 'not_found';

/** Returns how a person is shown outcomes. @param answer answers them privately where they acted */
export function askerOf(
  messenger: Messenger,
  member: MemberId,
  origin: Origin,
  answer: Actor['answer'],
): Asker {
  async function replaceAt(
    { view, modal, responseUrl }: Origin,
    shown: Message | ModalView,
  ): Promise<boolean> {
    if ('type' in shown) return view !== undefined && succeeds(messenger.updateModal(view, shown));
    if (modal) return succeeds(messenger.updateModal(modal.id, messageModal(modal.title, shown)));
    return responseUrl !== undefined && succeeds(messenger.replaceEphemeral(responseUrl, shown));
  }

  return {
    origin,
    replaceAt,
    async show(shown: Message | ModalView, instead: string | Message = shown as Message, at = origin) {
      if (await replaceAt(at, shown)) return;
      const said = typeof instead === 'string' ? notice(instead) : instead;
      await (at === origin ? answer(said) : messenger.answer({ member, channel: at.channel }, said));
    },
  };
}

/** Updates a modal without the pictures that Slack refuses. Resolves to false when it refuses the modal too. */
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

async function succeeds(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    return false;
  }
}
