import { z } from 'zod';

/**
 * Message kinds that can be muted individually: `daily`, the summary of a day · `campaigns`, those that finish, pause or
 * are blocked · `reminders`, tasks that are due.
 */
export const channelKinds = ['daily', 'campaigns', 'reminders'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** Maximum limit of open cards; anything larger means no limit. */
export const mostOpenCards = 1_000;

/** Settings of a channel; absent values mean the default. */
export const ChannelSettings = z
  .object({
    /** Maximum number of open cards; 0: no limit. Absent: OPEN_CARDS. */
    openCards: z.number().int().min(0).max(mostOpenCards).exactOptional(),
    /** Whether replies in card threads leave notes. Absent: they do not. */
    threads: z.boolean().exactOptional(),
    muted: z.array(z.enum(channelKinds)).readonly(),
  })
  .readonly();
export type ChannelSettings = z.infer<typeof ChannelSettings>;

/** Settings of a channel that nobody has changed. */
export const noChannelSettings: ChannelSettings = { muted: [] };

/** Returns whether two settings are equal. */
export function areSameSettings(a: ChannelSettings, b: ChannelSettings): boolean {
  return (
    a.openCards === b.openCards &&
    (a.threads ?? false) === (b.threads ?? false) &&
    mutedText(a) === mutedText(b)
  );
}

/** Returns the muted kinds in the order of {@link channelKinds}, for the audit and for comparison. */
export function mutedText({ muted }: ChannelSettings): string {
  return channelKinds.filter((kind) => muted.includes(kind)).join(', ');
}
