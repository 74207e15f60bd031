export const counted = (count: number, thing: string) =>
  `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;

/** Returns a time span in its largest unit: "4 min", "2 h", "3 d". */
function span(ms: number): string {
  const minutes = Math.max(1, Math.round(Math.abs(ms) / 60_000));
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

/** Says when a task is due; `tone` marks what is due within an hour, and what is late. */
export function due(dueAt: number | undefined, now: number) {
  if (dueAt === undefined) return undefined;
  const left = dueAt - now;
  const tone = left < 0 ? 'toned nok' : left < 3_600_000 ? 'toned revise' : '';
  return { text: `${span(left)} ${left < 0 ? 'late' : 'left'}`, tone };
}
