import { expect, test } from 'vitest';
import type { ActOfKind } from '../../src/domain/approval.ts';
import type { ChannelId } from '../../src/domain/terms.ts';
import { UserError } from '../../src/errors.ts';
import { createRestart } from '../../src/features/campaigns/change.ts';
import { unknownPayment } from '../../src/features/campaigns/change.view.ts';
import { createApproved } from '../../src/features/campaigns/create.ts';
import { draftGone } from '../../src/features/campaigns/create.view.ts';
import { createStatus } from '../../src/features/campaigns/list.ts';
import { timeToRateState } from '../../src/features/campaigns/list.view.ts';
import { createResults } from '../../src/features/campaigns/results.ts';
import { campaignValue } from '../../src/features/campaigns/words.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';

const by = { by: 'U1', member: 'U2', how: 'approval' } as never;

const [id, title] = ['c1', 'Shelf'];
const restart = { kind: 'restart', campaign: id, title, positions: 5, payment: '0.1', before: 10 } as never;

/** An approved restart of a campaign that is like this now, as far as the marketplace answers. */
function approvedRestart(now: object, isAway = false) {
  const finished = { status: 'FINISHED', availablePositions: 10, paymentPerTask: '0.1' };
  const campaign = { id, title, ...finished, ...now };
  const snapshot = async () => ({ campaign, lastSeen: isAway ? 1 : undefined });
  return createRestart(onlyModules({ campaigns: { listings: { snapshot } } }), {} as never).approved;
}

test('an approved restart waits for the marketplace, and is canceled when its campaign is not finished any more', async () => {
  expect(await approvedRestart({}).current(ref, restart)).toMatchObject({ positions: 5, before: 10 });
  expect(await approvedRestart({}, true).current(ref, restart)).toEqual({ again: 30_000 });
  const canceled = async (now: object) => approvedRestart(now).current(ref, restart);
  expect(await canceled({ status: 'RUNNING' })).toHaveProperty(
    'canceled',
    expect.stringContaining('“Running”'),
  );
  expect(await canceled({ paymentPerTask: '-1' })).toEqual({ canceled: unknownPayment });
});

test('whether an interrupted restart was made is told by exactly the positions that it adds', async () => {
  const settled = async (availablePositions: number) => {
    const { settle } = approvedRestart({ availablePositions });
    return settle(ref, restart, 'p1', by);
  };
  const sentence = expect.stringContaining('now has 5 more positions');
  expect(await settled(15)).toEqual({ kind: 'done', sentence });
  for (const positions of [10, 12]) {
    const asked = expect.stringMatching(/it had 10 positions when last seen, and has 15 if/);
    expect(await settled(positions)).toEqual({ kind: 'unknown', sentence: asked });
  }
  expect(await approvedRestart({}, true).settle(ref, restart, 'p1', by)).toEqual({ again: 30_000 });
});

const create = { kind: 'create', draft: 'd1', version: 3 } as ActOfKind<'create'>;

test.each([
  ['is sent as it was kept', { version: 3, step: 'done' }, 'done', true],
  ['is sent as it was checked, if it could not be kept', { version: 2, step: 'check' }, 'done', true],
  ['is not sent when it was changed', { version: 4, step: 'done' }, 'canceled', false],
  ['is not sent while it is changed', { version: 3, step: 'check' }, 'canceled', false],
  ['is not sent when it was sent otherwise', { version: 3, step: 'unknown' }, 'canceled', false],
  ['is not sent when it is gone', undefined, 'canceled', false],
])('an approved campaign %s', async (_, draft, kind, isSent) => {
  let sent = 0;
  const approved = createApproved({
    load: async () => draft,
    find: async () => ({ isThere: false }),
    lookUp: () => Promise.reject(new Error('nothing is looked up here')),
    async sendOnce() {
      sent += 1;
      return { step: 'done', sentences: [] };
    },
  } as never);
  expect(await approved.perform(ref, create, 'p1', by)).toMatchObject({ kind });
  expect(sent).toBe(isSent ? 1 : 0);
});

test.each([
  ['cannot be looked for', undefined, 'unanswered'],
  ['is there already', { isThere: true, sentence: 'there' }, 'done'],
] as const)('an approved campaign that %s is not sent', async (_, found, kind) => {
  const approved = createApproved({
    load: async () => ({ version: 3, step: 'done' }),
    find: async () => found,
    sendOnce: () => Promise.reject(new Error('sent')),
  } as never);
  expect(await approved.perform(ref, create, 'p1', by)).toMatchObject({ kind });
});

test.each([
  ['is gone', undefined, { kind: 'unknown', sentence: draftGone }],
  ['was not sent', { version: 3, step: 'done' }, { kind: 'unanswered', sentence: '' }],
  ['was sent', { version: 4, step: 'done', sentences: ['a', 'b'] }, { kind: 'done', sentence: 'a b' }],
  ['may be there', { version: 4, step: 'unknown' }, { kind: 'unknown', sentence: 'looked up' }],
  [
    'was refused',
    { version: 4, step: 'work', problems: [{ text: 'a' }] },
    { kind: 'refused', sentence: 'a' },
  ],
])('an approved campaign that was interrupted and %s is settled so', async (_, draft, settled) => {
  const approved = createApproved({
    load: async () => draft,
    lookUp: async () => ({ step: 'unknown', sentences: ['looked up'] }),
  } as never);
  expect(await approved.settle(ref, create, 'p1', by)).toEqual(settled);
});

test('results with workers’ addresses leave only for a direct message', async () => {
  const modules = onlyModules({
    ...{ audit: {}, log: {}, marketplace: {}, people: {}, slack: {}, campaigns: { listings: {} } },
  });
  const { clicks } = createResults(modules, {} as never).feature;
  const value = campaignValue.encode({ campaign: asId('c1') });
  const click = { value, channel: 'C1', authorize: async () => ref } as never;
  await expect(clicks?.['campaign.results.original']?.run(click)).rejects.toThrow(UserError);
});

test('the days to rate are 1 to 30; the cards of the campaign that are posted say when they are due', async () => {
  const [drawn, put, shown] = [[], [], []] as [unknown[], unknown[], unknown[]];
  const gone = () => Promise.reject(new UserError('gone'));
  const tasks = [
    { id: 't1', card: { state: 'posted' } },
    { id: 't2', card: { state: 'backlog' } },
  ];
  const modules = onlyModules({
    audit: { step: (_: unknown, entry: unknown) => entry },
    campaigns: { get: async () => undefined, listings: { snapshot: gone } },
    tasks: {
      getMany: async () => tasks,
      markNeedsRender: async (_: unknown, ids: unknown) => void drawn.push(ids),
      open: { ofCampaigns: async () => [] },
      timesToRate: {
        put: async (_: unknown, of: string, days: number, step: (before?: number) => object) =>
          void put.push(of, days, step(days === 1 ? undefined : 1)),
      },
    },
  });
  const { submissions } = createStatus(modules, {} as never).feature;
  const state = timeToRateState.encode({ campaign: asId('c1'), origin: { channel: asId<ChannelId>('C1') } });
  const submits = async (days: string) => {
    const values = { days: { days: { value: days } } };
    const submission = {
      ...{ state, values, authorize: async () => ref, member: 'U1', how: 'form' },
      show: async ({ text }: { text: string }, _: unknown, at: unknown) => void shown.push(text, at),
    };
    const answer = await submissions?.['campaign.time-to-rate']?.run(submission as never);
    await answer?.afterwards?.();
    return answer?.errors === undefined;
  };
  const taken = await Promise.all(['0', '1', '30', '31', '1.5', ''].map(submits));
  expect(taken).toEqual([false, true, true, false, false, false]);
  expect(drawn).toEqual([['t1'], ['t1']]);
  const entry = { what: 'set time to rate', by: 'U1', how: 'form', campaign: 'c1' };
  const stored = [
    { ...entry, after: '1 day' },
    { ...entry, before: '1 day', after: '30 days' },
  ];
  expect(put).toEqual(['c1', 1, stored[0], 'c1', 30, stored[1]]);
  const said = 'Tasks of Campaign c1 are due after 1 day. Open cards will show it within a few minutes.';
  expect(shown.slice(0, 2)).toEqual([said, { channel: 'C1' }]);
});
