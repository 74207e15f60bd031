import type { CampaignChange } from '../../src/domain/campaign-notice.ts';
import type { DailyContent } from '../../src/domain/daily-summary.ts';
import { type AccountId, type CampaignId, campaignStatuses, type MemberId } from '../../src/domain/terms.ts';
import { campaignNotice } from '../../src/features/campaign-notices/notice.view.ts';
import { dailyMessage } from '../../src/features/daily/daily.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { campaign } from '../samples/campaigns.ts';
import { ann, ben } from '../samples/people.ts';
import { hostile, longest } from '../samples/texts.ts';
import { hour, now } from '../samples/times.ts';

const account = asId<AccountId>('a1');
const day: DailyContent = {
  from: now - 24 * hour,
  until: now,
  ratings: { OK: 41, NOK: 3, REVISE: 6 },
  reviewers: [
    { member: ann, ratings: { OK: 30, NOK: 3, REVISE: 2 } },
    { member: ben, ratings: { OK: 11, NOK: 0, REVISE: 4 } },
  ],
  paid: '20.50',
  bonuses: '1.25',
  unpriced: 0,
  reasons: [
    { verdict: 'REVISE', name: 'Photo is blurred', tasks: 6 },
    { verdict: 'NOK', tasks: 3 },
  ],
};
const busy: DailyContent = {
  ...day,
  ratings: { OK: 123_456, NOK: 12_345, REVISE: 23_456 },
  reviewers: Array.from({ length: 50 }, (_, index) => ({
    member: asId<MemberId>(`U${index}`),
    ratings: { OK: 8_230, NOK: 823, REVISE: 1_563 },
  })),
  unpriced: 12,
  reasons: Array.from({ length: 10 }, (_, index) => ({
    verdict: 'NOK' as const,
    name: index % 2 === 0 ? hostile : longest(),
    tasks: 1_000 - index,
  })),
};
const one: DailyContent = {
  ...day,
  ratings: { OK: 0, NOK: 1, REVISE: 0 },
  reviewers: [{ member: ben, ratings: { OK: 0, NOK: 1, REVISE: 0 } }],
  paid: '0',
  bonuses: '0',
  reasons: [{ verdict: 'NOK', tasks: 1 }],
};

const allAccepted: DailyContent = {
  ...day,
  ratings: { OK: 2, NOK: 0, REVISE: 0 },
  reviewers: [{ member: ben, ratings: { OK: 2, NOK: 0, REVISE: 0 } }],
  bonuses: '0',
  unpriced: 1,
  reasons: [],
};

const id = (index: number) => asId<CampaignId>(`c${index}`);
const changes = (count: number): CampaignChange[] =>
  Array.from({ length: count }, (_, index) => ({ campaign: id(index), status: 'FINISHED', at: now }));
const listed = (title: string, count: number) =>
  new Map(Array.from({ length: count }, (_, index) => [id(index), campaign({ id: id(index), title })]));

export const channelMessages = [
  ...entriesOf('Daily summary', dailyMessage, {
    'A day of two reviewers': () => dailyMessage(account, day),
    'All accepted, of which one has an unknown payment': () => dailyMessage(account, allAccepted),
    'One task': () => dailyMessage(account, one),
    'Everything as long as it comes': () => dailyMessage(account, busy),
  }),
  ...entriesOf('Campaigns', campaignNotice, {
    'A campaign has finished': () =>
      campaignNotice(account, { changes: changes(1) }, listed('Photograph a tea shelf', 1), new Map()),
    'Each status': () =>
      campaignNotice(
        account,
        {
          changes: campaignStatuses.map((status, index) => ({ campaign: id(index), status, at: now })),
        },
        listed(hostile, campaignStatuses.length),
        new Map(),
      ),
    'One more than are named, and one task waits in each': () => {
      const names = listed('Photograph a tea shelf', 16);
      const waiting = [...names].map(([key, one]) => [key, { ...one, tasksNotRated: 1 }] as const);
      return campaignNotice(account, { changes: changes(16) }, new Map(waiting), new Map());
    },
    'Hundreds at once': () =>
      campaignNotice(account, { changes: changes(500) }, listed(longest(), 50), new Map()),
    'The instructions of two may be at fault': () =>
      campaignNotice(
        account,
        {
          changes: [],
          faults: [3, 12].map((workers, index) => ({
            campaign: id(index),
            reason: `r${index}`,
            workers,
            at: now,
          })),
        },
        listed(hostile, 1),
        new Map([['r0', 'The picture is blurry']]),
      ),
    'One has finished, and another’s instructions may be at fault': () =>
      campaignNotice(
        account,
        {
          changes: changes(1),
          faults: [
            { campaign: id(1), reason: 'r0', workers: 3, at: now },
            { campaign: id(2), reason: 'gone', workers: 4, at: now },
          ],
        },
        listed('Photograph a tea shelf', 2),
        new Map([['r0', longest().slice(0, 75)]]),
      ),
    'One that is no longer listed': () =>
      campaignNotice(account, { changes: changes(1) }, new Map(), new Map()),
  }),
];
