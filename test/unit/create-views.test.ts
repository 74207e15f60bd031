import { describe, expect, test } from 'vitest';
import { money } from '../../src/domain/money.ts';
import type { Catalogue } from '../../src/features/create/catalogue.ts';
import { type CampaignDraft, emptyFields, type FieldName } from '../../src/features/create/draft.ts';
import { categoryOptions } from '../../src/features/create/job.view.ts';
import {
  createdSentences,
  draftView,
  foundSentence,
  loadingView,
  lostPageProblem,
  noCategories,
  notLoadedView,
  readingView,
} from '../../src/features/create/result.view.ts';
import { wording } from '../../src/features/create/wording.ts';
import { nextVersion } from '../../src/features/shared/draft-form/draft.ts';
import {
  closedMessage,
  goneBeforeProblem,
  interruptedSentence,
  notSentProblem,
  openingView,
  otherAccountProblem,
  sendAgainProblem,
  sendingView,
  unknownSentences,
} from '../../src/features/shared/draft-form/draft-form.view.ts';
import { asId } from '../harness/ids.ts';
import { expectGoodMessage, expectGoodView, hostile } from './campaign-samples.ts';

const long = (length: number) => `${hostile} ${'𝔘'.repeat(length - hostile.length - 1)}`;

/** As many categories as asked for, each with a long name and minimums in many zones. */
function catalogueOf(parents: number, each: number): Catalogue {
  return Array.from({ length: parents }, (_, parent) => ({
    title: `${parent} ${long(200)}`,
    categories: Array.from({ length: each }, (__, index) => ({
      id: `${parent}-${index}`,
      title: `${index} ${long(200)}`,
      minimums: Array.from({ length: 30 }, (___, zone) => ({
        zone: `${hostile}-${zone}`,
        payment: `${999_000 + zone}.12345`,
      })),
    })),
  }));
}

const small: Catalogue = [
  {
    title: 'Surveys',
    categories: [
      {
        id: '0101',
        title: 'Short survey',
        minimums: [
          { zone: 'west1', payment: '0.15' },
          { zone: 'int', payment: '0.05' },
        ],
      },
    ],
  },
];

const fields: readonly FieldName[] = [
  'title',
  'category',
  'payment',
  'positions',
  'perWorker',
  'minutes',
  'group',
  'description',
  'work',
  'proof1',
  'proof2',
  'proof3',
  'fileProof',
  'autoRate',
  'ttr',
  'qtRequired',
  'file',
  'csv',
];

const empty: CampaignDraft = {
  id: 'd',
  member: asId('U01ANN'),
  account: asId('a'),
  step: 'job',
  version: 0,
  values: emptyFields,
  files: {},
  uploads: 0,
  problems: [],
  sentences: [],
};

/** The longest that may have been typed, with a problem at every field. */
const longest: CampaignDraft = {
  ...empty,
  id: 'd'.repeat(36),
  account: asId('a'.repeat(16)),
  channel: asId('C01REVIEW'),
  unfinished: { id: 'e'.repeat(36), description: wording.subject(titled(long(3_000))) },
  version: 99_999,
  values: {
    title: long(3_000),
    category: '99-99',
    payment: '999999.99999',
    positions: '999999999',
    perWorker: '999999999',
    minutes: '999999999',
    group: long(3_000),
    description: 'UNIQUE',
    work: `{{a}} {{b}} ${long(2_900)}`,
    proofs: [long(3_000), long(3_000), long(3_000)],
    fileProof: '2',
    autoRate: 'V+R',
    ttr: '30',
    qtRequired: '0',
    template: {
      of: 'F2',
      columns: ['a', ...Array.from({ length: 99 }, () => long(200))],
      rows: Array.from({ length: 3 }, () => Array.from({ length: 100 }, () => long(1_000))),
      count: 1_000_000,
    },
  },
  problems: [{ text: long(2_000) }, ...fields.map((field) => ({ field, text: `${field} is wrong.` }))],
  files: {
    file: {
      id: 'F1',
      name: long(255),
      size: 10 * 1024 * 1024,
      contentType: 'text/plain',
      address: 'https://files.example/1',
    },
    csv: {
      id: 'F2',
      name: long(255),
      size: 1,
      contentType: 'text/csv',
      address: 'https://files.example/2',
    },
  },
  uploads: 1_000,
};

function titled(title: string): CampaignDraft {
  return { ...empty, values: { ...emptyFields, title } };
}

describe('every page with the longest texts and a problem at every field', () => {
  test.each(['job', 'work', 'check'] as const)('%s keeps to the limits and pings nobody', (step) => {
    for (const catalogue of [small, catalogueOf(100, 100), catalogueOf(1, 101), catalogueOf(101, 1), []]) {
      // What people typed themselves stands in inputs as it is; everything else is harmless.
      const view = draftView({ ...longest, step, problems: withoutMarks(longest.problems) }, catalogue);
      expectGoodView(view);
    }
  });

  test('says every problem at its field or on top', () => {
    for (const [step, own] of [
      ['job', fields.slice(0, 7)],
      ['work', fields.slice(7)],
    ] as const) {
      const text = JSON.stringify(draftView({ ...longest, step }, small));
      expect(own.filter((field) => !text.includes(`*Check this.* ${field} is wrong.`))).toEqual([]);
    }
  });

  test('the pages without inputs too', () => {
    const found = Array.from({ length: 50 }, () => ({
      id: '`'.repeat(300),
      title: long(3_000),
      availablePositions: 999_999_999,
    }));
    const sent: CampaignDraft = { ...longest, sent: { at: 1e12, before: [] } };
    const untitled = { ...sent, values: { ...sent.values, title: '', ttr: '1' } };
    for (const sentences of [
      [],
      unknownSentences(wording, sent, { isThere: true, sentence: foundSentence(found) }),
      unknownSentences(wording, sent, { isThere: false, sentence: foundSentence([]) }),
      unknownSentences(wording, untitled, undefined),
      [interruptedSentence(wording, sent)],
      createdSentences(untitled, { campaignId: '12e5', speedPrevious: hostile, speedNew: hostile }),
      createdSentences(sent, { campaignId: '`', cost: money('999999999.12345') }),
    ]) {
      for (const step of ['unknown', 'done'] as const) {
        const draft = nextVersion(sent, step, { sentences });
        expectGoodView(draftView(draft, []));
        if (step === 'unknown' || sentences.length > 0) expectGoodMessage(closedMessage(wording, draft));
      }
    }
    for (const view of [
      loadingView(longest),
      openingView(wording, longest),
      readingView(longest),
      sendingView(wording, longest),
      notLoadedView(longest, noCategories),
    ])
      expectGoodView(view);
    for (const problem of [
      otherAccountProblem(wording),
      notSentProblem(wording),
      goneBeforeProblem,
      lostPageProblem,
      sendAgainProblem(wording, sent),
    ]) {
      expectGoodView(draftView({ ...longest, step: 'check', problems: [problem] }, small));
    }
    expectGoodMessage(closedMessage(wording, { ...longest, problems: withoutMarks(longest.problems) }));
    expectGoodMessage(closedMessage(wording, { ...longest, step: 'check', problems: [] }));
  });
});

test('an empty form is good too', () => {
  for (const step of ['job', 'work', 'check'] as const) expectGoodView(draftView({ ...empty, step }, small));
});

describe('categories', () => {
  const select = (catalogue: Catalogue) => {
    const view = draftView({ ...longest, step: 'job' }, catalogue);
    return view.blocks.find(({ block_id }) => block_id === 'category');
  };

  test('are a list under their parents while Slack can hold them, otherwise asked for while typing', () => {
    expect(select(small)).toMatchObject({
      element: {
        type: 'static_select',
        option_groups: [
          {
            label: { text: 'Surveys' },
            options: [{ value: '0101', description: { text: 'from 0.05 per task' } }],
          },
        ],
      },
    });
    for (const many of [catalogueOf(1, 101), catalogueOf(101, 1), catalogueOf(100, 100)]) {
      expect(select(many)).toMatchObject({ element: { type: 'external_select' } });
    }
  });

  test('offer at most 100 at once, and never an empty group', () => {
    const { groups } = categoryOptions(catalogueOf(60, 3));
    expect(groups.flatMap(({ options }) => options)).toHaveLength(100);
    expect(groups.every(({ options }) => options.length > 0)).toBe(true);
    expect(categoryOptions([])).toEqual({ groups: [] });
  });
});

function withoutMarks(problems: CampaignDraft['problems']): CampaignDraft['problems'] {
  return problems.map((problem) => ({ ...problem, text: problem.text.replaceAll('<', '&lt;') }));
}
