import {
  brokenOff,
  emptyFile,
  type FileStanding,
  filesModal,
  filesNote,
  lookingForFiles,
  notTaken,
} from '../../src/features/files/files.view.ts';
import { entriesOf } from '../entry.ts';
import { account, ann, reviewChannel } from '../samples/people.ts';
import { files as few, manyFiles } from '../samples/tasks.ts';
import { minutesAgo } from '../samples/times.ts';

const card = { account, task: '5e1d77a0c3', round: 1, channel: reviewChannel, ts: '1.000001' };
const standings = new Map<number, FileStanding>([
  [1, { kind: 'posted', by: ann, at: minutesAgo(5) }],
  [2, { kind: 'under-way', by: ann, at: minutesAgo(1) }],
  [3, { kind: 'failed', sentence: brokenOff }],
]);

export const files = [
  ...entriesOf('Proof files', filesModal, {
    'Files to fetch': () => filesModal(card, few, new Map()),
    'Posted, on its way, failed': () => filesModal(card, few, standings),
    'No files': () => filesModal(card, [], new Map()),
    'Many files with hostile names, some too large': () =>
      filesModal(card, manyFiles, new Map([[2, { kind: 'failed', sentence: notTaken('other_error') }]])),
  }),
  ...entriesOf('Proof files', filesNote, {
    'Asking for the files': () => filesNote(lookingForFiles),
    'A file is empty': () => filesNote(emptyFile),
  }),
];
