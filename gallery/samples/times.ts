const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** The time at which the entries are rendered (ms). */
export const now = Date.now();

export function ago(duration: number): number {
  return now - duration;
}

export function minutesAgo(minutes: number): number {
  return ago(minutes * minute);
}
