import { z } from 'zod';
import { AccountId, ChannelId, TaskId, verdicts } from '../../domain/terms.ts';

/** A decision somebody meant to make: kept in a modal, or behind a Connect button until they are connected. */
const Intent = z.object({
  kind: z.literal('decide'),
  account: AccountId,
  task: TaskId,
  round: z.number(),
  verdict: z.enum(verdicts),
  /** The modal for bonus and favorite was asked for. */
  extras: z.boolean().optional(),
  /** Where the card is, to answer there. */
  channel: ChannelId.optional(),
  ts: z.string().optional(),
});
export type Intent = z.infer<typeof Intent>;

export function encodeIntent(intent: Intent): string {
  return JSON.stringify(intent);
}

/** Undefined when the text is no intent of this kind. */
export function decodeIntent(text: string): Intent | undefined {
  try {
    return Intent.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
