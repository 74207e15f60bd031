import {
  emptyFile,
  type FileStatus,
  type FilesState,
  fileComment,
  filesLate,
  filesModal,
  filesStatusModal,
  incompleteDownload,
  loadingFiles,
  tooLarge,
  unpackedTooFar,
  uploadErrorText,
} from '../../src/features/files/files.view.ts';
import { notice } from '../../src/slack/blocks.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { account, ann, reviewChannel } from '../samples/people.ts';
import { files as few, manyFiles } from '../samples/tasks.ts';
import { minutesAgo } from '../samples/times.ts';

const card: FilesState = {
  account,
  task: asId('5e1d77a0c3'),
  round: 1,
  channel: reviewChannel,
  ts: '1.000001',
};
const one = { index: 1, filename: 'shelf.png', contentType: 'image/png', size: 20_000 };
const statuses = new Map<number, FileStatus>([
  [1, { state: 'posted', by: ann, at: minutesAgo(5) }],
  [2, { state: 'under-way', by: ann, at: minutesAgo(1) }],
  [3, incompleteDownload],
]);

export const files = [
  ...entriesOf('Proof files', filesModal, {
    'Files to fetch': () => filesModal(card, few, new Map()),
    'Posted, on its way, failed': () => filesModal(card, few, statuses),
    'Pictures together, a file to open': () =>
      filesModal(
        card,
        few,
        new Map([
          [3, { state: 'posted', by: ann, at: minutesAgo(1), link: 'https://sandbox.slack.com/files/U1/F3' }],
        ]),
        { shown: [1, 2].map((index) => ({ index, file: `F0${index}` })), loading: 0 },
      ),
    'Pictures on their way': () => filesModal(card, few, new Map(), { shown: [], loading: 3 }),
    'A picture on its way, and one more than is shown': () =>
      filesModal(
        card,
        few,
        new Map([
          [1, tooLarge()],
          [2, uploadErrorText('ratelimited')],
        ]),
        { shown: Array.from({ length: 26 }, (_, index) => ({ index, file: `F${index}` })), loading: 1 },
      ),
    'No files': () => filesModal(card, [], new Map()),
    'Many files with hostile names, some too large': () =>
      filesModal(card, manyFiles, new Map([[2, uploadErrorText('other_error')]])),
  }),
  ...entriesOf('Proof files', notice, {
    'The comment of the only file': () => notice(fileComment(one, 1, ann)),
    'The comment of one of two files': () => notice(fileComment(one, 2, ann)),
    ...Object.fromEntries(
      [undefined, 'upload_failed', 'missing_scope'].map((code) => [
        `Slack did not take it: ${code ?? 'no answer'}`,
        () => notice(uploadErrorText(code)),
      ]),
    ),
  }),
  ...entriesOf('Proof files', filesStatusModal, {
    'Asking for the files': () => filesStatusModal(loadingFiles),
    'A file is empty': () => filesStatusModal(emptyFile),
    'The files of a correction are not there yet': () => filesStatusModal(filesLate),
    'A file unpacks to far more than was sent': () => filesStatusModal(unpackedTooFar),
  }),
];
