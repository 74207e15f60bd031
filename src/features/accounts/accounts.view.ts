import type { Button, KnownBlock, ModalView } from '@slack/types';
import { actions, context, input, type Message, modal, plainText, section } from '../../slack/blocks.ts';
import { plain } from '../../slack/mrkdwn.ts';
import { connectButton } from '../shared/connect-button.ts';

/**
 * Returns the answer to an action that needs a key.
 * @param ask a button that asks the owners for a role
 * @param pendingAction resumed once they are connected; absent: they try again themselves
 */
export function connectPrompt(pendingAction?: string, ask?: Button): Message {
  const next = pendingAction === undefined ? 'then try again.' : 'and your click will be carried out.';
  const orAsk = ask === undefined ? '' : ' Or ask its owners for a role.';
  const text = `You are not connected to this marketplace account, so nothing was done. Connect with its API key, ${next}${orAsk}`;
  return {
    text: plain(text),
    blocks: [
      section(text),
      actions('connect', [connectButton({ style: 'primary' }, pendingAction), ...(ask ? [ask] : [])]),
    ],
  };
}

/** Returns the modal that takes an API key. @param pendingAction resumed afterwards, or '' */
export function connectModal(pendingAction: string): ModalView {
  return modal({
    callbackId: 'account.connect',
    title: 'Connect your account',
    submit: 'Connect',
    state: pendingAction,
    blocks: [
      section(
        'Enter the API key of your marketplace account. It is checked first, then stored encrypted, and never shown again.',
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

export const wrongKey =
  'The marketplace does not accept this key. Copy it again, then type `/proofdesk connect`.';

export const keyMissing = 'Enter the API key.';
export const keyMalformed =
  'An API key has no spaces or line breaks. Copy it again, without anything around it.';

export function checkingModal(): ModalView {
  return statusModal([section('Checking the key with the marketplace…')]);
}

/** Outcome of connecting: the modal's content, and a sentence for a member who has closed it. */
export interface ConnectResult {
  readonly view: ModalView;
  /** mrkdwn */
  readonly sentence: string;
}

/**
 * Returns the result for an accepted key.
 * @param account the identified account, in mrkdwn
 * @param next a sentence on what happens now
 * @param view shown in the modal instead, such as the form of the pending decision
 */
export function connected(account: string, next: string, view?: ModalView): ConnectResult {
  const sentence = `:white_check_mark: You are connected. ${account} ${next}`;
  return { view: view ?? statusModal([section(sentence)], 'Connected'), sentence };
}

export const nextSteps =
  'Subscribe a channel to this account with `/proofdesk subscribe`, or see its campaigns with `/campaign`.';
export const decisionOnItsWay = 'Your decision is on its way.';
export const formClosed = 'Nothing was decided, because the form was closed. Click the card again.';
export const nothingDecided = 'The task was not rated: a message in the channel says why.';
export const otherAccount =
  'This key belongs to a different account than the card you clicked, so nothing was decided. To act on that card, connect with its account’s key.';

/** Returns the result for a rejected key. @param why mrkdwn */
export function notConnected(why: string): ConnectResult {
  const sentence = `:warning: You are not connected. ${why} The key was not stored.`;
  return { view: statusModal([section(sentence)]), sentence };
}

/** Returns a modal without inputs. */
export function statusModal(blocks: KnownBlock[], title = 'Connect your account'): ModalView {
  return modal({ callbackId: 'account.connected', title, blocks });
}

/**
 * Returns the answer after disconnecting.
 * @param isLastKey whether nobody else holds a key of the account
 * @param hasSharedAccount whether they now act for the workspace's shared account
 */
export function disconnected({
  isLastKey,
  hasSharedAccount,
}: {
  readonly isLastKey: boolean;
  readonly hasSharedAccount: boolean;
}): string {
  const now = hasSharedAccount ? ' You now act for this workspace’s shared account.' : '';
  const channels = isLastKey
    ? ' Nobody here has a key for that account now, so its channels get no new tasks until somebody connects again.'
    : '';
  return `Your API key is deleted. What you typed into unfinished forms stays for a day: connect again to finish them. Your decisions stay in the account’s history.${now}${channels}`;
}

export const noOwnKey = 'You are not connected with an API key of your own, so there was nothing to delete.';
