import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type CampaignState,
  observed,
  searchCampaigns,
  tellApart,
  withoutUntold,
} from '../../src/domain/campaign.ts';
import {
  applyCampaignNoticeEvent,
  type CampaignChange,
  type CampaignNotice,
  type CampaignNoticeEvent,
} from '../../src/domain/campaign-notice.ts';
import type { CampaignId, CampaignStatus, ChannelId } from '../../src/domain/terms.ts';
import { asId } from '../harness/ids.ts';
import { forAll } from './properties.ts';

const second = 1_000;

/** What people are told, poll by poll. */
function told(polls: readonly CampaignStatus[], everyMs = 30 * second): string[] {
  let state: CampaignState | undefined;
  const said: string[] = [];
  for (const [index, listed] of polls.entries()) {
    state = observed(state, listed, index * everyMs);
    if (!state.untold) continue;
    said.push(state.status);
    state = withoutUntold(state);
  }
  return said;
}
const listed = (status: CampaignStatus, times: number) => Array<CampaignStatus>(times).fill(status);

test('a campaign that finishes, pauses or is blocked is told once, and never as it was found first', () => {
  for (const status of ['FINISHED', 'PAUSED', 'PAUSED_ADMIN', 'PAUSED_SYSTEM', 'BLOCKED'] as const) {
    expect(told([...listed('RUNNING', 3), ...listed(status, 50)])).toEqual([status]);
    expect(told(listed(status, 5))).toEqual([]);
  }
  expect(told([...listed('PENDING_REVIEW', 3), ...listed('RUNNING', 30)])).toEqual([]);
  const paused = [...listed('RUNNING', 3), ...listed('PAUSED', 30), ...listed('FINISHED', 30)];
  expect(told(paused)).toEqual(['PAUSED', 'FINISHED']);
});

test('a campaign is not told by a list that errs now and then', () => {
  expect(told([...listed('RUNNING', 2), 'FINISHED', ...listed('RUNNING', 9)])).toEqual([]);
  expect(told([...listed('RUNNING', 2), 'BLOCKED', 'PAUSED', 'BLOCKED', 'RUNNING'])).toEqual([]);
});

test('a campaign is not told again by lists that lag for up to ten minutes, whatever they show of before', () => {
  const lists = fc.array(fc.constantFrom<CampaignStatus>('RUNNING', 'FINISHED'), { maxLength: 18 });
  forAll({ examples: [[listed('RUNNING', 18)]] }, lists, (lagging) => {
    const polls = [...listed('RUNNING', 3), ...listed('FINISHED', 3)];
    expect(told([...polls, ...lagging, ...listed('FINISHED', 5)])).toEqual(['FINISHED']);
  });
});

test('a campaign that runs again and finishes once more later is told once more', () => {
  const once = [...listed('RUNNING', 3), ...listed('FINISHED', 3)];
  const again = [...once, ...listed('RUNNING', 60), ...listed('FINISHED', 30)];
  expect(told(again)).toEqual(['FINISHED', 'FINISHED']);
});

const channel = asId<ChannelId>('C1');
const change = (index: number): CampaignChange => ({
  campaign: asId<CampaignId>(`c${index}`),
  status: 'FINISHED',
  at: 1,
});
const add = (before: CampaignNotice | undefined, changes: readonly CampaignChange[], at: number) =>
  applyCampaignNoticeEvent(before, { type: 'changed', channel, changes, at });

test('the message in a channel is one for many campaigns at once, and tells none twice', () => {
  const all = Array.from({ length: 1_200 }, (_, index) => change(index));
  const first = add(undefined, all, 1);
  expect(first?.changes).toHaveLength(1_000);
  expect(add(first, all.slice(0, 10), 2)).toBeUndefined();
});

test('the message in a channel takes in what follows within a minute, and later a new one is posted', () => {
  const posting = add(undefined, [change(1)], 0);
  const wanted = posting && ({ ...posting, card: { state: 'wanted' } } as const);
  const messageRef = { channel, ts: '1.1' };
  const posted = applyCampaignNoticeEvent(wanted, { type: 'posted', messageRef });
  const soon = add(posted, [change(2)], 60 * second - 1);
  expect(soon?.card).toMatchObject({ state: 'posted', ts: '1.1' });
  expect(soon?.changes).toEqual([change(1), change(2)]);
  const late = add(posted, [change(2)], 60 * second);
  const anew = { channel, changes: [change(2)], changedAt: 60 * second, card: { state: 'wanted' } };
  expect(late).toEqual({ ...anew, revision: 2 });
  const fault = (reason: string, at: number): CampaignNoticeEvent => ({
    ...{ type: 'at-fault', channel, fault: { campaign: asId('c1'), reason, workers: 3, at } },
  });
  const told = applyCampaignNoticeEvent(posted, fault('r1', 1));
  expect(told).toMatchObject({ changes: [change(1)], faults: [{ reason: 'r1' }], revision: 2 });
  expect(applyCampaignNoticeEvent(told, fault('r1', 2))).toBeUndefined();
  const many = ['r1', ...'abcdefghij'].map((reason) => fault(reason, 70 * second));
  const all = many.reduce<CampaignNotice | undefined>(applyCampaignNoticeEvent, undefined);
  expect(all?.faults?.map(({ reason }) => reason).join('')).toBe('abcdefghij');
  const next = applyCampaignNoticeEvent(told, fault('r2', 61 * second));
  expect(next).toMatchObject({ changes: [], faults: [{ reason: 'r2' }], card: { state: 'wanted' } });
});

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
  [' c1 ', 'c1'],
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
  forAll({ examples: [[`'#"`]] }, title, (text) => {
    for (const typed of [text, `“${text}”`, text.normalize('NFD'), text.normalize('NFC')])
      expect(searchCampaigns([{ id: 'it', title: text }], typed).only?.id).toBe('it');
  });
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
