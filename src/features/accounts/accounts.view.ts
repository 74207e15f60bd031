import type { ModalView } from '@slack/types';
import {
  actions,
  button,
  context,
  input,
  type Message,
  modal,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { plain } from '../../slack/mrkdwn.ts';

/** What the Connect button hands back when there is nothing to carry out: a button's value cannot be empty. */
const noIntent = 'none';

/**
 * To somebody without a key for what they want to do.
 * @param intent what they meant to do, carried out once they are connected; absent: they do it again themselves
 */
export function connectPrompt(intent?: string): Message {
  const then =
    intent === undefined ? 'then do this again.' : 'what you meant to do is carried out as soon as you are.';
  const text = `You are not connected to this marketplace account yet, so nothing was done. Connect with its API key; ${then}`;
  return {
    text: plain(text),
    blocks: [
      section(text),
      actions('connect', [button('Connect', 'account.connect', intent ?? noIntent, { style: 'primary' })]),
    ],
  };
}

/** The state for {@link connectModal} from the value of a Connect button. */
export function intentOf(value: string): string {
  return value === noIntent ? '' : value;
}

/** The modal that takes an API key. `state`: what to do afterwards. */
export function connectModal(state: string): ModalView {
  return modal({
    callbackId: 'account.connect',
    title: 'Connect your account',
    submit: 'Connect',
    state,
    blocks: [
      section(
        'Enter the API key of your marketplace account. It is checked first, then kept encrypted, and never shown again.',
      ),
      input('key', 'API key', {
        type: 'plain_text_input',
        max_length: 500,
        focus_on_load: true,
        placeholder: plainText('Your API key'),
      }),
      context('Members who enter the same key share one account: its tasks, cards and decisions.'),
    ],
  });
}

/** The marketplace does not know the key. */
export const wrongKey =
  'The marketplace does not accept this key. Copy it again, then type `/proofdesk connect`.';

export const keyMissing = 'Enter the API key.';
export const keyShape = 'An API key has no spaces or line breaks. Copy it again, without anything around it.';

export function checkingModal(): ModalView {
  return closing('Checking the key with the marketplace…');
}

/** What came of connecting: the modal that says it, and the same for who has closed the modal. */
export interface Connected {
  readonly view: ModalView;
  /** mrkdwn */
  readonly sentence: string;
}

/**
 * The key was accepted.
 * @param next a sentence on what happens now
 * @param view what the modal shows instead, such as the form of the decision that was meant
 */
export function connected(next: string, view?: ModalView): Connected {
  const sentence = `:white_check_mark: You are connected. ${next}`;
  return { view: view ?? closing(sentence), sentence };
}

export const whatNext =
  'Subscribe a channel to this account with `/proofdesk subscribe`, or look at its campaigns with `/campaign`.';
export const onItsWay = 'Your decision is on its way.';
export const formClosed = 'Nothing was decided, since its form was closed: click the card again.';
export const nothingSent = 'Nothing was decided: see the message in the channel.';
export const otherAccount =
  'This key is for another account than the card you clicked, so nothing was decided. To act on that card, connect with its account’s key.';

/** The key was not kept. @param why mrkdwn */
export function notConnected(why: string): Connected {
  const sentence = `:warning: You are not connected. ${why} The key was not kept.`;
  return { view: closing(sentence), sentence };
}

function closing(text: string): ModalView {
  return modal({ callbackId: 'account.connected', title: 'Connect your account', blocks: [section(text)] });
}

export function disconnected(left: boolean, shared: boolean): string {
  const now = shared ? ' You act for this workspace’s shared account now.' : '';
  const looks = left
    ? ' Nobody here holds a key of that account any more, so its channels get no new tasks until somebody connects again.'
    : '';
  return `Your key is forgotten.${now}${looks}`;
}

export const wasNotConnected = 'You had not connected with a key of your own: there is nothing to forget.';
