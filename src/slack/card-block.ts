import { z } from 'zod';
import { AccountId, TaskId } from '../domain/terms.ts';

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
