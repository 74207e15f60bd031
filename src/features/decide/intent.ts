import { z } from 'zod';
import { AccountId, ChannelId, TaskId, verdicts } from '../../domain/terms.ts';

/** A requested decision: stored in a modal, or in a Connect button until the member is connected. */
const Intent = z.object({
  kind: z.literal('decide'),
  account: AccountId,
  task: TaskId,
  round: z.number(),
  verdict: z.enum(verdicts),
  /** Whether the modal for bonus and favorite was requested. */
  extras: z.boolean().optional(),
  /** The bonus and payment of the cost that the button of a confirmation says. */
  shown: z.string().optional(),
  /** Part of a quick series by one person; the series is sent together. */
  isOfMany: z.boolean().optional(),
  /** When its form was opened (ms); identifies the form's stored draft text. */
  form: z.number().optional(),
  /** How often a saved reason was filled in, and the last one. */
  filled: z.number().optional(),
  reason: z.string().optional(),
  /** Where the card is, for answers. */
  channel: ChannelId.optional(),
  ts: z.string().optional(),
});
export type Intent = z.infer<typeof Intent>;

/** Encodes an intent for a modal or a button. */
export function encodeIntent(intent: Intent): string {
  return JSON.stringify(intent);
}

/** Decodes an intent; undefined if the text is none. */
export function decodeIntent(text: string): Intent | undefined {
  try {
    return Intent.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
