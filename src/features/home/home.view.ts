import type { HomeView, KnownBlock } from '@slack/types';
import { type ApprovalRequest, subjectOf } from '../../domain/approval.ts';
import type { AccountId } from '../../domain/terms.ts';
import { actions, button, confirmation, context, plainText, section } from '../../slack/blocks.ts';
import { date, inline } from '../../slack/mrkdwn.ts';
import { approvalButtons, requestText } from '../../ui/approval.view.ts';
import { counted, number } from '../../ui/words.ts';
import { connectButton } from '../accounts/public.ts';
import { bulkButton } from '../bulk/public.ts';
import { startAction } from '../focus/public.ts';
import { attentionBlocks, type NeedsAttention } from './attention.view.ts';
import { type Board, boardBlocks } from './board.view.ts';
import { campaignBlocks } from './campaigns.view.ts';
import { type DecisionPage, decisionBlocks } from './decisions.view.ts';
import { type MineSummary, mineBlocks } from './mine.view.ts';

/** The action id of the button that shows help. */
export const helpAction = 'home.help';

/** The action id of the button that opens the saved reasons. */
export const openReasonsAction = 'reasons.open';

/** Value of buttons that need none: Slack rejects empty values. */
const none = 'none';

/** An account's data in the home tab. */
export interface AccountSummary {
  readonly name: string;
  /** Whether the member has their own key; otherwise they act for the workspace's shared account, or by a role. */
  readonly isOwn: boolean;
  /** Waiting work from the store, if the account is polled. */
  readonly board?: Board;
  /** Waiting tasks of an account that is not polled; absent if the marketplace did not answer. */
  readonly waiting?: {
    readonly tasks: number;
    readonly campaigns: number;
    /** When this was last read (ms), if the marketplace does not answer now. */
    readonly lastSeen?: number;
  };
  /** Number of unread inbox messages, if no channel receives them. */
  readonly unread?: number;
  /** Why the marketplace did not answer, in mrkdwn. */
  readonly problem?: string;
  /** The member's role in words, such as `a reviewer`. */
  readonly role?: string;
  /** Whether they may rate, and so use saved reasons. */
  readonly mayRate?: boolean;
  /** Their own tasks; absent if they may not decide. */
  readonly mine?: MineSummary;
  /** Their last decisions; absent if they may not decide. */
  readonly decisions?: DecisionPage;
  /** Who has which role, in mrkdwn; absent for those who may not change roles. */
  readonly roles?: string;
  /** The requests this person may approve, with their accounts. */
  readonly approvals?: readonly { readonly account: AccountId; readonly request: ApprovalRequest }[];
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
    name,
    isOwn,
    board,
    waiting,
    problem,
    role,
    mayRate = false,
    mine,
    decisions,
    roles,
    approvals = [],
    needsAttention = [],
  } = summary;
  const whose = isOwn
    ? `You are connected to *${inline(name, 80)}* with your own API key.`
    : `You act for *${inline(name, 80)}*. Connect with your own API key to act for another account.`;
  const account = role === undefined ? whose : `${whose} You are ${role}.`;
  return [
    heading(),
    ...(mayRate
      ? [
          actions('home.review', [
            button(reviewLabel(board), startAction, none, { style: 'primary' }),
            bulkButton({}),
          ]),
        ]
      : []),
    ...attentionBlocks(needsAttention),
    ...approvalBlocks(approvals),
    ...unreadBlocks(summary.unread),
    ...(board === undefined ? [] : boardBlocks(board)),
    ...(waiting === undefined && problem === undefined
      ? []
      : [section(waiting === undefined ? (problem ?? '') : waitingLine(waiting))]),
    ...(waiting?.lastSeen === undefined
      ? []
      : [context(`The marketplace cannot be reached right now, so this is from ${date(waiting.lastSeen)}.`)]),
    ...(mine === undefined ? [] : mineBlocks(mine)),
    ...(board === undefined ? [] : campaignBlocks(board)),
    actions('home.work', [
      button('All campaigns', 'campaign.list', none),
      button('Create a campaign', 'campaign.new', none),
      // The unread messages already have that button.
      ...(summary.unread ? [] : [button('Inbox', 'inbox.open', none)]),
      ...(mayRate ? [button('Saved reasons', openReasonsAction, none)] : []),
      ...(board === undefined ? [] : [button(subscriptionsLabel(board), 'subscriptions.open', none)]),
    ]),
    ...(decisions === undefined ? [] : decisionBlocks(decisions)),
    { type: 'divider' },
    section(account),
    ...(roles === undefined ? [] : [section(roles)]),
    actions('home.account', [
      ...(roles === undefined ? [] : [button('Settings', 'rights.settings', none)]),
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

function subscriptionsLabel({ subscriptions }: Pick<Board, 'subscriptions'>): string {
  return `Subscriptions (${number(subscriptions)})`;
}

/** Maximum number of listed requests: two blocks each. */
const maxApprovals = 10;

/** Returns the requests waiting for this person's approval, with buttons. */
function approvalBlocks(approvals: NonNullable<AccountSummary['approvals']>): KnownBlock[] {
  if (approvals.length === 0) return [];
  const more = approvals.length - maxApprovals;
  return [
    section('*Waiting for your approval*'),
    ...approvals.slice(0, maxApprovals).flatMap(({ account, request }) => {
      const subject = subjectOf(request.act);
      return [
        section(`${requestText(request)} It ends ${date(request.until)}.`),
        actions(`home.approval/${request.id}`, approvalButtons(account, subject, request)),
      ];
    }),
    ...(more > 0 ? [context(`And ${number(more)} more.`)] : []),
    { type: 'divider' },
  ];
}

function heading(): KnownBlock {
  return { type: 'header', text: plainText('Reviewing', 150) };
}

function waitingLine({ tasks, campaigns }: NonNullable<AccountSummary['waiting']>): string {
  if (tasks === 0) return 'No tasks are waiting for review.';
  const many = `*${counted(tasks, 'task')}* ${tasks === 1 ? 'waits' : 'wait'}`;
  const where = campaigns === 1 ? 'in one campaign' : `in ${number(campaigns)} campaigns`;
  return `${many} for review ${where}.`;
}

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
  return button('Help', helpAction, none);
}

/** Opens the inbox; see src/features/inbox/index.ts. */
const openInbox = 'inbox.open';

/** Returns the unread count of the inbox with a button that opens it; nothing where a channel receives the messages. */
function unreadBlocks(unread: number | undefined): KnownBlock[] {
  if (unread === undefined || unread === 0) return [];
  const messages = unread === 1 ? '*1 inbox message* is' : `*${number(unread)} inbox messages* are`;
  return [
    section(`${messages} unread.`, {
      block_id: 'home.unread',
      accessory: button('Open inbox', openInbox, 'none'),
    }),
  ];
}
