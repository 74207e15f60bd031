import { z } from 'zod';
import { AccountId, ChannelId, TaskId, verdicts } from '../../domain/terms.ts';

/** A decision that a member asked for: stored in a modal, or in a Connect button until they are connected. */
const Intent = z.object({
  kind: z.literal('decide'),
  account: AccountId,
  task: TaskId,
  round: z.number(),
  verdict: z.enum(verdicts),
  /** The modal for bonus and favorite was asked for. */
  extras: z.boolean().optional(),
  /** The bonus and payment whose total the modal shows: it is shown before the decision is made. */
  shown: z.string().optional(),
  /** One of many that somebody makes one after the other: they leave together. */
  isOfMany: z.boolean().optional(),
  /** The second verdict that whoever decides between two was shown. */
  saw: z.string().optional(),
  /** Part of a bulk rating. */
  isBulk: z.boolean().optional(),
  /** When its form was opened (ms), by which what is typed into it is told from what is typed into others. */
  form: z.number().optional(),
  /** How often a saved reason was filled in, and the last one. */
  filled: z.number().optional(),
  reason: z.string().optional(),
  /** Where the card is, to answer there. */
  channel: ChannelId.optional(),
  ts: z.string().optional(),
});
export type Intent = z.infer<typeof Intent>;

/** Encodes an intent for a modal or a button. */
export function encodeIntent(intent: Intent): string {
  return JSON.stringify(intent);
}

/** Decodes an intent; undefined when the text is none. */
export function decodeIntent(text: string): Intent | undefined {
  try {
    return Intent.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
