import type { ModalView } from '@slack/types';
import type { WorkingHours } from '../../domain/working-hours.ts';
import { context, input, modal, option, section } from '../../slack/blocks.ts';
import { inline } from '../../slack/mrkdwn.ts';

export const hoursAction = 'assigned.hours';
export const hoursForm = 'assigned.hours';

const days = [
  option('Monday to Friday', 'weekdays'),
  option('Every day', 'every day'),
  option('Never', 'never', 'You are still told when a task is assigned to you.'),
];

const hourOptions = (from: number, until: number) =>
  Array.from({ length: until - from + 1 }, (_, index) => {
    const hour = from + index;
    return option(`${String(hour).padStart(2, '0')}:00`, String(hour));
  });
const fromOptions = hourOptions(0, 23);
const untilOptions = hourOptions(1, 24);

/** Returns the form for a member's reminder hours. @param zone their time zone, if known */
export function hoursModal(hours: WorkingHours, zone: string | undefined): ModalView {
  const chosen = <T extends { readonly value?: string }>(options: readonly T[], value: string) => {
    const found = options.find((one) => one.value === value);
    return found === undefined ? {} : { initial_option: found };
  };
  return modal({
    callbackId: hoursForm,
    title: 'Reminders of my tasks',
    submit: 'Save',
    blocks: [
      section(
        'One direct message tells you which of your tasks are due within 48, 24 and 6 hours. It comes in these hours only.',
      ),
      input('days', 'Days', { type: 'radio_buttons', options: days, ...chosen(days, hours.days) }),
      input('from', 'From', {
        type: 'static_select',
        options: fromOptions,
        ...chosen(fromOptions, String(hours.from)),
      }),
      input('until', 'Until', {
        type: 'static_select',
        options: untilOptions,
        ...chosen(untilOptions, String(hours.until)),
      }),
      context(`In your time zone, as you have set it in Slack: ${inline(zone ?? 'not known, so UTC', 60)}.`),
    ],
  });
}

export const untilTooEarly = 'Choose an hour later than the first one.';

/** Returns the confirmation that replaces the saved form. */
export function hoursSaved({ days: chosen, from, until }: WorkingHours): ModalView {
  const when = chosen === 'weekdays' ? 'from Monday to Friday' : 'every day';
  const text =
    chosen === 'never'
      ? 'You are no longer reminded of your tasks by direct message.'
      : `You are reminded of your tasks ${when}, from ${from}:00 to ${until}:00.`;
  return modal({
    callbackId: 'assigned.saved',
    title: 'Reminders of my tasks',
    blocks: [section(`:white_check_mark: ${text}`)],
  });
}
