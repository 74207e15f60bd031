import { WebAPIPlatformError } from '@slack/web-api';
import { beforeEach, expect, test } from 'vitest';
import type { CampaignId, ChannelId, MemberId, TaskId } from '../../src/domain/terms.ts';
import { createChannelCheck } from '../../src/features/channels/check.ts';
import { createChannels } from '../../src/features/channels/index.ts';
import { createAccountCards, createMove, createRetire } from '../../src/features/channels/move.ts';
import { openCardsLimit } from '../../src/features/channels/routing.ts';
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
async function checking({ isUsed = true, card = {} } = {}) {
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
      needed: async function* () {
        yield { card };
      } as never,
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
  for (const [state, channel, expected] of [
    ['wanted', c1],
    ['posted', c2],
    ['posted', c1, 'channel_not_found'],
  ] as const) {
    const withCard = await checking({ isUsed: false, card: { state, channel } });
    await withCard.runs();
    expect(await withCard.code()).toBe(expected);
  }
  await redis.first.flushall();
  const ofInbox = await checking({ isUsed: false });
  await ofInbox.modules.channels.inbox.choose(ref, { channel: c1, at: 1 }, { how: 'form' });
  await ofInbox.runs();
  expect(await ofInbox.code()).toBe('channel_not_found');
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
    [asId<TaskId>('t3'), posted(c2, '2.3'), { type: 'channel-lost', channel: c2 }, posted(c1, '1.3')],
  ] as const;
  for (const [id, ...all] of events)
    for (const event of [waitingRow(id), ...all]) await tasks.apply(ref, id, event);
  const retires = () => createRetire(modules)({ ...ref, channel: c1 });
  update = () => Promise.reject(refused('is_archived'));
  expect(await retires()).toBeUndefined();
  expect(await tasks.count(ref, 'moved')).toBe(3);
  update = async () => undefined;
  expect(await retires()).toEqual({ again: 5_000 });
  expect([updated, await tasks.count(ref, 'moved')]).toEqual([['1.1'], 2]);
  await tasks.apply(ref, moving, posted(c2, '2.2'));
  // Somebody has deleted it meanwhile.
  update = () => Promise.reject(refused('message_not_found'));
  expect(await retires()).toBeUndefined();
  expect([updated, await tasks.count(ref, 'moved')]).toEqual([['1.1'], 1]);
  // It is not lost any more: nothing leaves it.
  const needed = () => {
    throw new Error('nothing is moved');
  };
  const move = createMove({ ...modules, cards: { needed } } as never);
  expect(await move({ ...ref, channel: c1 })).toBeUndefined();
});

test('a deleted card is found while the channels of more urgent ones are lost, limited, or closed to the bot', async () => {
  const isThere = async ({ channel }: { channel: ChannelId }) => {
    if (channel === 'C3') throw refused('channel_not_found');
    return channel === 'C4';
  };
  const modules = testModules(redis.first, {}, { messengerOf: () => ({ isThere }) as never });
  const { tasks } = modules;
  for (const [index, channel] of ['C1', 'C2', 'C3', 'C4', 'C5'].entries()) {
    const [id, messageRef] = [asId<TaskId>(`t${index}`), { channel: asId<ChannelId>(channel), ts: '1.1' }];
    await tasks.apply(ref, id, waitingRow(id, undefined, index));
    await tasks.apply(ref, id, { type: 'posted', messageRef });
  }
  await modules.channels.subscriptions.addPolledAccount(ref);
  await modules.channels.health.reportFailure(workspace, c1, 'restricted_action');
  await modules.channels.lost.record(workspace, c2, 'is_archived', 1);
  await createChannels(modules).afterSweep(ref);
  const all = await tasks.getMany(
    ref,
    [0, 1, 2, 3, 4].map((index) => asId(`t${index}`)),
  );
  expect(all.map(({ card }) => card.state)).toEqual(['posted', 'posted', 'posted', 'posted', 'wanted']);
});

test('cards go to the channel of their campaign; while that is lost, to one that only the team reads', async () => {
  const usable = { isMember: true, isArchived: false, isShared: false };
  let [now, c2Is] = [0, usable];
  const parts = { now: () => now, messengerOf: () => ({ channel: async () => c2Is }) as never };
  const { routing, subscriptions, lost } = testModules(redis.first, {}, parts).channels;
  const [shelf, survey] = [asId<CampaignId>('shelf'), asId<CampaignId>('survey')];
  const routes = async (laterMs = 5_000) => {
    now += laterMs;
    return [...(await routing.forCampaigns(ref, [shelf, survey])).values()];
  };
  const here = { account: ref.account, at: 1, started: true };
  await subscriptions.put(workspace, { ...here, channel: c1, campaign: shelf });
  expect(await routes()).toEqual([c1]);
  await subscriptions.put(workspace, { ...here, channel: c2 });
  expect(await routes()).toEqual([c1, c2]);
  await lost.record(workspace, c1, 'is_archived', 1);
  for (const more of [{ isMember: false }, { isArchived: true }, { isShared: true }]) {
    c2Is = usable;
    expect(await routes()).toEqual([c2, c2]);
    c2Is = { ...usable, ...more };
    // What Slack says is believed for five seconds.
    expect([await routes(4_999), await routes(1)]).toEqual([
      [c2, c2],
      [c1, c2],
    ]);
  }
  c2Is = usable;
  await lost.record(workspace, c2, 'is_archived', 1);
  expect(await routes()).toEqual([c1, c2]);
});

test('at most twenty cards of a lost channel are on their way at a time; one that has no other channel stays', async () => {
  const changed: number[] = [];
  const queued: string[] = [];
  const to = new Map([
    ['c1', c2],
    ['stays', c1],
  ]);
  const replaced = {
    slack: { cards: { changed: async (_: unknown, some: unknown[]) => void changed.push(some.length) } },
    channels: { routing: { forCampaign: async (_: unknown, campaign: string) => to.get(campaign) } },
  };
  const jobs = { add: async (name: string) => void queued.push(name) } as never;
  const modules = testModules(redis.first, replaced, { jobs });
  const { tasks } = modules;
  for (const index of Array(43).keys()) {
    const [id, campaign] = [asId<TaskId>(`t${index}`), ['stays', 'waits'][index - 41] ?? 'c1'];
    const place = { channel: index === 40 ? c2 : c1, ts: `1.${index}` };
    for (const event of [waitingRow(id, asId(campaign)), { type: 'posted', messageRef: place } as const])
      await tasks.apply(ref, id, event);
    if (index < 20) await tasks.apply(ref, id, decided('d1'));
  }
  await modules.channels.lost.record(workspace, c1, 'is_archived', 1);
  const moves = createMove({ ...modules, cards: createAccountCards(modules) });
  const steps: unknown[] = [];
  const step = async () => {
    steps.push([await moves({ ...ref, channel: c1 }), await tasks.count(ref, 'moved')]);
  };
  await step();
  await step();
  // All that are decided come at once, and have their cards, but for one.
  for (let n = 1; n < 20; n += 1)
    await tasks.apply(ref, asId(`t${n}`), { type: 'posted', messageRef: { channel: c2, ts: `2.${n}` } });
  for (let n = 0; n < 3; n += 1) await step();
  const again = { again: 1_000 };
  expect(steps).toEqual([
    [again, 20],
    [again, 20],
    [again, 39],
    [again, 40],
    [undefined, 40],
  ]);
  expect(changed).toEqual([20, 0, 0, 0]);
  expect(queued).toEqual(Array(3).fill('fill-windows'));
});
