import type { CampaignId, ChannelId, TaskId, WorkerId } from '../../src/domain/terms.ts';
import type { DecisionRow } from '../../src/features/home/board.view.ts';
import { homeView } from '../../src/features/home/home.view.ts';
import { section } from '../../src/slack/blocks.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { account, ann, ben, reviewChannel } from '../samples/people.ts';
import { bonusRequest, createAct, request, tooLow } from '../samples/requests.ts';
import { before, decision, task } from '../samples/tasks.ts';
import { hostile, longest } from '../samples/texts.ts';
import { ago, day, hour, now } from '../samples/times.ts';

const channelGone = (code: string, ...to: ChannelId[]) =>
  ({
    kind: 'channel',
    channel: reviewChannel,
    code,
    since: ago(day),
    to,
    isWaiting: to.length === 0,
  }) as const;

/** The largest board: as many campaigns as it names, and more. */
const fullBoard = {
  waiting: 10_000,
  isPartial: false,
  campaigns: 1_000,
  oldest: ago(6 * day),
  late: 3,
  dueToday: 412,
  undated: 120,
  rows: Array.from({ length: 5 }, (_, index) => ({
    campaign: asId<CampaignId>(`c${index}`),
    title: index === 4 ? hostile : longest(),
    waiting: 1_000 - index,
    oldest: ago(6 * day),
    dueAt: now + hour,
  })),
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
  task({ undone: ['d1'], undoneBy: { by: ann, of: ben, verdict: 'OK', at: now } }),
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

const unnamed = { id: asId<TaskId>('t1'), decision: 'd1', at: ago(hour), campaignTitle: '' };
const noName = { worker: { id: asId<WorkerId>('a1b2c3'), country: '', ip: '' } };

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
          mayChangeSettings: true,
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
            campaigns: 1,
            rows: fullBoard.rows.slice(0, 1),
            undated: 0,
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
            rows: [{ campaign: asId('c1'), title: '', waiting: 1 }],
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
            rows: [],
            subscriptions: 3,
            lastSeen: ago(hour),
          },
        },
        now,
      ),
    'Board: one task, which is overdue': () =>
      homeView(
        {
          ...{ account, name: 'default', isOwn: true, role: 'an owner', mayRate: true },
          board: { ...fullBoard, waiting: 1, campaigns: 6, late: 1, dueToday: 1, undated: 0 },
          mine: [{ task: asId('t1'), dueAt: now - hour }],
        },
        now,
      ),
    'Board: none of several is due today': () =>
      homeView(
        {
          ...{ account, name: 'default', isOwn: true, mayRate: true },
          board: { ...fullBoard, waiting: 3, late: 0, dueToday: 0, undated: 1 },
          mine: [{ task: asId('t1') }],
        },
        now,
      ),
    'Board: two of three are due today, one of them overdue': () =>
      homeView(
        {
          ...{ account, name: 'default', isOwn: true },
          board: { ...fullBoard, waiting: 3, late: 1, dueToday: 2, undated: 2, oldest: undefined, rows: [] },
        },
        now,
      ),
    'Nothing waits for a reviewer, and the worker of a decision has no name': () =>
      homeView(
        {
          ...{ account, name: 'default', isOwn: true, mayRate: true },
          board: { ...fullBoard, waiting: 0, campaigns: 0, late: 0, dueToday: 0, undated: 0, rows: [] },
          decisions: {
            member: ben,
            rows: [{ ...unnamed, task: task({ ...noName, decision: decision('waiting') }) }],
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
            oldest: ago(day),
            rows: [
              {
                campaign: asId<CampaignId>('c1'),
                title: 'Photograph a tea shelf',
                waiting: 20,
                oldest: ago(day),
                dueAt: now + 5 * hour,
              },
              {
                campaign: asId<CampaignId>('c2'),
                title: 'Visit a coffee shop',
                waiting: 12,
                oldest: ago(6 * hour),
                dueAt: now + 2 * day,
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
            channelGone('channel_not_found'),
            channelGone('channel_not_found', asId('C02SHELVES')),
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
    'As much needs attention as is listed': () =>
      homeView(
        {
          ...{ account, name: 'default', isOwn: true },
          needsAttention: Array.from({ length: 10 }, () => channelGone('restricted_action')),
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
