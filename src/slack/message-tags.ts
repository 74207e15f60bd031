import { z } from 'zod';
import { AccountId, TaskId } from '../domain/terms.ts';
import type { MessageTag } from './messenger.ts';

/** Marks the tag of a message that says where a card or announcement continues. */
const movedMark = z.literal(1).optional();

/** Returns the tag of a message that only says where the message tagged `tag` continues. */
export function movedTag({ type, payload }: MessageTag): MessageTag {
  return { type, payload: { ...payload, moved: 1 } };
}

/**
 * Returns the tag of a live message other than a card, by which it is found in the channel's history.
 * @param of tells it from others of its kind: what it is about, or when its post began (ms) where a channel gets several over
 * time
 */
export function messageTag(
  kind: 'inbox' | 'queue' | 'reminder' | 'daily' | 'campaigns' | 'assigned' | 'bulk' | 'request',
  account: AccountId,
  of: Readonly<Record<string, string | number>>,
): MessageTag {
  return { type: `proofdesk_${kind}`, payload: { account, ...of } };
}

const cardTagType = 'proofdesk_card';

const CardTag = z
  .object({
    account: AccountId,
    task: TaskId,
    round: z.number(),
    /** The message says where the card continues, and is no longer a card. */
    moved: movedMark,
  })
  .readonly();

/** Returns the tag that identifies a card's message, by which it is found in the channel's history. */
export function cardTag(account: AccountId, task: TaskId, round: number) {
  return { type: cardTagType, payload: { account, task, round } } as const;
}

/** Returns the card that a tag, as read, identifies; undefined when it is no card's. */
export function cardOfTag(tag: { readonly type: string; readonly payload: unknown } | undefined) {
  return tag?.type === cardTagType ? CardTag.safeParse(tag.payload).data : undefined;
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

const shape = /^task(?:-head|-files|-evidence)?\/([0-9a-f]+)\/(\d+)(?:\/(.+))?$/;

/** Encodes a card's block id. @param part tells the blocks of buttons of a card apart */
export function encodeCardBlock(
  { account, round, decision }: CardBlock,
  part?: 'head' | 'files' | 'evidence',
): string {
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
      ...(value === undefined ? [] : [value.split(' ')[0] ?? '']),
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
