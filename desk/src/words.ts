import type { Verdict } from './protocol.ts';

export const counted = (count: number, thing: string) =>
  `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;

/** Says that tasks were rated: "OK for ines_13." */
export function said(verdict: Verdict, tasks: readonly { readonly worker: string }[]): string {
  const who = tasks.length === 1 ? (tasks[0]?.worker ?? '') : counted(tasks.length, 'task');
  return verdict === 'REVISE' ? `Revision requested for ${who}.` : `${verdict} for ${who}.`;
}

/** Returns a time span in its largest unit: "4 min", "2 h", "3 d". */
function span(ms: number): string {
  const minutes = Math.max(1, Math.round(Math.abs(ms) / 60_000));
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

export const moment = (at: number) =>
  new Date(at).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' });

/** Says when a task is due; `tone` marks what is due within an hour, and what is late. */
export function due(dueAt: number | undefined, now: number) {
  if (dueAt === undefined) return undefined;
  const left = dueAt - now;
  return left < 0
    ? { text: `${span(left)} late`, long: `Due ${span(left)} ago`, tone: 'toned nok' }
    : { text: span(left), long: `Due in ${span(left)}`, tone: left < 3_600_000 ? 'toned revise' : '' };
}
