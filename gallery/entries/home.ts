import { money } from '../../src/domain/money.ts';
import type { CampaignId, TaskId } from '../../src/domain/terms.ts';
import type { DecisionRow } from '../../src/features/home/board.view.ts';
import { homeView } from '../../src/features/home/home.view.ts';
import { rolesText } from '../../src/features/people/roles.view.ts';
import { section } from '../../src/slack/blocks.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { campaign } from '../samples/campaigns.ts';
import { account, ann, ben, reviewChannel } from '../samples/people.ts';
import { bonusRequest, createAct, request, tooLow } from '../samples/requests.ts';
import { before, decision, task } from '../samples/tasks.ts';
import { hostile, longest } from '../samples/texts.ts';
import { ago, day, hour, now } from '../samples/times.ts';

const channelGone = (code: string, isReplaced = false) =>
  ({ kind: 'channel', channel: reviewChannel, code, since: ago(day), isReplaced }) as const;

/** The largest board: as many campaigns as it names, and more. */
const fullBoard = {
  waiting: 10_000,
  isPartial: false,
  campaigns: 1_000,
  oldest: ago(6 * day),
  late: 3,
  dueToday: 412,
  undated: 120,
  money: money('1234567.89012'),
  unpriced: 7,
  rows: Array.from({ length: 5 }, (_, index) => ({
    campaign: asId<CampaignId>(`c${index}`),
    waiting: 1_000 - index,
    oldest: ago(6 * day),
    dueAt: now + hour,
    dueToday: 42,
    listed: campaign({
      title: index === 4 ? hostile : longest(),
      paymentPerTask: '0.25075',
      availablePositions: 12_000,
      tasksOk: 2_500 * index,
      tasksNotRated: 1_000,
    }),
  })),
  page: 1,
  pages: 200,
  subscriptions: 3,
} as const;

/** A task for each outcome of a decision. */
const outcomes = [
  task({ decision: decision('waiting') }),
  task({
    decision: decision('held', { problem: { text: 'The marketplace is not answering right now.' } }),
  }),
  task({ decision: decision('applied'), rating: 'OK' }),
  task({ decision: decision('sending', { verdict: 'NOK' }) }),
  task({ decision: decision('refused', { problem: { text: 'The campaign has ended.' } }) }),
  task({ decision: decision('overtaken'), rating: 'NOK' }),
  task({ undone: ['d1'] }),
  task({ undone: ['d1'], undoneBy: { by: ann, of: ben, verdict: 'OK', at: ago(hour) } }),
  task({ round: 2, before: { ...before, by: ben } }),
  undefined,
];

/** A row for each; a real page has fewer. */
const decisionRows: readonly DecisionRow[] = outcomes.map((of, index) => ({
  id: asId<TaskId>(`t${index}`),
  decision: 'd1',
  at: ago(index * 60_000),
  task: of && { ...of, worker: { ...of.worker, name: index === 8 ? hostile : 'Ines R.' } },
  campaignTitle: index === 9 ? hostile : 'Photograph a tea shelf',
}));

export const home = [
  ...entriesOf('Home', homeView, {
    'Not connected': () => homeView(undefined, now),
    'Inbox messages are unread': () =>
      homeView({ account, name: 'default', isOwn: true, unread: 12, mayRate: true }, now),
    'With the desk': () =>
      homeView({ account, name: 'default', isOwn: true, unread: 0, mayRate: true, hasDesk: true }, now),
    'Own key, no channel is subscribed': () => homeView({ account, name: 'Acme <Europe>', isOwn: true }, now),
    'A reviewer': () => homeView({ account, name: 'default', isOwn: false, role: 'a reviewer' }, now),
    'An owner': () =>
      homeView(
        {
          account,
          name: 'default',
          isOwn: false,
          role: 'an owner',
          roles: rolesText({
            rights: { grants: [], confirmedChannels: [] },
            isShared: true,
            ownersByKey: [],
            channels: [reviewChannel],
            account,
          }),
        },
        now,
      ),
    'Board: short of reviewers': () =>
      homeView({ account, name: 'default', isOwn: true, board: fullBoard }, now),
    'Board: in time, zone not known': () =>
      homeView(
        {
          account,
          name: 'default',
          isOwn: false,
          board: {
            ...fullBoard,
            waiting: 1_000,
            late: 0,
            dueToday: 42,
            money: money('250.75'),
            campaigns: 1,
            rows: fullBoard.rows.slice(0, 1),
            page: 0,
            pages: 1,
            undated: 0,
            unpriced: 0,
          },
        },
        now,
      ),
    'Board: no rating deadline is set': () =>
      homeView(
        {
          account,
          name: 'default',
          isOwn: false,
          board: {
            waiting: 1,
            isPartial: true,
            campaigns: 1,
            late: 0,
            dueToday: 0,
            undated: 1,
            money: money(0),
            unpriced: 1,
            rows: [{ campaign: asId('c1'), waiting: 1 }],
            page: 0,
            pages: 1,
            subscriptions: 1,
            lastSeen: ago(hour),
          },
        },
        now,
      ),
    'Board: nothing waits': () =>
      homeView(
        {
          account,
          name: 'default',
          isOwn: true,
          board: {
            waiting: 0,
            isPartial: false,
            campaigns: 0,
            late: 0,
            dueToday: 0,
            undated: 0,
            money: money(0),
            unpriced: 0,
            rows: [],
            page: 0,
            pages: 1,
            subscriptions: 3,
            lastSeen: ago(hour),
          },
        },
        now,
      ),
    'A morning: what waits, the campaigns, and every outcome of a decision': () =>
      homeView(
        {
          account,
          name: 'default',
          isOwn: false,
          role: 'a reviewer',
          mayRate: true,
          board: {
            ...fullBoard,
            waiting: 32,
            campaigns: 2,
            late: 0,
            dueToday: 4,
            undated: 0,
            unpriced: 0,
            money: money('9.6'),
            oldest: ago(day),
            page: 0,
            pages: 1,
            rows: [
              {
                campaign: asId<CampaignId>('c1'),
                waiting: 20,
                oldest: ago(day),
                dueAt: now + 5 * hour,
                dueToday: 4,
                listed: campaign({
                  title: 'Photograph a tea shelf',
                  paymentPerTask: '0.3',
                  availablePositions: 500,
                  tasksOk: 312,
                  tasksNotRated: 20,
                }),
              },
              {
                campaign: asId<CampaignId>('c2'),
                waiting: 12,
                oldest: ago(6 * hour),
                dueAt: now + 2 * day,
                dueToday: 0,
                listed: campaign({
                  title: 'Visit a coffee shop',
                  paymentPerTask: '0.3',
                  availablePositions: 100,
                  tasksOk: 3,
                  tasksNotRated: 12,
                }),
              },
              {
                campaign: asId<CampaignId>('c3'),
                waiting: 0,
                listed: campaign({
                  title: 'Write a review of a museum',
                  paymentPerTask: '0.3',
                  availablePositions: 40,
                  tasksOk: 38,
                  tasksNotRated: 0,
                }),
              },
            ],
          },
          mine: [{ task: asId('t1'), dueAt: now + 5 * hour }, { task: asId('t2') }],
          unread: 3,
          decisions: { member: ben, rows: decisionRows },
        },
        now,
      ),
    'Undo was too late': () =>
      homeView(
        {
          account,
          name: 'default',
          isOwn: true,
          mayRate: true,
          decisions: {
            member: ben,
            rows: decisionRows.slice(3, 4),
            said: [section('It is being sent right now and can no longer be undone.')],
          },
        },
        now,
      ),
    'Channels, a key and results need attention': () =>
      homeView(
        {
          account,
          name: 'default',
          isOwn: true,
          needsAttention: [
            { kind: 'key', name: 'default', since: ago(2 * day) },
            channelGone('is_archived'),
            channelGone('not_in_channel'),
            channelGone('channel_not_found', true),
            channelGone('channel_not_found'),
            channelGone('restricted_action'),
            { kind: 'results', since: ago(hour), campaignTitle: hostile },
          ],
        },
        now,
      ),
    'The storage is almost full': () =>
      homeView(
        {
          account,
          name: 'default',
          isOwn: true,
          needsAttention: [{ kind: 'memory', since: ago(hour) }],
        },
        now,
      ),
    'Requests wait for an approval': () =>
      homeView(
        {
          account,
          name: 'default',
          isOwn: true,
          approvals: [
            request(),
            bonusRequest({ id: 'b' }),
            request({ id: 'c', act: createAct, total: '9', reason: tooLow }),
          ],
        },
        now,
      ),
    'More needs attention than is listed': () =>
      homeView(
        {
          account,
          name: 'default',
          isOwn: false,
          needsAttention: Array.from({ length: 12 }, () => channelGone('is_archived')),
        },
        now,
      ),
  }),
];
