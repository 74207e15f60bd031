import { z } from 'zod';
import { AccountId, ChannelId, type Rating, ratings } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';

/** Which of the worker's tasks a list shows. */
export interface TaskList {
  readonly account: AccountId;
  /** Absent: every rating. */
  readonly rating?: Rating;
  /** Days (YYYY-MM-DD) on which they were finished, both included. */
  readonly from?: string;
  readonly to?: string;
  /** From 0. */
  readonly page: number;
}

/** The value of the filter that shows every rating. */
export const everyRating = 'ALL';

/** The id of a block of a list: the list is drawn anew from it when something in it is clicked. */
export function encodeTaskList(part: string, { account, rating, from, to, page }: TaskList): string {
  return [part, account, rating ?? everyRating, from ?? '', to ?? '', page].join('/');
}

export function decodeTaskList(blockId: string): TaskList {
  const [, id = '', rating = '', from = '', to = '', page = ''] = blockId.split('/');
  return {
    account: AccountId.parse(id),
    ...chosenRating(rating),
    ...days(from, to),
    page: /^\d{1,6}$/.test(page) ? Number(page) : 0,
  };
}

/** The list after a filter was changed: from its first page again. A day that is '' is taken out. */
export function filtered(list: TaskList, change: { rating?: string; from?: string; to?: string }): TaskList {
  return {
    account: list.account,
    ...chosenRating(change.rating ?? list.rating ?? ''),
    ...days(change.from ?? list.from ?? '', change.to ?? list.to ?? ''),
    page: 0,
  };
}

function chosenRating(text: string): { rating?: Rating } {
  const rating = ratings.find((one) => one === text);
  return rating === undefined ? {} : { rating };
}

function days(from: string, to: string): { from?: string; to?: string } {
  return { ...(isDay(from) ? { from } : {}), ...(isDay(to) ? { to } : {}) };
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text);
}

/** Which of the worker's lists of employers. */
export type EmployerListKind = 'excluded' | 'included';

export interface EmployerList {
  readonly account: AccountId;
  readonly kind: EmployerListKind;
  /** From 0. */
  readonly page: number;
}

export function encodeEmployerList(part: string, { account, kind, page }: EmployerList): string {
  return [part, account, kind, page].join('/');
}

export function decodeEmployerList(blockId: string): EmployerList {
  const [, id = '', kind = '', page = ''] = blockId.split('/');
  return {
    account: AccountId.parse(id),
    kind: kind === 'included' ? 'included' : 'excluded',
    page: /^\d{1,6}$/.test(page) ? Number(page) : 0,
  };
}

/** What the form for excluding employers remembers: for which account, and where to answer once it is closed. */
const form = z.object({ account: AccountId, channel: ChannelId.optional() });
export type FormState = z.infer<typeof form>;

export const formState = codec(form, 'Ask again with `/proofdesk worker-side`.');
