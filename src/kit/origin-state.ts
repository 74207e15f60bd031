import { z } from 'zod';
import { ChannelId } from '../domain/terms.ts';
import type { Click } from '../slack/feature.ts';

/** Where a form was asked for, stored in its state, so that its outcome is shown there. */
export const Origin = z.object({
  channel: ChannelId.optional(),
  /** Of the clicked private message. */
  responseUrl: z.string().optional(),
  /** The modal that shows the clicked message. */
  modal: z.object({ id: z.string(), title: z.string() }).optional(),
});
export type Origin = z.infer<typeof Origin>;

export function originOf({ channel, responseUrl, modal }: Click): Origin {
  return { channel, responseUrl, modal };
}
