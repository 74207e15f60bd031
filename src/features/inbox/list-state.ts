import { AccountId } from '../../domain/terms.ts';
import type { MessageFolder } from '../../marketplace/index.ts';

export const folders = ['INBOX', 'SENT', 'TRASH', 'ALL'] as const satisfies readonly (
  | MessageFolder
  | 'ALL'
)[];
export type Folder = (typeof folders)[number];

export const readings = ['all', 'unread', 'read'] as const;

/** Which messages a list shows. */
export interface InboxList {
  readonly account: AccountId;
  readonly folder: Folder;
  readonly reading: (typeof readings)[number];
  /** Days (YYYY-MM-DD), both included. */
  readonly from?: string;
  readonly to?: string;
  /** From 0. */
  readonly page: number;
}

/** What a block of ours tells about itself: the account, and for a block of a list which list. */
export interface InboxBlock {
  readonly account: AccountId;
  readonly list?: InboxList;
}

/** The id of a block of a list: the list is drawn anew from it when something in it is clicked. */
export function encodeInboxBlock(
  part: string,
  { account, folder, reading, from, to, page }: InboxList,
): string {
  return [part, account, folder, reading, from ?? '', to ?? '', page].join('/');
}

/** Reads a block's id back, that of an announcement (`inbox/<account>`) too. */
export function decodeInboxBlock(blockId: string): InboxBlock {
  const [, id = '', folder, reading, from = '', to = '', page = ''] = blockId.split('/');
  const account = AccountId.parse(id);
  const known = {
    folder: folders.find((one) => one === folder),
    reading: readings.find((one) => one === reading),
  };
  if (known.folder === undefined || known.reading === undefined) return { account };
  const list: InboxList = {
    account,
    folder: known.folder,
    reading: known.reading,
    ...(isDay(from) ? { from } : {}),
    ...(isDay(to) ? { to } : {}),
    page: /^\d{1,6}$/.test(page) ? Number(page) : 0,
  };
  return { account, list };
}

/** The list that `/inbox` begins with. */
export function firstList(account: AccountId, reading: InboxList['reading']): InboxList {
  return { account, folder: 'INBOX', reading, page: 0 };
}

/** The list after a filter was changed: from its first page again. */
export function filtered(
  { from, to, ...rest }: InboxList,
  change: { folder?: string; reading?: string; from?: string; to?: string },
): InboxList {
  const days = { from: change.from ?? from ?? '', to: change.to ?? to ?? '' };
  return {
    account: rest.account,
    folder: folders.find((one) => one === change.folder) ?? rest.folder,
    reading: readings.find((one) => one === change.reading) ?? rest.reading,
    ...(isDay(days.from) ? { from: days.from } : {}),
    ...(isDay(days.to) ? { to: days.to } : {}),
    page: 0,
  };
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text);
}
