import { likenessKinds, mostAlike } from '../../src/domain/evidence/likeness.ts';
import { noTasks } from '../../src/domain/worker.ts';
import type { AlikeTask } from '../../src/store/evidence.ts';
import type { WorkerHistory } from '../../src/ui/worker.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { ben } from './people.ts';
import { hostile, longest } from './texts.ts';
import { minutesAgo } from './times.ts';

const other = (number: number, rest: Partial<AlikeTask>): AlikeTask => ({
  task: asId(`a${number}`),
  worker: asId(`w${number % 4}`),
  campaign: asId(`c${number % 2}`),
  kinds: ['same-text'],
  ...rest,
});

/** A task's similarities to three others. */
export const alike: readonly AlikeTask[] = [
  other(1, { kinds: ['same-text', 'same-file', 'same-address'] }),
  other(2, { kinds: ['near-text', 'same-picture', 'same-network'] }),
  other(3, {
    kinds: ['travel'],
    travel: { countries: ['EG', 'GR'], minutes: 4 },
  }),
];

/** The maximum number of counted tasks, with everything in common. */
export const fullAlike: readonly AlikeTask[] = Array.from({ length: mostAlike }, (_, number) =>
  other(number, {
    kinds: likenessKinds,
    travel: { countries: ['AU', 'GB'], minutes: 59 },
  }),
);

/** The history of a worker who has had better days. */
export const workerHistory: WorkerHistory = {
  campaigns: [
    {
      title: 'Photograph a shelf in your supermarket',
      counts: { ...noTasks, OK: 14, NOK: 6, NOTRATED: 2 },
      isHere: true,
    },
    { title: 'Compare two menus', counts: { ...noTasks, OK: 39, REVISE: 1 }, isHere: false },
    { title: 'Call a shop', counts: { ...noTasks, NOTREVIEWED: 1 }, isHere: false },
  ],
  reasons: [
    { name: 'The instructions were not followed', verdict: 'NOK', count: 4 },
    { verdict: 'NOK', count: 2 },
    { name: 'Something is missing', verdict: 'REVISE', count: 1 },
  ],
  exclusion: { by: ben, at: minutesAgo(60) },
};

/** More entries than are listed, with hostile names. */
export const fullHistory: WorkerHistory = {
  ...workerHistory,
  campaigns: Array.from({ length: 40 }, (_, index) => ({
    title: index % 2 ? hostile : longest(),
    counts: { ...noTasks, OK: 123_456, NOK: 123_456, REVISE: 123_456, NOTRATED: 123_456 },
    isHere: index === 0,
  })),
  reasons: Array.from({ length: 40 }, (_, index) => ({
    name: index % 2 ? hostile : longest(),
    verdict: 'NOK',
    count: 40 - index,
  })),
  exclusion: { at: minutesAgo(60) },
};
