import type { AssignedNotice } from '../../src/domain/assigned-notice.ts';
import type { MemberId, TaskId } from '../../src/domain/terms.ts';
import { assignModal, noticeMessage } from '../../src/features/assignments/assignments.view.ts';
import type { NamedTask } from '../../src/ui/task.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { account, ann, ben } from '../samples/people.ts';
import { task } from '../samples/tasks.ts';
import { hostile, longest } from '../samples/texts.ts';
import { hour, now } from '../samples/times.ts';

const campaignTitle = 'Photograph a shelf in your supermarket';
const ids = ['a', 'b', 'c', 'd'].map((id) => asId<TaskId>(id));
const notice: AssignedNotice = {
  member: ann,
  channel: asId('D01ANN'),
  state: 'some',
  count: 7,
  late: 0,
  within: [0, 1, 3],
  first: [{ task: asId('a'), dueAt: now + 20 * hour }],
  assigned: [{ by: ben, tasks: 3 }],
  examples: [asId('a'), asId('b')],
  toldUpTo: 3,
  level: 2,
  sentAt: now,
  changedAt: now,
  card: { state: 'wanted' },
  revision: 1,
};
const card = 'https://sandbox.slack.com/archives/C01REVIEW/p1';
const namedTasks = (title: string): ReadonlyMap<TaskId, NamedTask> =>
  new Map(ids.map((id) => [id, { task: task(), title, card }]));
const told = (fields: Partial<AssignedNotice>, title = campaignTitle) =>
  noticeMessage(account, { ...notice, ...fields }, namedTasks(title));

export const assignments = [
  ...entriesOf('Assignments', noticeMessage, {
    'My tasks: three were assigned, three are due soon': () => told({}),
    'My tasks: only a reminder': () => told({ assigned: [], examples: [], count: 1, within: [1, 1, 1] }),
    'My tasks: one was assigned, no deadline is known': () =>
      told({
        count: 1,
        within: [0, 0, 0],
        first: [],
        assigned: [{ by: ben, tasks: 1 }],
        examples: [asId('b')],
      }),
    'My tasks: everything as long as it comes, hostile': () =>
      told(
        {
          count: 123_456,
          late: 12_345,
          within: [23_456, 34_567, 45_678],
          first: ids.slice(0, 3).map((id) => ({ task: id, dueAt: now })),
          assigned: Array.from({ length: 40 }, (_, index) => ({
            by: asId<MemberId>(`U${index}`),
            tasks: 9_999,
          })),
        },
        `${hostile}${longest()}`,
      ),
    'My tasks: none is left': () => told({ state: 'none' }),
    'My tasks: a newer message follows': () => told({ state: 'renewed' }),
  }),
  ...entriesOf('Assignments', assignModal, {
    'Assign: a colleague or a user group': () => assignModal(''),
  }),
];
