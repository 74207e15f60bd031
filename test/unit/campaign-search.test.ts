import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchCampaigns, tellApart } from '../../src/domain/campaign.ts';

const campaigns = [
  { id: 'c1', title: 'Photo of a shelf in a shop' },
  { id: 'c2', title: 'Photo of a shelf' },
  { id: 'c3', title: 'The neighbor’s “best” café' },
  { id: 'C4', title: '"Quoted" and "again"' },
];
const idsFor = (typed: string) => searchCampaigns(campaigns, typed).found.map(({ id }) => id);

test.each([
  ['photo of a SHELF', 'c2'],
  ['"Photo of a shelf"', 'c2'],
  ['“Photo of a shelf”', 'c2'],
  ['„Photo  of a shelf“', 'c2'],
  ["'photo of a shelf'", 'c2'],
  ["neighbor's", 'c3'],
  ['the neighbor´s "BEST" cafe\u0301', 'c3'],
  ['"Quoted" and "again"', 'C4'],
  ['Quoted” and “again', 'C4'],
  ['in a shop', 'c1'],
  ['c1', 'c1'],
  ['"c4"', 'C4'],
])('a campaign that somebody types as %j is found', (typed, id) => {
  expect(searchCampaigns(campaigns, typed).only?.id).toBe(id);
});

test('a campaign that somebody types by a part that several have is one of these, whole titles first', () => {
  expect(searchCampaigns(campaigns, 'photo').only).toBeUndefined();
  expect(idsFor('photo')).toEqual(['c1', 'c2']);
  expect(idsFor('Photo of a shelf')).toEqual(['c2', 'c1']);
  expect(idsFor('door')).toEqual([]);
});

test('a campaign that somebody types is found by its whole title, in quotes or not, however it is written', () => {
  // One of nothing but quotation marks is found by its id.
  const title = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => /[^\s\p{Quotation_Mark}\p{Cf}`´]/u.test(text));
  fc.assert(
    fc.property(title, (text) => {
      for (const typed of [text, `“${text}”`, text.normalize('NFD'), text.normalize('NFC')])
        expect(searchCampaigns([{ id: 'it', title: text }], typed).only?.id).toBe('it');
    }),
  );
});

test('campaigns whose titles read the same are told apart by day, positions and id, others by nothing', () => {
  const createdAt = Date.UTC(2026, 10, 3);
  const twins = [
    { id: 'a1', title: `${'long '.repeat(20)}one`, availablePositions: 1, createdAt },
    { id: 'b2', title: `${'Long '.repeat(20)}other`, availablePositions: 1_200 },
  ];
  const other = { id: 'c3', title: 'Another', availablePositions: 7, createdAt };
  const told = tellApart([...twins, other]);
  expect(twins.map(told)).toEqual(['created Nov 3, 2026 · 1 position · a1', '1,200 positions · b2']);
  expect(told(other)).toBe('');
});
