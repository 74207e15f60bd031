import type { ReminderContent } from '../../src/domain/live-message.ts';
import type { CampaignId } from '../../src/domain/terms.ts';
import { reminderMessage } from '../../src/features/deadlines/reminder.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { account } from '../samples/people.ts';
import { longest } from '../samples/texts.ts';
import { hour, now } from '../samples/times.ts';

const id = (index: number) => asId<CampaignId>(`c${index}`);
const due: ReminderContent = {
  state: 'due',
  late: 0,
  within: [0, 1, 4],
  campaigns: [{ id: id(0), tasks: 4, dueAt: now + 20 * hour }],
  others: 0,
};
const titles = new Map([[id(0), { title: 'Photograph a tea shelf' }]]);
const many: ReminderContent = {
  state: 'due',
  late: 12_345,
  within: [23_456, 34_567, 45_678],
  campaigns: Array.from({ length: 5 }, (_, index) => ({
    id: id(index),
    tasks: 8_999,
    dueAt: now + (index - 1) * hour,
  })),
  others: 995,
};
const nothing = { late: 0, within: [0, 0, 0], campaigns: [], others: 0 };
const draw = (content: ReminderContent) => () => reminderMessage(account, content, titles);

export const deadlines = [
  ...entriesOf('Deadlines', reminderMessage, {
    'Reminder: four tasks are due': draw(due),
    'Reminder: one is overdue': draw({
      ...due,
      late: 1,
      within: [1, 1, 1],
      campaigns: [{ id: id(0), tasks: 1, dueAt: now - hour }],
    }),
    'Reminder: one is due, in a campaign that is not listed, and one other campaign': draw({
      ...due,
      within: [0, 0, 1],
      campaigns: [{ id: id(1), tasks: 1, dueAt: now + 30 * hour }],
      others: 1,
    }),
    'Reminder: two are overdue, one is due within 6 hours': draw({ ...due, late: 2, within: [3, 3, 3] }),
    'Reminder: one is due within 6 hours, and more later': draw({ ...due, within: [1, 1, 4] }),
    'Reminder: all are due within 24 hours': draw({ ...due, within: [0, 3, 3] }),
    'Reminder: all of several are overdue': draw({ ...due, late: 4, within: [4, 4, 4] }),
    'Reminder: everything as long as it comes': () =>
      reminderMessage(account, many, new Map(many.campaigns.map((one) => [one.id, { title: longest() }]))),
    'Reminder: nothing is due': draw({ ...nothing, state: 'none' }),
    'Reminder: muted': draw({ ...nothing, state: 'muted' }),
  }),
];
