import { DateTime } from 'luxon';
import { z } from 'zod';

/** When a member wants to be reminded, in their own time zone: from one full hour to another, on certain days. */
export const WorkingHours = z
  .object({
    days: z.enum(['weekdays', 'every day', 'never']),
    from: z.number().int().min(0).max(23),
    until: z.number().int().min(1).max(24),
  })
  .readonly();
export type WorkingHours = z.infer<typeof WorkingHours>;

/** Default working hours. */
export const usualHours: WorkingHours = { days: 'weekdays', from: 9, until: 18 };

/** Returns whether a time (ms) is within somebody's working hours. @param zone IANA; unknown zones count as UTC */
export function isWorkingTime(at: number, zone: string | undefined, hours: WorkingHours): boolean {
  if (hours.days === 'never') return false;
  const asked = DateTime.fromMillis(at, { zone: zone ?? 'UTC' });
  const there = asked.isValid ? asked : DateTime.fromMillis(at, { zone: 'UTC' });
  if (hours.days === 'weekdays' && there.weekday > 5) return false;
  return there.hour >= hours.from && there.hour < hours.until;
}
