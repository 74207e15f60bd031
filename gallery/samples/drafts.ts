import {
  type CampaignDraft,
  type Category,
  emptyFields,
  type FieldName,
  type Problem,
} from '../../src/features/campaigns/create-fields.ts';
import { account, ann, reviewChannel } from './people.ts';
import { hostile, longest, paragraph } from './texts.ts';

const category: Category = {
  id: '0301',
  title: 'Photograph something',
  minimums: [
    { zone: 'int', payment: '0.15' },
    { zone: 'west1', payment: '0.45' },
  ],
};

const largestCategory: Category = {
  id: '7-7',
  title: longest(200),
  minimums: Array.from({ length: 30 }, (_, zone) => ({
    zone: `${hostile}${zone}`,
    payment: '999000.12345',
  })),
};

/** An attached file. */
const image = {
  id: 'F01LEFT',
  name: 'example-shelf.jpg',
  size: 1_842_113,
  contentType: 'image/jpeg',
  address: 'https://files.slack.com/F01LEFT',
};

const csv = { ...image, id: 'F02SHOPS', name: 'shops.csv', contentType: 'text/csv', size: 8_214 };

export const fresh: CampaignDraft = {
  ...{ id: 'd1', member: ann, account, channel: reviewChannel, step: 'job', version: 1 },
  ...{ values: emptyFields, files: {}, problems: [], sentences: [] },
};

export const filled: CampaignDraft = {
  ...fresh,
  values: {
    ...fresh.values,
    title: 'Photograph a shelf in your supermarket',
    category,
    payment: '0.45',
    positions: '300',
    perWorker: '1',
    minutes: '15',
    work: paragraph,
    proof1: 'The name of the shop',
    proof2: 'The address of the shop',
    fileProof: '2',
    ttr: '7',
  },
  files: { file: image },
};

/** A campaign in which each worker reads their own description, filled in from a template. */
export const fromTemplate: CampaignDraft = {
  ...filled,
  values: {
    ...filled.values,
    description: 'UNIQUE',
    work: 'Find {{product}} in {{shop}}, {{city}}.',
    template: {
      of: csv.id,
      columns: ['product', 'shop'],
      rows: [
        ['Coffee', 'Corner shop'],
        ['<!channel>', 'A & B'],
      ],
      count: 2,
    },
  },
  files: { file: image, csv },
};

export const largestDraft: CampaignDraft = {
  ...filled,
  values: {
    ...filled.values,
    title: longest(),
    category: largestCategory,
    work: longest(),
    proof1: longest(),
    proof2: longest(),
    proof3: longest(),
    positions: '999999999',
    payment: '999999.12345',
  },
};

const fields: readonly (FieldName | undefined)[] = [
  'title',
  'category',
  'payment',
  'positions',
  'perWorker',
  'minutes',
  'description',
  'work',
  'proof1',
  'proof2',
  'proof3',
  'fileProof',
  'ttr',
  'file',
  'csv',
];
/** A problem with every field. */
export const everyProblem: Problem[] = fields.map((field) => ({
  ...(field ? { field } : {}),
  text: 'The marketplace answered “INVALID VALUE”. Change it and try again.',
}));
