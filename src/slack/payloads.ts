import type { BlockAction, MessageShortcut } from '@slack/bolt';
import type { ActedBy } from '../domain/audit.ts';
import { ChannelId, MemberId, WorkspaceId } from '../domain/terms.ts';
import { answersIn, askerOf, isAnsweredByModal } from './answers.ts';
import type { Message } from './blocks.ts';
import type { Actor, Asker, Click, Opener, OpenView, Origin, Shortcut, Unchecked } from './feature.ts';
import type { Values } from './form-values.ts';
import type { Address, Messenger } from './messenger.ts';

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
  const address: Address = { member, channel: ChannelId.optional().parse(channel), responseUrl };
  return {
    workspace,
    team: WorkspaceId.parse(userTeam || workspace),
    member,
    how,
    answer: (message: Message) => messengerOf(workspace).answer(address, message),
  };
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
  const click = plainClick(messengerOf, workspace, body, action);
  const word = action.type === 'overflow' ? /^([a-z]+) /.exec(click.value)?.[1] : undefined;
  if (word === undefined) return click;
  return { ...click, actionId: `${click.actionId}.${word}`, value: click.value.slice(word.length + 1) };
}

function plainClick(
  messengerOf: MessengerOf,
  workspace: string | undefined,
  body: BlockAction,
  action: BlockAction['actions'][number],
): Unchecked<Click> {
  const channel = ChannelId.optional().parse(body.channel?.id ?? body.container.channel_id);
  const ts = body.container.message_ts as string | undefined;
  const actor = actorIn(messengerOf, workspace, body, 'click', { channel, responseUrl: body.response_url });
  const messenger = messengerOf(actor.workspace);
  const view = body.view?.type === 'modal' ? body.view : undefined;
  const origin: Origin = {
    channel,
    responseUrl: body.response_url || undefined,
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
  return {
    ...actor,
    id: `${body.user.id}-${action.action_ts}`,
    ts: action.action_ts,
    actionId: action.action_id,
    blockId: action.block_id,
    value: chosenValue(action),
    values: (body.state?.values ?? {}) as Values,
    ...(channel ? { channel } : {}),
    ...(channel && ts ? { message: { channel, ts } } : {}),
    ...(body.view ? { view: openView(body.view) } : {}),
    async replace(message) {
      if (body.response_url) await messenger.replaceEphemeral(body.response_url, message);
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

/** Returns the message that a shortcut was chosen on. */
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

/** Returns a modal in the form that features use. */
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
