import { z } from 'zod';
import { AccountId } from '../../domain/terms.ts';
import { blockStateCodec, dayField, pageField } from '../../ui/list.view.ts';

export const folders = ['INBOX', 'SENT', 'TRASH', 'ALL'] as const;
export type Folder = (typeof folders)[number];

export const readFilters = ['all', 'unread', 'read'] as const;
export type ReadFilter = (typeof readFilters)[number];

/** Filter of an inbox list. */
export const inboxList = z.object({
  account: AccountId.min(1),
  folder: z.enum(folders),
  readFilter: z.enum(readFilters),
  /** Sending days, inclusive. */
  from: dayField,
  to: dayField,
  page: pageField,
});
export type InboxList = z.infer<typeof inboxList>;

export const inboxListCodec = blockStateCodec(inboxList);

/** Returns the account in the block id of a list or an announcement (`inbox/<account>`), and the list if it is one. */
export function decodeInboxBlock(blockId: string): {
  readonly account: AccountId;
  readonly list?: InboxList;
} {
  const [, account = ''] = blockId.split('/');
  const list = inboxListCodec.decode(blockId);
  return { account: AccountId.parse(account), ...(list === undefined ? {} : { list }) };
}

/** Returns the initial list of `/inbox`. */
export function firstList(account: AccountId, readFilter: ReadFilter): InboxList {
  return { account, folder: 'INBOX', readFilter, page: 0 };
}
