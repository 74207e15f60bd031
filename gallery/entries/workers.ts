import type { ListedWorker, WorkerRecord } from '../../src/domain/worker.ts';
import {
  changedText,
  clearedText,
  notChanged,
  severalNamed,
  workerMessage,
  workersMessage,
} from '../../src/features/workers/workers.view.ts';
import { notice } from '../../src/slack/blocks.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { fullHistory, workerHistory } from '../samples/evidence.ts';
import { account, ann, ben } from '../samples/people.ts';
import { longest } from '../samples/texts.ts';
import { ago, day } from '../samples/times.ts';

const record = (id: string, fields: Partial<WorkerRecord> = {}): WorkerRecord => ({
  id: asId(id),
  name: `worker_${id}`,
  counts: { OK: 120, NOK: 14, REVISE: 3, NOTRATED: 2, NOTREVIEWED: 0 },
  campaigns: 6,
  ...fields,
});
const unseen = record('9a41c7', {
  counts: { OK: 0, NOK: 0, REVISE: 0, NOTRATED: 0, NOTREVIEWED: 0 },
  campaigns: 0,
});
const excluded: readonly ListedWorker[] = Array.from({ length: 24 }, (_, index) => ({
  worker: asId(`9a41c${index}`),
  at: ago(index * day),
  ...(index % 4 === 0 ? {} : { by: index % 2 === 0 ? ann : ben }),
}));
const records = excluded.slice(0, 8).map(({ worker }) => record(worker));
const longestRecords = excluded.map(({ worker }) => record(worker, { name: longest(400), id: worker }));
const first = { account, page: 0 };

export const workers = [
  ...entriesOf('Workers', workersMessage, {
    'Exclude list': () => workersMessage(first, excluded, records),
    'Exclude list: last page, after a change': () =>
      workersMessage({ account, page: 9 }, excluded, records, changedText('include', 'done', '9a41c9')),
    'Exclude list: one, with an id as long as it comes': () =>
      workersMessage(first, excluded.slice(0, 1), records, changedText('exclude', 'done', longest())),
    'Exclude list: empty': () => workersMessage(first, [], []),
    'Exclude list: cleared': () => workersMessage(first, [], [], clearedText(24)),
    'Exclude list: everything as long as it comes': () => workersMessage(first, excluded, longestRecords),
  }),
  ...entriesOf('Workers', workerMessage, {
    'One worker': () => workerMessage({ account, record: record('9a41c7') }),
    'One worker, excluded': () =>
      workerMessage({
        account,
        record: record('9a41c7'),
        exclusion: { by: ann, at: ago(day) },
        history: workerHistory,
      }),
    'One worker, with everything as long as it comes': () =>
      workerMessage({ account, record: record('9a41c7'), history: fullHistory }),
    'Several of one name': () =>
      notice(
        severalNamed(
          ` ${longest()}`,
          Array.from({ length: 11 }, (_, index) => `w${index}`),
        ),
      ),
    'One worker, never seen': () => workerMessage({ account, record: unseen }),
    'One worker, hostile name, after a change': () =>
      workerMessage({
        account,
        record: record('9a41c7', { name: longest() }),
        outcome: notChanged('The marketplace does not answer. Try again in a minute.'),
      }),
  }),
];
