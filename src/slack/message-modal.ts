import type { ModalView } from '@slack/types';
import type { Message } from './blocks.ts';
import type { Click } from './feature.ts';
import {
  type ClickedModal,
  loadingMessageModal,
  messageModal,
  messageModalId,
  viewWithError,
} from './message-modal.view.ts';
import type { Messenger } from './messenger.ts';
import { SlackError } from './slack-error.ts';

/** A view in which somebody clicked. */
interface ClickedView {
  readonly id: string;
  readonly type: string;
  readonly callback_id: string;
  readonly title?: { readonly text: string } | null;
}

/** Returns whether a click in a view is answered by a modal: in the home tab, and in modals that show a message. */
export function isAnsweredByModal(view: ClickedView): boolean {
  return view.type === 'home' || view.callback_id === messageModalId;
}

/**
 * Returns how to answer a click in any other modal: above it, so that nothing typed is lost. A failure is shown in the
 * clicked modal itself, for longer than the trigger's 3 seconds. What cannot be shown is sent as a direct message.
 */
export function answersAbove(
  messenger: Messenger,
  {
    view,
    triggerId,
    pressed,
  }: {
    readonly view: ClickedModal & { readonly id: string; readonly hash: string };
    readonly triggerId: string;
    readonly pressed: string;
  },
  direct: Click['answer'],
): Pick<Click, 'answer' | 'fail'> {
  const orDirect =
    (show: (message: Message) => Promise<unknown>): Click['answer'] =>
    async (message) => {
      try {
        await show(message);
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        await direct(message);
      }
    };
  return {
    answer: orDirect((message) => messenger.pushModal(triggerId, messageModal(pressed, message))),
    fail: orDirect((message) => messenger.updateModal(view.id, viewWithError(view, message), view.hash)),
  };
}

/**
 * Returns how to answer a click in the home tab, or in a modal that shows a message: the first answer opens a modal, on top
 * of the clicked one if there is one, and later ones update it. An answer that cannot be shown that way, such as after the
 * trigger's 3 seconds, is sent as a direct message.
 * @param pressed the text of the button, which becomes the title
 */
export function answersByModal(
  messenger: Messenger,
  {
    view,
    triggerId,
    pressed,
  }: { readonly view: ClickedView; readonly triggerId: string; readonly pressed: string },
  direct: Click['answer'],
): Pick<Click, 'answer' | 'replace' | 'showLoading'> {
  const isHome = view.type === 'home';
  const title = view.title?.text ?? pressed;
  let shown: string | undefined;

  async function show(content: ModalView): Promise<void> {
    if (shown !== undefined) return void (await messenger.updateModal(shown, content));
    if (isHome) shown = await messenger.openModal(triggerId, content);
    else {
      shown = await messenger.pushModal(triggerId, content).catch((error: unknown) => {
        // Three modals are already open: the clicked one is replaced.
        if (error instanceof SlackError && error.code === 'push_limit_reached') return view.id;
        throw error;
      });
      if (shown === view.id) await messenger.updateModal(shown, content);
    }
  }

  const answer: Click['answer'] = async (message) => {
    try {
      await show(messageModal(pressed, message));
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      await direct(message);
    }
  };
  return {
    answer,
    async replace(message) {
      if (isHome) return answer(message);
      await messenger.updateModal(view.id, messageModal(title, message));
    },
    showLoading: () => show(loadingMessageModal(pressed)),
  };
}
