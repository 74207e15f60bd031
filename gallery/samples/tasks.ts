import type { Asked } from '../../src/domain/campaign.ts';
import type { Decision, DecisionState, EarlierRound, ProofFile, Task } from '../../src/domain/task.ts';
import { noTasks } from '../../src/domain/worker.ts';
import type { CardData } from '../../src/features/cards/card.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { account, ann, ben, reviewChannel } from './people.ts';
import { hostile, longest, paragraph } from './texts.ts';
import { minutesAgo, now } from './times.ts';

export function task(fields: Partial<Task> = {}): Task {
  return {
    id: asId('5e1d77a0c3'),
    campaign: asId('7f3a9c21'),
    round: 1,
    rating: 'NOTRATED',
    comment: '',
    ratedAt: minutesAgo(8),
    worker: { id: asId('9a41c7'), name: 'ines_13', country: 'France', ip: '203.0.113.77' },
    csvRow: '0',
    proof: { slots: [paragraph], files: [], finishedAt: minutesAgo(42) },
    detailed: true,
    card: { state: 'wanted' },
    revision: 1,
    ...fields,
  };
}

export function decision(state: DecisionState, fields: Partial<Decision> = {}): Decision {
  const isPending = state === 'waiting' || state === 'sending' || state === 'held';
  return {
    id: 'd1',
    by: ann,
    verdict: 'OK',
    comment: '',
    at: minutesAgo(2),
    state,
    attempts: state === 'waiting' ? 0 : 1,
    ...(isPending ? { dueAt: now + 20_000 } : {}),
    ...fields,
  };
}

export const files: readonly ProofFile[] = [
  { index: 1, filename: 'shelf-left.jpg', contentType: 'image/jpeg', size: 1_842_113 },
  { index: 2, filename: 'shelf-right.png', contentType: 'image/png', size: 912_400 },
  { index: 3, filename: 'receipt.pdf', contentType: 'application/pdf', size: 84_220 },
];

/** A task with six pictures, of which the card shows three. */
export const sixPictures = task({
  proof: {
    slots: ['See the pictures.'],
    files: Array.from({ length: 6 }, (_, index) => ({
      index: index + 1,
      filename: `shelf-${index + 1}.jpg`,
      contentType: 'image/jpeg',
      size: 1_000_000,
    })),
  },
  pictures: [1, 2, 3].map((index) => ({ index, file: `F0${index}` })),
});

export const manyFiles: readonly ProofFile[] = Array.from({ length: 120 }, (_, index) => ({
  index: index + 1,
  filename: `${index} ${longest(300)}`,
  contentType: hostile,
  size: index % 3 === 0 ? 900_000_000 : index,
}));

/** What campaigns ask for: as listed, per slot, and for a row with unknown values. */
export const asked: Asked = {
  work: 'Go to a supermarket near you and find the shelf with tea.\n\nPhotograph the whole shelf from the front, so that every price label can be read. Do not use a photo from the internet.',
  proofs: ['A photo of the whole shelf with the price labels, and the name of the shop.'],
  isPerSlot: false,
};
export const askedPerSlot: Asked = {
  ...asked,
  proofs: [
    'The name of the shop and the street',
    'The number on the price label of Assam 250 g',
    'What was missing',
  ],
  isPerSlot: true,
};
export const askedOfRow: Asked = {
  ...asked,
  work: 'Go to {{shop}} in {{street}}.',
  proofs: ['A photo of {{shop}}'],
  row: '17',
};

export const before: EarlierRound = {
  slots: ['A photo of the shelf, but only the upper half can be seen.'],
  comment: 'Please photograph the whole shelf, with the price labels.',
  by: ben,
  card: { channel: reviewChannel, ts: '1.000001' },
};

export const largestTask = task({
  id: asId('f'.repeat(120)),
  campaign: asId('e'.repeat(120)),
  round: 9_999,
  worker: { id: asId(longest(500)), name: longest(500), country: longest(500), ip: longest(60) },
  proof: { slots: [longest(20_000), longest(20_000), longest(20_000)], files: manyFiles, finishedAt: now },
  comment: longest(),
  before: { ...before, slots: [longest(), longest()], comment: longest() },
});

/** Returns the card data of a task. */
export function cardOf(of: Task, fields: Partial<CardData> = {}): CardData {
  return {
    account,
    task: of,
    campaignTitle: 'Photograph a shelf in your supermarket',
    asked,
    paymentPerTask: '0.45000',
    record: { counts: { ...noTasks, OK: 12, NOK: 1, NOTRATED: 2 }, campaigns: 3 },
    ...fields,
  };
}
