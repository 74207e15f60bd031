import type { ChannelId, MemberId } from '../../domain/terms.ts';
import { actions, button, context, type Message, section } from '../../slack/blocks.ts';
import { channelName, inline, plain, user } from '../../slack/mrkdwn.ts';
import { type ConnectResult, statusModal } from './accounts.view.ts';

/** A key's account, as far as it can be told from the marketplace's list of campaigns. */
export interface FoundAccount {
  /** Titles of all campaigns; absent if the marketplace accepted the key without listing them. */
  readonly titles?: readonly string[];
  /** Whether it is the workspace's shared account. */
  readonly isShared: boolean;
  /** Number of other members with a key of it. */
  readonly others: number;
}

/** Maximum number of campaigns named. */
const named = 3;

/** Returns which account was found, as sentences in mrkdwn. */
export function describeAccount({ titles, isShared, others }: FoundAccount): string {
  return `${whichAccount(titles)} ${whoUsesIt(isShared, others)}`;
}

function whichAccount(titles: readonly string[] | undefined): string {
  if (titles === undefined) {
    return 'The marketplace did not list the account’s campaigns, so Proofdesk cannot tell which account it is.';
  }
  if (titles.length === 0)
    return 'The account has no campaigns yet, so Proofdesk cannot tell which one it is.';
  const number = titles.length === 1 ? 'one campaign' : `${titles.length.toLocaleString('en')} campaigns`;
  return `The account has ${number}: ${listOf(titles)}.`;
}

function listOf(titles: readonly string[]): string {
  const rest = titles.length - named;
  const shown = titles.slice(0, named).map((title) => `*${inline(title, 80)}*`);
  return rest > 0 ? `${shown.join(', ')} and ${rest.toLocaleString('en')} more` : shown.join(', ');
}

function whoUsesIt(isShared: boolean, others: number): string {
  if (isShared) return 'It is this workspace’s shared account.';
  if (others === 0) return 'Nobody else here uses it.';
  return others === 1 ? 'One other member uses it, too.' : `${others} other members use it, too.`;
}

/** An account of this workspace whose campaigns a new key can see. */
export interface KnownAccount {
  readonly isShared: boolean;
  readonly owners: readonly MemberId[];
  /** Channels with its tasks. */
  readonly channels: readonly ChannelId[];
  /** Titles of the campaigns both can see. */
  readonly titles: readonly string[];
}

/** Returns the question whether a key replaces that of an account, for the modal and for a member who has closed it. */
export function sameAccountQuestion(known: KnownAccount): ConnectResult & { readonly message: Message } {
  const { titles } = known;
  const campaigns = titles.length === 1 ? 'campaign' : 'campaigns';
  const sentence = `This key sees the same ${campaigns} as ${nameOf(known)}: ${listOf(titles)}. Use it as its new key?`;
  const blocks = [
    section(sentence),
    context(
      'As its new key, cards, decisions and subscriptions go on as before. As another account, all its tasks are posted a second time.',
    ),
    actions('same-account', [
      button('Use as its new key', 'account.continue', 'continue', { style: 'primary' }),
      button('Connect as another account', 'account.separate', 'separate'),
    ]),
  ];
  return { view: statusModal(blocks), sentence, message: { text: plain(sentence), blocks } };
}

function nameOf({ isShared, owners, channels }: KnownAccount): string {
  const people = owners.slice(0, named).map(user).join(', ');
  const account = isShared
    ? 'this workspace’s shared account'
    : `the account${people === '' ? '' : ` of ${people}`}`;
  if (channels.length === 0) return account;
  const where = channels.slice(0, named).map(channelName).join(', ');
  return `${account} whose tasks are posted in ${where}`;
}

export const questionExpired = 'This question has expired. Type `/proofdesk connect` to enter the key again.';

/** Returns the notice to a channel that its account continues with another key. */
export function sharedKeyReplaced(titles: readonly string[]): Message {
  const text = `:key: MARKETPLACE_API_KEY is a new key of the same account (${listOf(titles)}). Cards, decisions and subscriptions continue with it.`;
  return { text: plain(text), blocks: [section(text)] };
}
