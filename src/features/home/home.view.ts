import type { HomeView, KnownBlock } from '@slack/types';
import { actions, button, context, plainText, section } from '../../slack/blocks.ts';
import { date } from '../../slack/mrkdwn.ts';

/** The click that sends help. */
export const showHelp = 'home.help';

/** A button's value cannot be empty. For Connect it says that nothing is to be carried out afterwards. */
const none = 'none';

/** How an account stands. */
export interface Standing {
  /** Whether the person holds a key of their own; otherwise they act for the workspace's shared account. */
  readonly isOwn: boolean;
  /** What waits for review, in how many campaigns; absent when that could not be found out. */
  readonly waiting?: {
    readonly tasks: number;
    readonly campaigns: number;
    /** When the oldest was handed in (ms), as far as known here. */
    readonly oldest?: number;
    /** The marketplace did not answer: this is as seen then (ms). */
    readonly lastSeen?: number;
  };
  /** Why not, in mrkdwn. */
  readonly problem?: string;
}

/** The app's home. @param standing absent: the person is not connected */
export function homeView(standing: Standing | undefined, drawnAt: number): HomeView {
  const blocks = standing === undefined ? stranger() : connected(standing);
  return {
    type: 'home',
    blocks: [...blocks, context(`As of ${date(drawnAt)}. Opening this tab brings it up to date.`)],
  };
}

function stranger(): KnownBlock[] {
  return [
    heading(),
    section(
      'You are not connected to a marketplace account yet. Connect with its API key to see its campaigns, review its tasks and read its messages.',
    ),
    actions('home.account', [connect('Connect', true), help()]),
  ];
}

function connected({ isOwn, waiting, problem }: Standing): KnownBlock[] {
  const account = isOwn
    ? 'You are connected with your own API key.'
    : 'You act for this workspace’s shared account. Connect with a key of your own to act for another one.';
  return [
    heading(),
    section(`${waiting === undefined ? (problem ?? '') : waitingLine(waiting)}\n${account}`.trim()),
    ...(waiting?.lastSeen === undefined
      ? []
      : [context(`The marketplace cannot be reached at present: this was seen ${date(waiting.lastSeen)}.`)]),
    actions('home.work', [
      button('Campaigns', 'campaign.list', none, { style: 'primary' }),
      button('Inbox', 'inbox.open', none),
      button('Create a campaign', 'campaign.new', none),
    ]),
    actions('home.account', [isOwn ? disconnect() : connect('Connect', false), help()]),
  ];
}

function heading(): KnownBlock {
  return { type: 'header', text: plainText('Reviewing', 150) };
}

function waitingLine({ tasks, campaigns, oldest }: NonNullable<Standing['waiting']>): string {
  if (tasks === 0) return 'No task waits for review.';
  const number = tasks.toLocaleString('en');
  const many = tasks === 1 ? `*${number} task* waits` : `*${number} tasks* wait`;
  const where = campaigns === 1 ? 'in one campaign' : `in ${campaigns.toLocaleString('en')} campaigns`;
  return `${many} for review ${where}${oldest === undefined ? '' : `, the oldest since ${date(oldest)}`}.`;
}

function connect(text: string, isFirst: boolean) {
  return button(text, 'account.connect', none, isFirst ? { style: 'primary' } : {});
}

function disconnect() {
  return button('Disconnect', 'account.disconnect', none, {
    confirm: {
      title: plainText('Disconnect?', 100),
      text: plainText('Your API key is forgotten. To act for its account again, enter it again.', 300),
      confirm: plainText('Disconnect', 30),
      deny: plainText('Stay connected', 30),
    },
  });
}

function help() {
  return button('Help', showHelp, none);
}
