import { likenessKinds, mostAlike } from '../../src/domain/evidence/likeness.ts';
import type { AlikeTask } from '../../src/store/evidence.ts';
import { asId } from '../../test/harness/ids.ts';

const other = (number: number, rest: Partial<AlikeTask>): AlikeTask => ({
  task: asId(`a${number}`),
  worker: asId(`w${number % 4}`),
  campaign: asId(`c${number % 2}`),
  kinds: ['same-text'],
  ...rest,
});

/** What a task has in common with three others. */
export const alike: readonly AlikeTask[] = [
  other(1, { kinds: ['same-text', 'same-file', 'same-address'] }),
  other(2, { kinds: ['near-text', 'same-picture', 'same-network'] }),
  other(3, {
    kinds: ['travel', 'pace'],
    travel: { km: 720, minutes: 4 },
    pace: { ms: 12_000, quickest: 45_000 },
  }),
];

/** As many as are counted, with everything in common. */
export const fullAlike: readonly AlikeTask[] = Array.from({ length: mostAlike }, (_, number) =>
  other(number, {
    kinds: likenessKinds,
    travel: { km: 18_123, minutes: 599 },
    pace: { ms: 59_000, quickest: 3_600_000 },
  }),
);
