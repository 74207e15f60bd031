import { z } from 'zod';
import type { BulkRatingId } from '../domain/bulk-rating.ts';
import { AccountId, type CampaignId, type MessageId, TaskId } from '../domain/terms.ts';
import type { MessageTag } from './messenger.ts';

/** The tag types of announcements, summaries, reminders, notices and queue messages. */
export const announcementTagType = 'proofdesk_inbox';
export const queueTagType = 'proofdesk_queue';
export const reminderTagType = 'proofdesk_reminder';
export const dailyTagType = 'proofdesk_daily';
export const campaignNoticeTagType = 'proofdesk_campaigns';
export const assignedNoticeTagType = 'proofdesk_assigned';
const bulkTagType = 'proofdesk_bulk';
const requestTagType = 'proofdesk_request';

/** Marks the tag of a message that says where a card or announcement continues. */
export const movedMark = z.literal(1).optional();

/** Returns the tag of a message that only says where the message tagged `tag` continues. */
export function movedTag({ type, payload }: MessageTag): MessageTag {
  return { type, payload: { ...payload, moved: 1 } };
}

/** Returns the tag of an announcement, by which it is found in the channel's history. */
export function announcementTag(account: AccountId, message: MessageId) {
  return { type: announcementTagType, payload: { account, message } } as const;
}

/** Returns the tag of a campaign's queue message. @param begun when its post began (ms): a channel gets several over time */
export function queueTag(account: AccountId, campaign: CampaignId, begun: number) {
  return { type: queueTagType, payload: { account, campaign, begun } } as const;
}

/** Returns the tag of a notice to a member about their tasks. @param begun when its post began (ms) */
export function assignedNoticeTag(account: AccountId, begun: number) {
  return { type: assignedNoticeTagType, payload: { account, begun } } as const;
}

/** Returns the tag of the progress of a bulk rating. */
export function bulkTag(account: AccountId, rating: BulkRatingId) {
  return { type: bulkTagType, payload: { account, rating } } as const;
}

/** Returns the tag of a direct message about a request for an approval or a role. */
export function requestTag(account: AccountId, request: string) {
  return { type: requestTagType, payload: { account, request } } as const;
}

/**
 * Returns the tag of a reminder of tasks that are due. @param begun when its post began (ms): a channel gets several over
 * time
 */
export function reminderTag(account: AccountId, begun: number) {
  return { type: reminderTagType, payload: { account, begun } } as const;
}

/** Returns the tag of the summary of a day (YYYY-MM-DD). */
export function dailyTag(account: AccountId, day: string) {
  return { type: dailyTagType, payload: { account, day } } as const;
}

/** Returns the tag of a campaign notice. @param begun when its post began (ms): a channel gets several over time */
export function campaignNoticeTag(account: AccountId, begun: number) {
  return { type: campaignNoticeTagType, payload: { account, begun } } as const;
}

/** The type of the tag on every card's message. */
export const cardTagType = 'proofdesk_card';

/** The payload of a card's tag. */
export const CardTag = z
  .object({
    account: AccountId,
    task: TaskId,
    round: z.number(),
    /** The message says where the card continues, and is no longer a card. */
    moved: movedMark,
  })
  .readonly();
export type CardTag = z.infer<typeof CardTag>;

/** Returns the tag that identifies a card's message, by which it is found in the channel's history. */
export function cardTag(account: AccountId, task: TaskId, round: number) {
  return { type: cardTagType, payload: { account, task, round } } as const;
}

/**
 * The card that a click belongs to. The button's value is the task's id; the block's id carries the account and the round,
 * so that a click can be handled even when the record is lost.
 */
export interface CardBlock {
  readonly account: AccountId;
  readonly round: number;
  /** The decision shown on the card, which its Undo button undoes. */
  readonly decision?: string;
}

/** Identifies a block of a card with several blocks of buttons: ids must differ within a message. */
export type CardPart = 'head' | 'files' | 'evidence';

const shape = /^task(?:-head|-files|-evidence)?\/([0-9a-f]+)\/(\d+)(?:\/(.+))?$/;

/** Encodes a card's block id. */
export function encodeCardBlock({ account, round, decision }: CardBlock, part?: CardPart): string {
  const kind = part === undefined ? 'task' : `task-${part}`;
  return [`${kind}/${account}/${round}`, ...(decision === undefined ? [] : [decision])].join('/');
}

/** Decodes a card's block id; undefined when the block is not a card's. */
export function decodeCardBlock(blockId: string): CardBlock | undefined {
  const [, account, round, decision] = shape.exec(blockId) ?? [];
  if (!account || !round) return undefined;
  return {
    account: AccountId.parse(account),
    round: Number(round),
    ...(decision === undefined ? {} : { decision }),
  };
}

/** Returns the task of a card's message, from its blocks; undefined when it is not a card with buttons. */
export function taskOfBlocks(
  blocks: readonly unknown[],
): { readonly account: AccountId; readonly task: TaskId } | undefined {
  for (const block of blocks) {
    const parsed = CardActions.safeParse(block).data;
    const card = parsed && decodeCardBlock(parsed.block_id);
    const value = parsed?.elements.find((element) => element.value !== undefined)?.value;
    if (card && value) return { account: card.account, task: value };
  }
  return undefined;
}

/**
 * Returns the task of a card from anything that names it: a button, or the menu of a decided card; undefined when it is not
 * a card, or one of an earlier round.
 */
export function cardOfBlocks(
  blocks: readonly unknown[],
): { readonly account: AccountId; readonly task: TaskId } | undefined {
  for (const block of blocks) {
    const { block_id: id, accessory, elements = [] } = CardBlockElements.safeParse(block).data ?? {};
    const card = id === undefined ? undefined : decodeCardBlock(id);
    const named = [...(accessory ? [accessory] : []), ...elements].flatMap(({ value, options = [] }) => [
      ...(value === undefined ? [] : [value]),
      // A menu entry: the word of its feature, then the task.
      ...options.map((option) => option.value.split(' ')[1] ?? ''),
    ]);
    const task = named.find((value) => value !== '');
    if (card && task) return { account: card.account, task: TaskId.parse(task) };
  }
  return undefined;
}

const CardElement = z.object({
  value: z.string().optional(),
  options: z.array(z.object({ value: z.string() })).optional(),
});
const CardBlockElements = z.object({
  block_id: z.string(),
  accessory: CardElement.optional(),
  elements: z.array(CardElement).optional(),
});

const CardActions = z.object({
  type: z.literal('actions'),
  block_id: z.string(),
  elements: z.array(z.object({ value: TaskId.optional() })),
});
