import { z } from 'zod';

/**
 * What a channel can be spared, each alone: `digest`, what waits, counted · `daily`, the summary of a day · `inbox`, messages
 * of the marketplace · `campaigns`, those that finish, pause or are blocked · `reminders`, tasks that run out.
 */
export const channelKinds = ['digest', 'daily', 'inbox', 'campaigns', 'reminders'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** The time of day at which a channel gets its daily summary, unless its settings say another one. */
export const defaultDailyAt = '18:00';

/** A time of day. */
export const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

/** The most open cards that a channel may be limited to: beyond, no limit is what is meant. */
export const mostOpenCards = 1_000;

/** How a channel is used: what stands nowhere in it has its default. */
export const ChannelSettings = z
  .object({
    /** The most open cards at a time; 0: no limit. Absent: OPEN_CARDS. */
    openCards: z.number().int().min(0).max(mostOpenCards).exactOptional(),
    /** Whether replies in the threads of cards rate. Absent: they do not. */
    threads: z.boolean().exactOptional(),
    /** When it gets its daily summary. Absent: {@link defaultDailyAt}. */
    dailyAt: TimeOfDay.exactOptional(),
    muted: z.array(z.enum(channelKinds)).readonly(),
  })
  .readonly();
export type ChannelSettings = z.infer<typeof ChannelSettings>;

/** The settings of a channel for which nobody has changed any. */
export const noChannelSettings: ChannelSettings = { muted: [] };

/** Returns whether two settings say the same. */
export function areSameSettings(a: ChannelSettings, b: ChannelSettings): boolean {
  return (
    a.openCards === b.openCards &&
    (a.threads ?? false) === (b.threads ?? false) &&
    (a.dailyAt ?? defaultDailyAt) === (b.dailyAt ?? defaultDailyAt) &&
    mutedText(a) === mutedText(b)
  );
}

/** Returns settings in which a kind is muted, or is not any more; the same object when nothing changes. */
export function withMuted(settings: ChannelSettings, kind: ChannelKind, isMuted: boolean): ChannelSettings {
  if (settings.muted.includes(kind) === isMuted) return settings;
  const muted = isMuted ? [...settings.muted, kind] : settings.muted.filter((one) => one !== kind);
  return { ...settings, muted };
}

/** Returns the muted kinds in the order of {@link channelKinds}, for the audit and to compare them. */
export function mutedText({ muted }: ChannelSettings): string {
  return channelKinds.filter((kind) => muted.includes(kind)).join(', ');
}
