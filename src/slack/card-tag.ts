import { z } from 'zod';
import { AccountId, TaskId } from '../domain/terms.ts';
import { movedMark } from './message-tags.ts';

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
