import { WebAPIPlatformError } from '@slack/web-api';
import { beforeEach, expect, test } from 'vitest';
import type { ChannelId, MemberId, TaskId } from '../../src/domain/terms.ts';
import { createChannelCheck } from '../../src/features/channels/check.ts';
import { createChannels } from '../../src/features/channels/index.ts';
import { createMove, createRetire } from '../../src/features/channels/move.ts';
import { openCardsLimit } from '../../src/features/channels/routing.ts';
import { createSubscriptionsFeature } from '../../src/features/channels/subscriptions.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { createLostChannels } from '../../src/store/channels.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';
import { decided, waitingRow } from '../harness/waiting-row.ts';

const redis = twoRedisClients();
const { workspace } = ref;
const channels = ['C1', 'C2', 'C3'].map((id) => asId<ChannelId>(id));
const paced = { everyMs: 30_000, apartMs: 1_500 };

test('channels are checked in turn, and two checks are apart, whichever process makes them', async () => {
  const [one, other] = [createLostChannels(redis.first), createLostChannels(redis.second)];
  const checks = async (process: typeof one, at: number) =>
    process.nextToCheck(workspace, channels, at, paced);
  expect(await checks(one, 100_000)).toBe('C1');
  expect(await checks(one, 101_499)).toBeUndefined();
  expect(await checks(other, 101_499)).toBeUndefined();
  expect(await checks(other, 101_500)).toBe('C2');
  expect(await checks(one, 102_999)).toBeUndefined();
  expect(await checks(one, 103_000)).toBe('C3');
  expect(await checks(other, 129_999)).toBeUndefined();
  expect(await checks(other, 130_000)).toBe('C1');
});

const [c1, c2] = channels as [ChannelId, ChannelId];
const ann = asId<MemberId>('U1');
const refused = (error: string) => new SlackError('', new WebAPIPlatformError({ ok: false, error } as never));

/** What Slack says of C1, and does when somebody is told. */
let c1Is: () => Promise<object>;
let tells: () => Promise<void>;
beforeEach(() => {
  c1Is = async () => ({ isMember: true, isArchived: true, isShared: false });
  tells = async () => undefined;
});

/** The check of C1, to which Ann has subscribed a campaign; the account's other tasks go to C2. */
async function checking({ isUsed = true } = {}) {
  const told: string[] = [];
  const queued: string[] = [];
  const say = async (to: string, { text }: { text: string }) => {
    await tells();
    told.push(`${to}: ${text}`);
  };
  const usable = { isMember: true, isArchived: false, isShared: false };
  const messenger = {
    channel: async (id: ChannelId) => (id === c1 ? c1Is() : usable),
    post: say,
    direct: say,
  };
  const jobs = { add: async (name: string) => void queued.push(name) } as never;
  const slack = { homes: { all: async () => void queued.push('homes') }, messengerOf: () => messenger };
  const modules = testModules(redis.first, { slack }, { jobs, messengerOf: () => messenger as never });
  const { subscriptions, lost } = modules.channels;
  const here = { account: ref.account, at: 1, started: true };
  if (isUsed) await subscriptions.put(workspace, { ...here, channel: c1, campaign: asId('shelf'), by: ann });
  await subscriptions.put(workspace, { ...here, channel: c2 });
  const check = createChannelCheck({
    ...modules,
    cards: {
      accountsOf: async () => [ref],
      async *needed() {},
    },
  });
  return {
    modules,
    subscriptions,
    told,
    queued: () => queued.splice(0),
    runs: () => check.job({ workspace, channel: c1 }),
    code: async () => (await lost.get(workspace, c1))?.code,
    limits: () => modules.jobs.incidents.record(workspace, `channel ${c1}`, 'restricted_action'),
  };
}

test('of a lost channel its subscribers and the channel in its place are told once, and its cards move until it is back', async () => {
  const { code, queued, runs, told } = await checking();
  expect(await runs()).toEqual({ again: expect.any(Number) });
  expect(told).toEqual([
    expect.stringMatching(/^C2: .* is archived, so its tasks continue here/),
    expect.stringMatching(/^U1: .*is archived\. Its tasks continue in <#C2>/),
  ]);
  expect(queued()).toEqual(['homes', 'move-cards']);
  await runs();
  expect(told).toHaveLength(2);
  expect(queued()).toEqual(['move-cards']);
  c1Is = async () => ({ isMember: true, isArchived: false, isShared: false });
  expect(await runs()).toBeUndefined();
  expect([await code(), queued()]).toEqual([undefined, ['homes', 'fill-windows', 'retire-cards']]);
});

test('who has subscribed a limited channel is told once; one that was lost besides is not lost once it is back', async () => {
  const { code, limits, modules, runs, told } = await checking();
  await limits();
  await modules.channels.health.reportFailure(workspace, c1, 'is_archived');
  await runs();
  expect(await code()).toBe('is_archived');
  c1Is = async () => ({ isMember: true, isArchived: false, isShared: false });
  await runs();
  expect(await code()).toBeUndefined();
  expect((await modules.marketplace.pauses.all(workspace)).size).toBe(0);
  await limits();
  await runs();
  await runs();
  expect(told.slice(2)).toEqual([expect.stringMatching(/^U1: Proofdesk is not allowed to post in/)]);
});

test('a channel that loses a subscription to another one at the same moment is told', async () => {
  const { modules, told } = await checking();
  // Whoever subscribes C1 has looked before C2 was subscribed.
  const subscriptions = { ...modules.channels.subscriptions, ofAccount: async () => [] };
  const { commands } = createSubscriptionsFeature({
    ...{ ...modules, channels: { ...modules.channels, subscriptions } },
    ...{ startPolling: async () => undefined, watch: { problemOf: async () => undefined } as never },
  });
  const asked = { workspace, channel: c1, text: '', member: ann, answer: async () => undefined };
  await commands?.[0]?.run({ ...asked, authorize: async () => ref } as never);
  expect(told[0]).toMatch(/^C2: <@U1> moved new tasks from their account to <#C1>/);
});

test('who has subscribed a lost channel to what continues nowhere reads that it waits', async () => {
  const { runs, subscriptions, told } = await checking();
  await subscriptions.put(workspace, { account: asId('a2'), channel: c1, by: ann, at: 1, started: true });
  await runs();
  expect(told[1]).toMatch(/^U1: .* continue in .*\n.*is archived, so new tasks cannot be posted there/s);
});

test('who cannot be told of a lost channel because Slack does not answer is told at the next check, whom it refuses is not', async () => {
  const { runs, told } = await checking();
  tells = () => Promise.reject(new SlackError('', new Error('no answer')));
  await runs();
  tells = async () => undefined;
  await runs();
  expect(told).toHaveLength(2);
  await redis.first.flushall();
  const other = await checking();
  tells = () => Promise.reject(refused('user_disabled'));
  await other.runs();
  tells = async () => undefined;
  await other.runs();
  expect(other.told).toEqual([]);
});

test('a channel of which Slack says nothing, or that nobody uses, is not lost', async () => {
  c1Is = () => Promise.reject(refused('internal_error'));
  const unknown = await checking();
  expect(await unknown.runs()).toBeDefined();
  expect(await unknown.code()).toBeUndefined();
  c1Is = () => Promise.reject(refused('channel_not_found'));
  await redis.first.flushall();
  const unused = await checking({ isUsed: false });
  expect(await unused.runs()).toBeUndefined();
  expect(await unused.code()).toBeUndefined();
});

test('accounts that share a channel share its limit of open cards, and each has at least one', async () => {
  const { channels: stores } = testModules(redis.first);
  const limitWith = async (accounts: number, openCards: number) => {
    const here = { channel: c1, at: 1, started: true };
    for (let n = 1; n <= accounts; n += 1)
      await stores.subscriptions.put(workspace, { ...here, account: asId(`a${n}`) });
    await stores.settings.set(workspace, c1, { muted: [], openCards }, { how: 'form' });
    return openCardsLimit(testModules(redis.first), ref, c1);
  };
  expect(await limitWith(1, 20)).toBe(20);
  expect([await limitWith(3, 20), await limitWith(3, 2), await limitWith(3, 0)]).toEqual([6, 1, 0]);
});

test('old cards in a channel that is back say where they continue, once they do; none does if it is lost again', async () => {
  const updated: string[] = [];
  let update = async (): Promise<void> => undefined;
  const messenger = {
    permalink: async () => 'https://slack.example/new',
    async update({ ts }: { ts: string }) {
      await update();
      updated.push(ts);
    },
  };
  const modules = testModules(redis.first, {}, { messengerOf: () => messenger as never });
  const { tasks } = modules;
  const [moved, moving] = [asId<TaskId>('t1'), asId<TaskId>('t2')];
  const posted = (channel: ChannelId, ts: string) =>
    ({ type: 'posted', messageRef: { channel, ts } }) as const;
  const events = [
    [moved, posted(c1, '1.1'), { type: 'channel-lost', channel: c1 }, posted(c2, '2.1')],
    [moving, posted(c1, '1.2'), decided('d1'), { type: 'channel-lost', channel: c1 }],
  ] as const;
  for (const [id, ...all] of events)
    for (const event of [waitingRow(id), ...all]) await tasks.apply(ref, id, event);
  const retires = () => createRetire(modules)({ ...ref, channel: c1 });
  update = () => Promise.reject(refused('is_archived'));
  expect(await retires()).toBeUndefined();
  expect(await tasks.count(ref, 'moved')).toBe(2);
  update = async () => undefined;
  expect(await retires()).toEqual({ again: 5_000 });
  expect([updated, await tasks.count(ref, 'moved')]).toEqual([['1.1'], 1]);
  await tasks.apply(ref, moving, posted(c2, '2.2'));
  expect(await retires()).toBeUndefined();
  expect([updated, await tasks.count(ref, 'moved')]).toEqual([['1.1', '1.2'], 0]);
  // It is not lost any more: nothing leaves it.
  const needed = () => {
    throw new Error('nothing is moved');
  };
  const move = createMove({ ...modules, cards: { needed } } as never);
  expect(await move({ ...ref, channel: c1 })).toBeUndefined();
});

test('a deleted card is found while the channel of a more urgent one is lost, or limited', async () => {
  const isThere = async ({ channel }: { channel: ChannelId }) => channel === c1;
  const modules = testModules(redis.first, {}, { messengerOf: () => ({ isThere }) as never });
  const { tasks } = modules;
  const places = [[asId<TaskId>('t1'), c1] as const, [asId<TaskId>('t2'), c2] as const];
  for (const [id, channel] of places) {
    await tasks.apply(ref, id, waitingRow(id));
    await tasks.apply(ref, id, { type: 'posted', messageRef: { channel, ts: '1.1' } });
  }
  await modules.channels.subscriptions.addPolledAccount(ref);
  await modules.channels.health.reportFailure(workspace, c1, 'restricted_action');
  await createChannels(modules).afterSweep(ref);
  expect((await tasks.get(ref, places[1]?.[0] ?? asId('')))?.card.state).toBe('wanted');
});
