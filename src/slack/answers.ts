import type { ModalView } from '@slack/types';
import type { MemberId } from '../domain/terms.ts';
import { UserError } from '../errors.ts';
import { currentDelivery, type Logger } from '../logger.ts';
import { type Message, notice } from './blocks.ts';
import type { Actor, Asker, Click, Origin } from './feature.ts';
import { type IsRefused, withoutRefusedPictures } from './files.ts';
import {
  type ClickedModal,
  internalError,
  loadingMessageModal,
  messageModal,
  messageModalId,
  triggerExpired,
  viewWithError,
} from './message-modal.view.ts';
import type { Messenger } from './messenger.ts';
import { SlackError } from './slack-error.ts';

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
    if (!isRefusedAs(error, 'not_found')) throw error;
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

type ClickedView = ClickedModal & { readonly id: string; readonly type: string; readonly hash: string };

/** Returns whether a click in a view is answered by a modal: in the home tab, and in modals that show a message. */
export function isAnsweredByModal(view: ClickedView): boolean {
  return view.type === 'home' || view.callback_id === messageModalId;
}

/**
 * Returns how to answer a click in a view. In the home tab and in a modal that shows a message, the first answer opens a
 * modal, on top of the clicked one if there is one, and later ones update it. In any other modal, answers are shown above
 * it, so that nothing typed is lost, and a failure in the clicked modal itself, for longer than the trigger's 3 seconds. What
 * cannot be shown is sent as a direct message.
 * @param pressed the text of the button, which becomes the title
 */
export function answersIn(
  messenger: Messenger,
  { view, triggerId, pressed }: { view: ClickedView; triggerId: string; pressed: string },
  direct: Click['answer'],
): Pick<Click, 'answer'> & Partial<Pick<Click, 'fail' | 'replace' | 'showLoading'>> {
  const orDirect =
    (show: (message: Message) => Promise<unknown>): Click['answer'] =>
    async (message) => {
      if (!(await succeeds(show(message)))) await direct(message);
    };
  if (!isAnsweredByModal(view)) {
    return {
      answer: orDirect((message) => messenger.pushModal(triggerId, messageModal(pressed, message))),
      fail: orDirect((message) => messenger.updateModal(view.id, viewWithError(view, message), view.hash)),
    };
  }
  const isHome = view.type === 'home';
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

  const answer = orDirect((message) => show(messageModal(pressed, message)));
  return {
    answer,
    async replace(message) {
      if (isHome) return answer(message);
      await messenger.updateModal(view.id, messageModal(view.title?.text ?? pressed, message));
    },
    showLoading: () => show(loadingMessageModal(pressed)),
  };
}

/** Dependencies of the error boundary. */
export interface ErrorBoundary {
  /** Returns the message to people about an error that they can fix; undefined for a bug. */
  readonly explain: (error: unknown) => Message | undefined;
  readonly logger: Logger;
}

/** Runs a person's action. When it fails, answers them privately with what to do about it. */
export async function withErrorBoundary<T>(
  boundary: ErrorBoundary,
  actor: Actor,
  what: string,
  run: () => Promise<T>,
): Promise<T | undefined> {
  return reportFailure(boundary, what, run, async (message) => {
    await actor.answer(message).catch((failure: unknown) => {
      boundary.logger.warn({ err: failure, what }, 'error answer not sent');
    });
  });
}

/** Runs something. When it fails, passes the message to people to `report`. A bug is logged, and they are told the id of the delivery. */
export async function reportFailure<T>(
  { explain, logger }: ErrorBoundary,
  what: string,
  run: () => Promise<T>,
  report: (message: Message) => Promise<void> | void,
): Promise<T | undefined> {
  logger.debug({ what }, 'interaction received');
  try {
    return await run();
  } catch (error) {
    // The same click was delivered twice: the other delivery has opened the modal.
    if (isRefusedAs(error, 'exchanged_trigger_id')) return undefined;
    await report(messageFor(error) ?? explain(error) ?? logged(error));
    return undefined;
  }

  function logged(error: unknown): Message {
    logger.error({ err: error, what }, 'interaction failed');
    return notice(internalError(currentDelivery() ?? ''));
  }

  function messageFor(error: unknown): Message | undefined {
    if (error instanceof UserError) return notice(error.message);
    if (!isRefusedAs(error, 'expired_trigger_id')) return undefined;
    logger.info({ what }, 'trigger expired');
    return notice(triggerExpired);
  }
}

function isRefusedAs(error: unknown, code: string): boolean {
  return error instanceof SlackError && error.code === code;
}
