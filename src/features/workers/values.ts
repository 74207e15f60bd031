import { z } from 'zod';
import { AccountId, ChannelId, WorkerId } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';

/** What the modals of this feature remember: whose list, and where to answer. */
const form = z.object({
  account: AccountId,
  channel: ChannelId.optional(),
  /** The one worker the modal is about; absent in the form that asks for ids. */
  worker: WorkerId.optional(),
  /** Whether submitting puts workers on the exclude list or takes them off. */
  change: z.enum(['exclude', 'include']),
});
export type FormState = z.infer<typeof form>;

export const formState = codec(form, 'Ask again with `/proofdesk workers`.');

/** Which page of which account's list a block belongs to. */
export interface WorkersBlock {
  readonly account: AccountId;
  /** From 0. */
  readonly page: number;
}

export function encodeWorkersBlock(part: string, { account, page }: WorkersBlock): string {
  return `${part}/${account}/${page}`;
}

export function decodeWorkersBlock(blockId: string): WorkersBlock {
  const [, account = '', page = ''] = blockId.split('/');
  return { account: AccountId.parse(account), page: /^\d{1,6}$/.test(page) ? Number(page) : 0 };
}
