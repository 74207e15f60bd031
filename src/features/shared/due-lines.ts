import { reminderHours } from '../../domain/reminder.ts';

/** Numbers of tasks: overdue ones, and those due within each of {@link reminderHours}, overdue ones included. */
interface DueCounts {
  readonly late: number;
  readonly within: readonly number[];
}

/** Returns how many tasks are overdue, and how many more are due within which hours: a line each in mrkdwn, if any are. */
export function dueLines({ late, within }: DueCounts): string[] {
  const overdue = `• *${number(late)}* ${late === 1 ? 'is' : 'are'} overdue: the marketplace may approve ${late === 1 ? 'it' : 'them'}`;
  const lines = late > 0 ? [overdue] : [];
  let counted = late;
  for (const [index, hours] of reminderHours.entries()) {
    const all = within[index] ?? 0;
    if (all > counted)
      lines.push(`• *${number(all - counted)}*${counted > 0 ? ' more' : ''} within ${hours} hours`);
    counted = all;
  }
  return lines;
}

function number(count: number): string {
  return count.toLocaleString('en');
}
