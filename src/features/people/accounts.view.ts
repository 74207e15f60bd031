import type { Button, InputBlock, ModalView } from '@slack/types';
import { AccountId, longestAccountName, sharedAccountName } from '../../domain/terms.ts';
import {
  actions,
  context,
  input,
  limits,
  type Message,
  modal,
  notice,
  option,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { chosen, typed, type Values } from '../../slack/form-values.ts';
import { inline } from '../../slack/mrkdwn.ts';
import { connectButton } from './public.ts';

/**
 * Returns the answer to an action that needs a key.
 * @param ask a button that asks the owners for a role
 * @param pendingAction resumed once they are connected; absent: they try again themselves
 */
export function connectPrompt(pendingAction?: string, ask?: Button): Message {
  const next = pendingAction === undefined ? 'then try again' : 'and your click will go through';
  const orAsk = ask === undefined ? '' : ', or ask its owners for a role';
  const text = `You’re not connected to this marketplace account. Connect with its API key, ${next}${orAsk}.`;
  return notice(
    text,
    actions('connect', [connectButton({ style: 'primary' }, pendingAction), ...(ask ? [ask] : [])]),
  );
}

/** An account that a key may be for. */
interface KnownAccount {
  readonly account: AccountId;
  readonly name: string;
  /** Whether the member owns it, and so may replace its keys. */
  readonly isOwner: boolean;
}

/** What a key is for: an account of its own, or one that is known, as the member's own key or in place of another. */
export type AccountChoice =
  | { readonly kind: 'new'; readonly name: string }
  | { readonly kind: 'own' | 'replace'; readonly account: AccountId };

/**
 * Returns the modal that takes an API key.
 * @param pendingAction resumed afterwards, or ''
 * @param known the accounts of this workspace, the most likely one first
 */
export function connectModal(pendingAction: string, known: readonly KnownAccount[] = []): ModalView {
  return modal({
    callbackId: 'account.connect',
    title: 'Connect your account',
    submit: 'Connect',
    state: pendingAction,
    blocks: [
      section(
        'Enter the API key of your marketplace account. It’s checked, stored encrypted, and never shown again.',
      ),
      input('key', 'API key', {
        type: 'plain_text_input',
        max_length: 500,
        focus_on_load: true,
        placeholder: plainText('Your API key'),
      }),
      ...(known.length === 0 ? [] : [accountInput(known)]),
      input(
        'name',
        known.length === 0 ? 'Name' : 'Name of the new account',
        {
          type: 'plain_text_input',
          max_length: longestAccountName,
          ...(known.length === 0 ? { initial_value: sharedAccountName } : {}),
        },
        { isOptional: known.length > 0, hint: 'This is what the account is called in Slack.' },
      ),
      context('Everyone connected to an account shares its tasks, cards and decisions.'),
    ],
  });
}

/** Returns the question what a key is for; at first, it is the member's own for the first account. */
function accountInput(known: readonly KnownAccount[]): InputBlock {
  const forKnown = known.flatMap(({ account, name, isOwner }) => [
    option(`My own key for ${name}`, `own ${account}`),
    ...(isOwner ? [option(`Replace a key of ${name}`, `replace ${account}`)] : []),
  ]);
  const options = [...forKnown.slice(0, limits.options - 1), option('A new account', 'new')] as const;
  return input('account', 'What is this key for?', {
    type: 'static_select',
    options: [...options],
    initial_option: options[0],
  });
}

/** Returns what was chosen in {@link connectModal}. */
export function accountChosen(values: Values): AccountChoice {
  const [kind, account = ''] = chosen(values, 'account')?.split(' ') ?? [];
  return kind === 'own' || kind === 'replace'
    ? { kind, account: AccountId.parse(account) }
    : { kind: 'new', name: typed(values, 'name') };
}

export const wrongKey = 'The marketplace rejected this key. Copy it again, then type `/proofdesk connect`.';

export const keyMissing = 'Enter the API key.';
export const keyMalformed = 'API keys have no spaces or line breaks. Copy only the key.';
export const nameMissing = 'Give the new account a name.';

export const alreadyNamed = (name: string): string =>
  `There is already an account called ${bold(name)}. Type \`/proofdesk connect\` to choose it, or another name.`;
export const keyOfOther = (name: string, chosenName: string): string =>
  `This key belongs to ${bold(name)}, not to ${bold(chosenName)}.`;
export const listsNoCampaign = (name: string): string =>
  `This key doesn’t show any campaign of ${bold(name)}. If it belongs to another account, choose _A new account_.`;
export const onlyOwnersAdd = (name: string): string =>
  `${bold(name)} has no campaigns yet to check the key against, so only its owners can add one.`;
export const onlyOwnersReplace = (name: string): string =>
  `Only owners of ${bold(name)} can replace its keys.`;

export const checking = 'Checking the key with the marketplace…';

export const connectedTo = (name: string): string => `You are connected to ${bold(name)}.`;

export const keyReplaced = (name: string): string =>
  `The key of ${bold(name)} was replaced. Its cards, decisions and subscriptions stay.`;

function bold(text: string): string {
  return `*${inline(text, 80)}*`;
}

/** Returns that a key was taken. @param account what it is used for, in mrkdwn @param next what happens now */
export const connected = (account: string, next: string): string =>
  `:white_check_mark: ${account} ${next}`.trimEnd();

/** Returns that a key was not taken. @param why mrkdwn */
export const notConnected = (why: string): string => `:warning: ${why} The key wasn’t stored.`;

export const nextSteps =
  'Subscribe a channel to this account with `/proofdesk subscribe`, or see its campaigns with `/campaign`.';
export const decisionOnItsWay = 'Your decision is on its way.';
export const formClosed = 'You closed the form, so the task wasn’t rated. Click the card again.';
export const nothingDecided = 'The task wasn’t rated. A message in the channel says why.';
export const otherAccount =
  'The card you clicked belongs to a different account, so nothing was decided. To rate it, connect with that account’s key.';

/** Returns the modal in place of the form. @param text mrkdwn */
export function statusModal(text: string): ModalView {
  return modal({ callbackId: 'account.connected', title: 'Connect your account', blocks: [section(text)] });
}

/** Returns the answer after disconnecting. @param isLastKey whether nobody else holds a key of the account */
export function disconnected(isLastKey: boolean): string {
  const channels = isLastKey
    ? ' Nobody else here has a key for that account, so its channels get no new tasks until someone connects.'
    : '';
  return `Your API key was deleted. Unfinished forms are kept for a day; connect again to finish them. Your decisions stay in the account’s history.${channels}`;
}

export const noOwnKey = 'You’re not connected with a key of your own, so there was nothing to delete.';
