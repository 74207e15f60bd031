import type { ListedWorker, WorkerRecord } from '../../src/domain/worker.ts';
import {
  changeResultText,
  clearedText,
  idsModal,
  progressModal,
  statusModal,
  workerMessage,
  workersMessage,
} from '../../src/features/workers/workers.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { fullHistory, workerHistory } from '../samples/evidence.ts';
import { account, ann, ben } from '../samples/people.ts';
import { hostile, longest } from '../samples/texts.ts';
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
const records = new Map(excluded.slice(0, 8).map(({ worker }) => [worker, record(worker)]));
const longestRecords = new Map(
  excluded.map(({ worker }) => [worker, record(worker, { name: longest(400), id: worker })]),
);
const first = { account, page: 0 };
const list = { excluded, records, favorites: excluded.slice(0, 3) };
const nobody = { excluded: [], favorites: [], records: new Map() };
const change = {
  change: 'exclude',
  done: ['9a41c7', '9a41c8'],
  already: ['9a41c9'],
  failed: [
    { of: '9a41d1', sentence: '', isUnsure: true },
    { of: hostile, sentence: 'The marketplace does not answer. Try again in a minute.', isUnsure: false },
  ],
} as const;

export const workers = [
  ...entriesOf('Workers', workersMessage, {
    'Exclude list': () => workersMessage(first, list),
    'Exclude list: last page, after a change': () =>
      workersMessage({ account, page: 9 }, list, changeResultText(change)),
    'Exclude list: empty': () => workersMessage(first, nobody),
    'Exclude list: cleared': () => workersMessage(first, nobody, clearedText(24)),
    'Exclude list: everything as long as it comes': () =>
      workersMessage(first, { ...list, records: longestRecords }),
  }),
  ...entriesOf('Workers', workerMessage, {
    'One worker': () => workerMessage({ account, record: record('9a41c7') }),
    'One worker, excluded and favorite': () =>
      workerMessage({
        account,
        record: record('9a41c7'),
        exclusion: { by: ann, at: ago(day) },
        favorite: { by: ben, at: ago(9 * day) },
        history: workerHistory,
      }),
    'One worker, with everything as long as it comes': () =>
      workerMessage({ account, record: record('9a41c7'), history: fullHistory }),
    'One worker, never seen': () => workerMessage({ account, record: unseen }),
    'One worker, hostile name, after a change': () =>
      workerMessage({
        account,
        record: record('9a41c7', { name: longest() }),
        outcome: changeResultText(change),
      }),
  }),
  ...entriesOf('Workers', idsModal, {
    'Exclude by id': () => idsModal({ account, change: 'exclude', origin: {}, page: 0 }),
    'Remove from the list by id': () => idsModal({ account, change: 'include', origin: {}, page: 0 }),
  }),
  ...entriesOf('Workers', progressModal, { 'Excluding several': () => progressModal(12, 40) }),
  ...entriesOf('Workers', statusModal, {
    'Several were changed': () => statusModal(changeResultText(change)),
  }),
];
