import { money } from '../../src/domain/money.ts';
import {
  employersMessage,
  excludedText,
  excludeEmployersModal,
  excludeEmployersStatus,
  excluding,
  notAWorker,
  tasksMessage,
} from '../../src/features/worker-side/worker-side.view.ts';
import type { Pager, WorkerTask } from '../../src/marketplace/index.ts';
import { notice } from '../../src/slack/blocks.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { account } from '../samples/people.ts';
import { hostile, longest, paragraph, rightToLeft } from '../samples/texts.ts';
import { ago, hour } from '../samples/times.ts';

const workerTask = (index: number, fields: Partial<WorkerTask> = {}): WorkerTask => ({
  taskId: asId(`t${index}`),
  campaignId: asId('7f3a9c21'),
  campaignTitle: 'Photograph a shelf in your supermarket',
  workerId: asId('9a41c7'),
  csvRecordNr: '0',
  ip: '203.0.113.77',
  finishedAt: new Date(ago(index * 5 * hour)),
  proof: paragraph,
  hasFile: index % 2 === 0,
  rating: 'OK',
  employerComment: '',
  workerEarned: money('0.45'),
  bonusWorkerEarned: money(index % 3 === 0 ? '0.05' : '0'),
  ...fields,
});
const tasks = [
  workerTask(1),
  workerTask(2, { rating: 'NOK', employerComment: 'The photo shows another product.' }),
  workerTask(3, { rating: 'REVISE', employerComment: hostile, campaignTitle: hostile, proof: hostile }),
  workerTask(4, { rating: 'NOTRATED', proof: ' ', employerComment: ' ', campaignTitle: rightToLeft }),
  workerTask(5, { rating: 'NOTREVIEWED', finishedAt: undefined }),
];
const longestTasks = Array.from({ length: 10 }, (_, index) =>
  workerTask(index, { campaignTitle: longest(), proof: '&'.repeat(300), employerComment: longest() }),
);
const pager: Pager = {
  currentPage: 2,
  entriesOnThisPage: 5,
  entriesPerPage: 10,
  first: 11,
  last: 15,
  firstPage: 1,
  lastPage: 4,
  nextPage: 3,
  previousPage: 1,
  totalEntries: 38,
};
const employer = (index: number) => ({
  userId: `e${index}`,
  username: `employer_${index}`,
  country: 'Germany',
});
const employers = [
  ...Array.from({ length: 14 }, (_, index) => employer(index)),
  { userId: 'e99', username: hostile, country: hostile },
];
const list = { account, page: 1 };

export const workerSide = [
  ...entriesOf('Worker side', tasksMessage, {
    'Your tasks': () => tasksMessage(list, { tasks, pager }, 'UTC'),
    'Your tasks: filtered, none': () =>
      tasksMessage(
        { account, rating: 'NOK', from: '2026-01-01', page: 0 },
        { tasks: [], pager: { ...pager, totalEntries: 0, lastPage: 0 } },
        'UTC',
      ),
    'Your tasks: one of a rating': () =>
      tasksMessage(
        { account, rating: 'OK', page: 0 },
        { tasks: tasks.slice(0, 1), pager: { ...pager, totalEntries: 1, first: 1, last: 1, lastPage: 1 } },
        'UTC',
      ),
    'Your tasks: none': () =>
      tasksMessage(
        { account, page: 0 },
        { tasks: [], pager: { ...pager, totalEntries: 0, lastPage: 0 } },
        'UTC',
      ),
    'Your tasks: none of a rating': () =>
      tasksMessage(
        { account, rating: 'OK', page: 0 },
        { tasks: [], pager: { ...pager, totalEntries: 0, lastPage: 0 } },
        'UTC',
      ),
    'Your tasks: everything as long as it comes': () =>
      tasksMessage(list, { tasks: longestTasks, pager }, longest()),
  }),
  ...entriesOf('Worker side', employersMessage, {
    'Excluded employers': () => employersMessage({ account, kind: 'excluded', page: 0 }, employers),
    'Included employers': () => employersMessage({ account, kind: 'included', page: 1 }, employers),
    'No employers': () => employersMessage({ account, kind: 'excluded', page: 0 }, []),
  }),
  ...entriesOf('Worker side', excludeEmployersModal, {
    'Exclude employers by id': () =>
      excludeEmployersModal({ account, kind: 'excluded', page: 0, origin: {} }),
  }),
  ...entriesOf('Worker side', excludeEmployersStatus, {
    'Excluding employers': () => excludeEmployersStatus(excluding),
    'Some employers were excluded': () => excludeEmployersStatus(excludedText(2, 3)),
    'All employers were excluded': () => excludeEmployersStatus(excludedText(3, 3)),
    'Employers were excluded, not known how many': () => excludeEmployersStatus(excludedText(undefined, 3)),
  }),
  ...entriesOf('Worker side', notice, {
    'The key is no worker’s': () => notice(notAWorker('API NOT ENABLED')),
    'The key is no worker’s, in many words': () => notice(notAWorker(longest())),
  }),
];
