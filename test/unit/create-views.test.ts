import { describe, expect, test } from 'vitest';
import type { Catalogue } from '../../src/features/create/catalogue.ts';
import { type CampaignDraft, emptyFields } from '../../src/features/create/draft.ts';
import { categoryOptions } from '../../src/features/create/job.view.ts';
import { draftView } from '../../src/features/create/result.view.ts';
import { asId } from '../harness/ids.ts';

/** As many categories as asked for. */
function catalogueOf(parents: number, each: number): Catalogue {
  return Array.from({ length: parents }, (_, parent) => ({
    title: `Parent ${parent}`,
    categories: Array.from({ length: each }, (__, index) => ({
      id: `${parent}-${index}`,
      title: `Category ${index}`,
      minimums: [{ zone: 'int', payment: '0.05' }],
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

describe('categories', () => {
  const select = (catalogue: Catalogue) => {
    const view = draftView(empty, catalogue);
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
