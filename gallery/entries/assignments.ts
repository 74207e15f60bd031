import { assignModal } from '../../src/features/assignments/assign.view.ts';
import { moreModal } from '../../src/features/cards/more.view.ts';
import { entriesOf } from '../entry.ts';
import { account, ann, ben } from '../samples/people.ts';
import { decision, task } from '../samples/tasks.ts';
import { hostile } from '../samples/texts.ts';
import { now } from '../samples/times.ts';

const campaignTitle = 'Photograph a shelf in your supermarket';
const common = { account, campaignTitle, member: ann };
const taken = { to: { member: ben }, by: ben, at: now };
const groups = [
  { text: { type: 'plain_text' as const, text: 'Night shift', emoji: true }, value: 'S01NIGHT' },
];

export const assignments = [
  ...entriesOf('Assignments', moreModal, {
    'More: nobody has the task': () => moreModal({ ...common, task: task() }),
    'More: a colleague has taken it': () => moreModal({ ...common, task: task({ assignment: taken }) }),
    'More: assigned to you, after Take': () =>
      moreModal({
        ...common,
        campaignTitle: hostile,
        task: task({ assignment: { ...taken, to: { member: ann } } }),
        outcome: ':white_check_mark: You have taken this task.',
      }),
    'More: assigned to a user group': () =>
      moreModal({ ...common, task: task({ assignment: { ...taken, to: { group: 'S01NIGHT' } } }) }),
    'More: decided already': () =>
      moreModal({ ...common, task: task({ decision: decision('waiting'), assignment: taken }) }),
  }),
  ...entriesOf('Assignments', assignModal, {
    'Assign: a colleague or a user group': () => assignModal('', groups),
    'Assign: the workspace has no user groups': () => assignModal('', []),
  }),
];
