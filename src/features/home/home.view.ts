import type { HomeView, KnownBlock } from '@slack/types';
import { type ApprovalRequest, subjectOf } from '../../domain/approval.ts';
import type { AccountId, ChannelId } from '../../domain/terms.ts';
import { actions, button, confirmation, context, plainText, section } from '../../slack/blocks.ts';
import { date, inline } from '../../slack/mrkdwn.ts';
import type { AssignedTask } from '../../store/assignments.ts';
import { counted, lostText, number } from '../../ui/words.ts';
import { bulkButton } from '../bulk/public.ts';
import { deskButtons } from '../desk/public.ts';
import { mineButton } from '../focus/public.ts';
import { approvalButtons, connectButton, requestText } from '../people/public.ts';
import { type Board, boardBlocks, campaignBlocks, decisionBlocks, type LastDecisions } from './board.view.ts';

/** Value of buttons that need none: Slack rejects empty values. */
const none = 'none';

/** A problem only people can fix. */
export type NeedsAttention = { readonly since: number } & (
  | {
      readonly kind: 'channel';
      readonly channel: ChannelId;
      /** Slack's error. */
      readonly code: string;
      /** Where its tasks continue, and whether some of them wait instead. */
      readonly to: readonly ChannelId[];
      readonly isWaiting: boolean;
    }
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'results'; readonly campaignTitle: string }
  | { readonly kind: 'memory' }
);

/** An account's data in the home tab. */
export interface AccountSummary {
  readonly account: AccountId;
  readonly name: string;
  /** Whether the member has their own key; otherwise they act for the workspace's shared account, or by a role. */
  readonly isOwn: boolean;
  /** Waiting work; absent if the account is not polled, so that nothing is known. */
  readonly board?: Board | undefined;
  /** Number of unread inbox messages. */
  readonly unread?: number;
  /** The member's role in words, such as `a reviewer`. */
  readonly role?: string | undefined;
  /** Whether they may rate, and so use saved reasons. */
  readonly mayRate?: boolean;
  /** Whether there is a desk. */
  readonly hasDesk?: boolean;
  /** The tasks that they have taken or been assigned, in the order in which they are due; none if they may not decide. */
  readonly mine?: readonly AssignedTask[];
  /** Their last decisions; absent if they may not decide. */
  readonly decisions?: LastDecisions | undefined;
  readonly mayChangeSettings?: boolean;
  /** The requests this person may approve. */
  readonly approvals?: readonly ApprovalRequest[];
  /** Problems only people can fix; the section is absent if there are none. */
  readonly needsAttention?: readonly NeedsAttention[];
}

/** Renders the home tab. @param account absent: the member is not connected */
export function homeView(account: AccountSummary | undefined, renderedAt: number): HomeView {
  const blocks = account === undefined ? notConnected() : connected(account);
  return {
    type: 'home',
    blocks: [...blocks, context(`As of ${date(renderedAt)}. Open this tab again to refresh it.`)],
  };
}

function notConnected(): KnownBlock[] {
  return [
    heading(),
    section(
      'You are not connected to a marketplace account. Connect with its API key to see its campaigns, review its tasks and read its messages.',
    ),
    actions('home.account', [connectButton({ style: 'primary' }), helpButton()]),
  ];
}

function connected(summary: AccountSummary): KnownBlock[] {
  const {
    account,
    name,
    isOwn,
    board,
    unread = 0,
    role,
    mayRate = false,
    hasDesk,
    mine = [],
    decisions,
    mayChangeSettings = false,
    approvals = [],
    needsAttention = [],
  } = summary;
  const whose = isOwn
    ? `You are connected to *${inline(name, 80)}* with your own API key.`
    : `You act for *${inline(name, 80)}*. Connect with your own API key to act for another account.`;
  return [
    heading(),
    ...(mayRate
      ? [
          actions('home.review', [
            button(reviewLabel(board), 'focus.start', none, { style: 'primary' }),
            bulkButton({}),
            ...deskButtons(hasDesk),
          ]),
        ]
      : []),
    ...listed('Needs attention', needsAttention, (one) => [attentionLine(one)]),
    ...listed('Waiting for your approval', approvals, (one) => approvalBlocks(account, one)),
    ...(board === undefined ? [section(noTasksYet)] : boardBlocks(board)),
    ...mineBlocks(account, mine),
    ...(board === undefined ? [] : campaignBlocks(board)),
    actions('home.work', [
      button('All campaigns', 'campaign.list', none),
      button('Create a campaign', 'campaign.new', none),
      button(unread === 0 ? 'Inbox' : `Inbox (${number(unread)} unread)`, 'inbox.open', none),
      ...(mayRate ? [button('Saved reasons', 'reasons.open', none)] : []),
      ...(board === undefined
        ? []
        : [button(`Subscriptions (${number(board.subscriptions)})`, 'subscriptions.open', none)]),
    ]),
    ...(decisions === undefined ? [] : decisionBlocks(account, decisions)),
    { type: 'divider' },
    section(role === undefined ? whose : `${whose} You are ${role}.`),
    actions('home.account', [
      ...(mayChangeSettings ? [button('Settings', 'rights.settings', none)] : []),
      isOwn ? disconnectButton() : connectButton({}),
      helpButton(),
    ]),
  ];
}

/** Returns the label of the review button: the waiting tasks, and how many are due today. */
function reviewLabel(board: AccountSummary['board']): string {
  if (board === undefined || board.waiting === 0) return 'Start review';
  const due = board.dueToday === 0 ? '' : `, ${number(board.dueToday)} due today`;
  return `Start review (${number(board.waiting)} waiting${due})`;
}

/** Maximum number of listed requests, two blocks each, and of problems, for readability. */
const maxListed = 10;

/** Returns a part of the tab that lists something; nothing if there is none of it. */
function listed<T>(
  title: string,
  all: readonly T[],
  blocksOf: (one: T) => readonly KnownBlock[],
): KnownBlock[] {
  if (all.length === 0) return [];
  const more = all.length - maxListed;
  return [
    section(`*${title}*`),
    ...all.slice(0, maxListed).flatMap(blocksOf),
    ...(more > 0 ? [context(`And ${number(more)} more.`)] : []),
    { type: 'divider' },
  ];
}

function approvalBlocks(account: AccountId, request: ApprovalRequest): KnownBlock[] {
  const subject = subjectOf(request.act);
  return [
    section(`${requestText(request)} Expires ${date(request.until)}.`),
    actions(`home.approval/${request.id}`, approvalButtons(account, subject, request)),
  ];
}

function heading(): KnownBlock {
  return { type: 'header', text: plainText('Reviewing', 150) };
}

const noTasksYet =
  'No tasks of this account are here yet. They come with the first look at the marketplace, once a channel is subscribed: `/proofdesk subscribe`.';

function disconnectButton() {
  return button('Disconnect', 'account.disconnect', none, {
    confirm: confirmation({
      title: 'Disconnect?',
      text: 'This deletes your API key here. To act for its account again, connect with it again. Unfinished forms stay for a day.',
      confirm: 'Disconnect',
      deny: 'Stay connected',
    }),
  });
}

function helpButton() {
  return button('Help', 'home.help', none);
}

function attentionLine(one: NeedsAttention): KnownBlock {
  const text = `:warning: Since ${date(one.since)}: ${attentionText(one)}`;
  return section(text, one.kind === 'key' ? { accessory: connectButton({}) } : {});
}

function attentionText(one: NeedsAttention): string {
  switch (one.kind) {
    case 'key':
      return `the marketplace no longer accepts the API key of *${inline(one.name, 80)}*. Nothing is lost. Connect with a new key.`;
    case 'results':
      return `the results of *${inline(one.campaignTitle)}* cannot be read completely, so tasks may be missing here. Look at them at the marketplace; if this continues, tell your operator.`;
    case 'memory':
      return 'Proofdesk’s storage is almost full, so new tasks wait at the marketplace. You can still rate the tasks that are here. Tell your operator to give Redis more memory; new tasks then arrive automatically.';
    case 'channel':
      return lostText(one.channel, one.code, one.to, one.isWaiting);
  }
}

/** Renders a member's own tasks; nothing if they have none. */
function mineBlocks(account: AccountId, mine: readonly AssignedTask[]): KnownBlock[] {
  const [first] = mine;
  if (first === undefined) return [];
  const many = `*${counted(mine.length, 'task')}* ${mine.length === 1 ? 'is' : 'are'} assigned to you`;
  const due =
    first.dueAt === undefined ? '' : `, ${mine.length === 1 ? '' : 'the first '}due ${date(first.dueAt)}`;
  return [section(`${many}${due}.`), actions('home.mine', [mineButton(account)])];
}
