import { money } from '../../src/domain/money.ts';
import { extrasModal, reasonModal } from '../../src/features/decide/decide.view.ts';
import { filesStatusModal } from '../../src/features/files/files.view.ts';
import {
  cardForFiles,
  doneView,
  expiredView,
  focusView,
  picturesView,
  summaryMessage,
  undoneText,
} from '../../src/features/focus/focus.view.ts';
import { framed } from '../../src/features/focus/public.ts';
import { notice } from '../../src/slack/blocks.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { intent, noComment } from '../samples/comments.ts';
import { alike, workerHistory } from '../samples/evidence.ts';
import { fullNotes, notes } from '../samples/notes.ts';
import { account, ben } from '../samples/people.ts';
import {
  asked,
  before,
  decision,
  files,
  largestTask,
  manyFiles,
  sixPictures,
  task,
} from '../samples/tasks.ts';
import { hostile, longest } from '../samples/texts.ts';
import { now } from '../samples/times.ts';

const state = { account, session: 'sample', step: 5, task: task().id, round: 1 };
const record = { counts: { OK: 12, NOK: 1, REVISE: 0, NOTRATED: 2, NOTREVIEWED: 0 }, campaigns: 3 };
const last = {
  task: asId<typeof state.task>('5e1d77a0c2'),
  decision: 'd4',
  verdict: 'NOK',
  worker: 'jonas_561',
  until: now + 9_000,
} as const;
const data = {
  state,
  task: task(),
  campaignTitle: 'Photograph a shelf in your supermarket',
  paymentPerTask: '0.45000',
  record,
  left: 28,
  decided: 4,
  label: '',
  notices: [],
};
const counts = { OK: 28, REVISE: 3, NOK: 1 };
const none = { OK: 0, REVISE: 0, NOK: 0 };
const end = { label: '', notices: [] };

export const focus = [
  ...entriesOf('Focus review', picturesView, {
    'All pictures of a task': () => picturesView(sixPictures),
    'All pictures of a task: being loaded': () => picturesView(sixPictures, { isLoading: true }),
    'All pictures of a task: corrected meanwhile, without any': () => picturesView(task()),
    'All pictures of a task: its only one could not be shown': () =>
      picturesView(task({ proof: { ...task().proof, files: files.slice(0, 1) } })),
    'All pictures of a task: one of one': () =>
      picturesView(
        task({
          proof: { ...task().proof, files: files.slice(0, 1) },
          pictures: [{ index: 1, file: 'F0SAMPLE1' }],
        }),
      ),
    'All pictures of a task: more than there is room for': () =>
      picturesView(
        task({
          proof: { slots: [], files: manyFiles.map((file) => ({ ...file, contentType: 'image/png' })) },
          pictures: manyFiles.map(({ index }) => ({ index, file: `F0SAMPLE${index}` })),
        }),
      ),
    'All pictures of a task: one could not be shown': () =>
      picturesView({
        ...sixPictures,
        pictures: [1, 2, 4, 5, 6].map((index) => ({ index, file: `F0SAMPLE${index}` })),
      }),
  }),
  ...entriesOf('Focus review', filesStatusModal, {
    'Files of a task: its card is not posted yet': () => filesStatusModal(cardForFiles),
  }),
  ...entriesOf('Focus review', focusView, {
    'A task': () => focusView({ ...data, asked, last, dueAt: now + 7_200_000 }),
    'A corrected task': () => focusView({ ...data, task: task({ round: 2, before }), asked }),
    'A corrected task: the picture before beside the new one': () =>
      focusView({
        ...data,
        task: task({
          round: 2,
          before: { ...before, pictures: [{ index: 1, file: 'F00BEFORE', bytesHash: 'a' }] },
          proof: { ...task().proof, files },
          pictures: [{ index: 1, file: 'F0SAMPLE1', bytesHash: 'b' }],
        }),
        asked,
      }),
    'Files and pictures': () =>
      focusView({
        ...data,
        task: task({
          proof: { ...task().proof, files, filesWarning: 'VIRUS FOUND' },
          pictures: [{ index: 1, file: 'F0SAMPLE1' }],
        }),
      }),
    'Three of six pictures, and a link': () =>
      focusView({
        ...data,
        last,
        task: {
          ...sixPictures,
          proof: { ...sixPictures.proof, slots: ['https://photos.example/shelf?id=7'] },
        },
      }),
    'Pictures that could not be shown': () =>
      focusView({ ...data, task: sixPictures, isRefused: () => true }),
    'Still being loaded': () =>
      focusView({ ...data, task: { ...sixPictures, detailed: false }, isLoading: true }),
    'One file, which is a picture that could not be shown': () =>
      focusView({
        ...data,
        task: task({
          proof: { ...task().proof, files: files.slice(0, 1) },
          pictures: [{ index: 1, file: 'F0SAMPLE1' }],
          round: 2,
          before: { ...before, pictures: [{ index: 1, file: 'F00BEFORE', bytesHash: 'a' }] },
        }),
        isRefused: () => true,
      }),
    'One file, which is no picture': () =>
      focusView({ ...data, task: task({ proof: { ...task().proof, files: files.slice(2) } }) }),
    'With the desk': () => focusView({ ...data, hasDesk: true }),
    'Looks like others': () => focusView({ ...data, alike }),
    'The record of its worker': () => focusView({ ...data, worker: workerHistory }),
    'With notes': () => focusView({ ...data, notes }),
    'With notes as long as they come': () => focusView({ ...data, notes: fullNotes }),
    'A rating that was rejected': () =>
      focusView({
        ...data,
        task: task({ decision: decision('refused', { by: ben, problem: { text: hostile } }) }),
      }),
    'Said of the task before': () =>
      focusView({
        ...data,
        last,
        left: 1,
        notices: [notice(undoneText(last))],
        label: 'shelf · worker:ines',
      }),
    'Everything as long as it comes': () =>
      focusView({
        ...data,
        task: largestTask,
        campaignTitle: longest(),
        asked: { ...asked, work: longest(20_000) },
        last,
        left: 12_000,
        decided: 12_345,
      }),
    'Hostile words': () =>
      focusView({
        ...data,
        campaignTitle: hostile,
        task: task({ worker: { ...task().worker, name: hostile, country: hostile } }),
      }),
  }),
  ...entriesOf('Focus review', doneView, {
    'The end of the queue': () =>
      doneView(state, { counts, skipped: [asId('t1'), asId('t2')] }, { ...end, last }),
    'Nothing waits': () =>
      doneView(state, { counts: none, skipped: [] }, { ...end, label: 'Photo of a shelf' }),
    'One was skipped': () => doneView(state, { counts: none, skipped: [asId('t1')] }, end),
    'One was rated, and nothing skipped': () =>
      doneView(state, { counts: { ...none, NOK: 1 }, skipped: [] }, end),
  }),
  ...entriesOf('Focus review', summaryMessage, {
    'Closed before its end': () => summaryMessage(account, { counts, skipped: [] }, 12),
    'Closed before the last': () => summaryMessage(account, { counts: { ...none, OK: 1 }, skipped: [] }, 1),
    'Closed when the last was rated': () => summaryMessage(account, { counts, skipped: [] }, 0),
  }),
  ...entriesOf('Focus review', expiredView, { 'Left for too long': () => expiredView() }),
  ...entriesOf('Focus review', framed, {
    'The reason of a REVISE': () =>
      framed(reasonModal(intent('REVISE'), task(), data.campaignTitle, noComment), 'focus.reason', state),
    'OK with extras': () =>
      framed(
        extrasModal(intent('OK'), task(), data.campaignTitle, { payment: money('0.45'), comment: noComment }),
        'focus.extras',
        state,
      ),
  }),
];
