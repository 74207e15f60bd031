import type { AssignedNotice } from '../../src/domain/assigned-notice.ts';
import type { MemberId } from '../../src/domain/terms.ts';
import {
  assignModal,
  changedText,
  noticeMessage,
  overtakenText,
} from '../../src/features/assignments/assignments.view.ts';
import * as blocks from '../../src/slack/blocks.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { account, ann, ben } from '../samples/people.ts';
import { now } from '../samples/times.ts';

const notice: AssignedNotice = {
  member: ann,
  channel: asId('D01ANN'),
  state: 'some',
  count: 7,
  late: 0,
  within: [0, 1, 3],
  assigned: [{ by: ben, tasks: 3 }],
  toldUpTo: 3,
  level: 2,
  sentAt: now,
  changedAt: now,
  card: { state: 'wanted' },
  revision: 1,
};
const told = (fields: Partial<AssignedNotice>) => noticeMessage(account, { ...notice, ...fields });

export const assignments = [
  ...entriesOf('Assignments', noticeMessage, {
    'My tasks: three were assigned, three are due soon': () => told({}),
    'My tasks: only a reminder': () => told({ assigned: [], count: 1, within: [1, 1, 1] }),
    'My tasks: one was assigned, no deadline is known': () =>
      told({
        count: 1,
        within: [0, 0, 0],
        assigned: [{ by: ben, tasks: 1 }],
      }),
    'My tasks: everything as long as it comes': () =>
      told({
        count: 123_456,
        late: 12_345,
        within: [23_456, 34_567, 45_678],
        assigned: Array.from({ length: 40 }, (_, index) => ({
          by: asId<MemberId>(`U${index}`),
          tasks: 9_999,
        })),
      }),
    'My tasks: assigned by six, one is overdue': () =>
      told({
        count: 1,
        late: 1,
        within: [1, 1, 1],
        assigned: Array.from({ length: 6 }, (_, n) => ({ by: asId<MemberId>(`U${n}`), tasks: n + 1 })),
      }),
    'My tasks: assigned by five, one of two is overdue': () =>
      told({
        count: 2,
        late: 1,
        within: [1, 2, 2],
        assigned: Array.from({ length: 5 }, (_, n) => ({ by: asId<MemberId>(`U${n}`), tasks: n + 1 })),
      }),
    'My tasks: none is left': () => told({ state: 'none' }),
    'My tasks: a newer message follows': () => told({ state: 'renewed' }),
  }),
  ...entriesOf('Assignments', blocks.notice, {
    'Assigned to nobody': () => blocks.notice(changedText(undefined, ann)),
    'Assigned to you': () => blocks.notice(changedText(ann, ann)),
    'Assigned to a colleague': () => blocks.notice(changedText(ben, ann)),
    'Assigned by somebody quicker': () => blocks.notice(overtakenText({ to: ben, by: ann, at: now }, ann)),
    'Assigned to you by somebody quicker': () =>
      blocks.notice(overtakenText({ to: ann, by: ben, at: now }, ann)),
    'Unassigned by somebody quicker': () => blocks.notice(overtakenText(undefined, ann)),
  }),
  ...entriesOf('Assignments', assignModal, {
    'Assign: a colleague': () => assignModal(''),
  }),
];
