import type { BlockAction, MessageShortcut } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { ActedBy } from '../domain/audit.ts';
import { ChannelId, MemberId, WorkspaceId } from '../domain/terms.ts';
import { UserError } from '../errors.ts';
import { currentDelivery, type Logger } from '../logger.ts';
import {
  type ClickedModal,
  internalError,
  loadingMessageModal,
  type Message,
  messageModal,
  messageModalId,
  notice,
  triggerExpired,
  viewWithError,
} from './blocks.ts';
import type { Actor, Asker, Click, Opener, OpenView, Origin, Shortcut, Unchecked } from './feature.ts';
import { type IsRefused, withoutRefusedPictures } from './files.ts';
import type { Values } from './form-values.ts';
import type { Messenger } from './messenger.ts';
import { SlackError } from './slack-error.ts';

type MessengerOf = (workspace: WorkspaceId) => Messenger;

interface Place {
  readonly channel?: string | undefined;
  readonly responseUrl?: string | undefined;
}

/**
 * Returns the person who acted, and how to answer them.
 * @param sender.team the workspace in which they acted
 * @param sender.userTeam the person's own workspace; absent: the same
 */
export function actorOf(
  messengerOf: MessengerOf,
  {
    team,
    user,
    userTeam,
    how,
    channel,
    responseUrl,
  }: Place & {
    readonly team: string | undefined;
    readonly user: string;
    readonly userTeam?: string | undefined;
    readonly how: ActedBy;
  },
): Actor {
  const workspace = WorkspaceId.parse(team ?? '');
  const member = MemberId.parse(user);
  const who = { workspace, team: WorkspaceId.parse(userTeam || workspace), member, how };
  const at = { channel: ChannelId.optional().parse(channel), responseUrl: ownAddress(responseUrl, who) };
  return { ...who, answer: (message) => messengerOf(workspace).answer({ member, ...at }, message) };
}

/** Returns Slack's address for answers, unless it names another workspace than the bot's and the person's: nothing is said there. */
function ownAddress(url: string | undefined, { workspace, team }: Pick<Actor, 'workspace' | 'team'>) {
  const named = /\/(T[A-Z0-9]+)\//.exec(url ?? '')?.[1];
  return named === undefined || named === workspace || named === team ? url || undefined : undefined;
}

/** Who acted, as Slack describes them. */
interface Sender {
  readonly team?: { readonly id: string } | null | undefined;
  readonly user: { readonly id: string };
}

/**
 * Returns the person who acted in a message, a modal or a menu.
 * @param workspace the one whose bot was authorized: a payload may name that of the person instead, or none
 */
export function actorIn(
  messengerOf: MessengerOf,
  workspace: string | undefined,
  { team, user }: Sender,
  how: ActedBy,
  place: Place = {},
): Actor {
  // Slack reports a person's own workspace in addition to the one in which they acted.
  const { team_id: own } = user as { readonly team_id?: unknown };
  const userTeam = typeof own === 'string' ? own : team?.id;
  return actorOf(messengerOf, { team: workspace, user: user.id, userTeam, how, ...place });
}

/** Returns how an action opens a modal, and how its outcome is shown. @param isInModal whether a modal was clicked in */
export function openerOf(
  messenger: Messenger,
  { member, answer }: Pick<Actor, 'member' | 'answer'>,
  triggerId: string,
  origin: Origin = {},
  isInModal = false,
): Pick<Opener, 'open' | keyof Asker> {
  const open = isInModal ? messenger.pushModal : messenger.openModal;
  return { open: (view) => open(triggerId, view), ...askerOf(messenger, member, origin, answer) };
}

/**
 * Returns a click in the form that features use. In an overflow menu, the first word of the option's value names the
 * feature's entry.
 */
export function clickOf(
  messengerOf: MessengerOf,
  workspace: string | undefined,
  body: BlockAction,
  action: BlockAction['actions'][number],
): Unchecked<Click> {
  const channel = ChannelId.optional().parse(body.channel?.id);
  const ts = body.container.message_ts as string | undefined;
  const actor = actorIn(messengerOf, workspace, body, 'click', { channel, responseUrl: body.response_url });
  const messenger = messengerOf(actor.workspace);
  const responseUrl = ownAddress(body.response_url, actor);
  const view = body.view?.type === 'modal' ? body.view : undefined;
  const origin: Origin = {
    channel,
    responseUrl,
    ...(view === undefined
      ? {}
      : isAnsweredByModal(view)
        ? { modal: { id: view.id, title: view.title.text } }
        : { view: view.id }),
  };
  const answers: Partial<Click> = body.view
    ? answersIn(
        messenger,
        { view: body.view, triggerId: body.trigger_id, pressed: pressedText(action) },
        actor.answer,
      )
    : {};
  const value = chosenValue(action);
  const word = action.type === 'overflow' ? /^([a-z]+) /.exec(value)?.[1] : undefined;
  return {
    ...actor,
    id: `${body.user.id}-${action.action_ts}`,
    ts: action.action_ts,
    actionId: word === undefined ? action.action_id : `${action.action_id}.${word}`,
    blockId: action.block_id,
    value: word === undefined ? value : value.slice(word.length + 1),
    ...(channel ? { channel } : {}),
    ...(channel && ts ? { message: { channel, ts } } : {}),
    ...(body.view ? { view: openView(body.view) } : {}),
    async replace(message) {
      if (responseUrl) await messenger.replaceEphemeral(responseUrl, message);
    },
    ...answers,
    ...openerOf(messenger, { ...actor, ...answers }, body.trigger_id, origin, view !== undefined),
  };
}

/** Returns the text of the pressed button, or of the chosen menu option. */
function pressedText(action: BlockAction['actions'][number]): string {
  const { text, selected_option: option } = action as {
    text?: { text?: string };
    selected_option?: { text?: { text?: string } } | null;
  };
  return (text?.text ?? option?.text?.text)?.trim() || 'Proofdesk';
}

export function messageOf({
  channel,
  message,
  message_ts: ts,
}: MessageShortcut): NonNullable<Shortcut['message']> {
  const { blocks } = message as { readonly blocks?: unknown };
  return { channel: ChannelId.parse(channel.id), ts, blocks: Array.isArray(blocks) ? blocks : [] };
}

function chosenValue(action: BlockAction['actions'][number]): string {
  const state = action as {
    value?: string;
    selected_option?: { value?: string } | null;
    selected_date?: string | null;
  };
  const many = (action as { selected_options?: { value?: string }[] }).selected_options;
  return state.value ?? state.selected_option?.value ?? state.selected_date ?? many?.[0]?.value ?? '';
}

export function openView(view: {
  id: string;
  callback_id: string;
  private_metadata: string;
  hash: string;
  /** Absent when the modal has no inputs. */
  state?: { values: unknown };
}): OpenView {
  return {
    id: view.id,
    hash: view.hash,
    callbackId: view.callback_id,
    state: view.private_metadata,
    values: (view.state?.values ?? {}) as Values,
  };
}

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

/**
 * Updates a modal without the pictures that Slack refuses. Resolves to false when the person has closed it: then it is not
 * needed.
 */
export async function updateModalIfOpen(
  messenger: Messenger,
  viewId: string,
  make: (isRefused: IsRefused) => ModalView | Promise<ModalView>,
): Promise<boolean> {
  try {
    await withoutRefusedPictures(make, (view) => messenger.updateModal(viewId, view));
    return true;
  } catch (error) {
    if (isRefusedAs(error, 'not_found')) return false;
    throw error;
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
function isAnsweredByModal(view: ClickedView): boolean {
  return view.type === 'home' || view.callback_id === messageModalId;
}

/**
 * Returns how to answer a click in a view. In the home tab and in a modal that shows a message, the first answer opens a
 * modal, on top of the clicked one if there is one, and later ones update it. In any other modal, answers are shown above
 * it, so that nothing typed is lost, and a failure in the clicked modal itself, for longer than the trigger's 3 seconds. What
 * cannot be shown is sent as a direct message.
 * @param pressed the text of the button, which becomes the title
 */
function answersIn(
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
