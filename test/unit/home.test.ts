import { WebAPIRateLimitedError } from '@slack/web-api';
import { expect, test } from 'vitest';
import { campaign } from '../../gallery/samples/campaigns.ts';
import { task } from '../../gallery/samples/tasks.ts';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { MemberId, TaskId } from '../../src/domain/terms.ts';
import { attentionFor } from '../../src/features/home/attention.ts';
import { boardOf } from '../../src/features/home/board.ts';
import { decisionBlocks } from '../../src/features/home/board.view.ts';
import { homeView } from '../../src/features/home/home.view.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import { createCampaigns } from '../../src/store/campaigns.ts';
import { slackPause } from '../../src/store/pauses.ts';
import { createTasks, createTimesToRate } from '../../src/store/tasks.ts';
import { eventually } from '../harness/eventually.ts';
import { createHomeDesk } from '../harness/home-desk.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { decided, waitingRow } from '../harness/waiting-row.ts';

const redis = redisPerFile();

const start = Date.UTC(2026, 10, 17, 9);
const [minute, hour] = [60_000, 3_600_000];

async function desk() {
  const clock = { at: start };
  const home = await createHomeDesk(redis(), () => clock.at);
  const textOf = (member: MemberId = home.member) => JSON.stringify(home.published.get(member));
  const refreshes = () => home.handlers['refresh-homes']({ workspace: home.workspace });
  /** Runs the jobs that are due within some time, as the queue would, and moves the clock on. */
  const passes = async (ms: number) => {
    for (const end = clock.at + ms; clock.at < end; clock.at += 1_000) {
      const due = home.queued.splice(0).filter(({ name }) => name === 'refresh-homes');
      const { openedHomes } = home.context.people;
      if (due.length > 0 || (await openedHomes.due(home.workspace, clock.at, 1)).length > 0)
        await refreshes();
    }
    clock.at = Math.max(clock.at, start);
  };
  const firstDue = () => home.context.people.openedHomes.firstDue(home.workspace);
  /** Waits until a tab is to be published. */
  const isAsked = () => eventually('a tab is asked for', async () => (await firstDue()) !== undefined);
  const decides = async (task: string, by: MemberId, at = clock.at) => {
    const id = asId<TaskId>(task);
    await home.context.tasks.apply(home.ref, id, waitingRow(id, asId('c0')));
    const event = { ...decided(`d-${task}`, { by }, at), sendAt: at + 10_000 };
    return home.context.tasks.apply(home.ref, id, event);
  };
  /** The decision on a task is sent and accepted. */
  const isSent = async (task: string) => {
    const of = { decision: `d-${task}`, attempt: 1 };
    const at = start + 10_000;
    const sending = { type: 'sending', ...of, at, leaseUntil: start + 60_000 } as const;
    await home.context.tasks.apply(home.ref, asId(task), sending);
    const applied = { type: 'applied', decision: of.decision, at: start + 11_000, answered: true } as const;
    await home.context.tasks.apply(home.ref, asId(task), applied);
  };
  return { ...home, clock, textOf, passes, refreshes, decides, isSent, isAsked };
}

/** A tab that was opened 20 seconds ago, and is asked for again. */
async function openedAndAsked() {
  const home = await desk();
  await home.opens();
  home.clock.at += 20_000;
  home.context.slack.homes.own(home.workspace, home.member);
  await home.isAsked();
  home.published.clear();
  return home;
}

test('publishing Home costs the same with 10,000 waiting tasks as with 100', async () => {
  const small = await desk();
  await small.fill(10, 10);
  await small.decides('t1', small.member);
  await small.opens();
  const few = await small.cost(() => small.opens());
  await redis().flushall();
  const large = await desk();
  await large.fill(10, 1_000);
  await large.decides('t1', large.member);
  await large.opens();
  const many = await large.cost(() => large.opens());
  expect(few.commands).toBeGreaterThan(20);
  expect(many.commands).toBeLessThanOrEqual(few.commands * 1.2);
  expect(many.bytes).toBeLessThanOrEqual(few.bytes * 1.2);
});

test('what needs people is told, oldest first, without reading tasks: of this account, and of channels that it uses', async () => {
  const home = await desk();
  const { channels, jobs } = home.context;
  await home.fill(2, 1_000);
  const own = { account: ref.account, channel: asId<never>('C2'), campaign: asId<never>('c1') };
  await channels.subscriptions.put(home.workspace, { ...own, at: 1, started: true });
  for (const name of [
    'key a1',
    'channel C2',
    'read a2 c2',
    'memory redis',
    'read a1 c1',
    'key a2',
    'shared a1 C1',
  ]) {
    home.clock.at += minute;
    await jobs.incidents.record(home.workspace, name, 'restricted_action');
  }
  for (const channel of ['C1', 'C9'])
    await channels.lost.record(home.workspace, asId(channel), 'is_archived', start);
  const channel = { kind: 'channel', to: [], isWaiting: true };
  expect(await attentionFor(home.context, home.workspace, home.member)).toEqual([
    { ...channel, since: start, channel: 'C1', code: 'is_archived' },
    { kind: 'key', since: start + minute, name: '' },
    { ...channel, since: start + 2 * minute, channel: 'C2', code: 'restricted_action' },
    { kind: 'memory', since: start + 4 * minute },
    { kind: 'results', since: start + 5 * minute, campaignTitle: 'Campaign 0001' },
  ]);
  await home.opens();
  expect((await home.cost(() => home.opens())).commands).toBeLessThan(150);
});

test('the last 20 decisions of a member are listed, the latest first, each once, and those of others are not', async () => {
  const home = await desk();
  await home.fill(1, 0);
  for (let number = 0; number < 25; number += 1) {
    await home.decides(`t${number}`, home.member, start + number);
    await home.decides(`t${number}`, home.member, start + 100 + number);
  }
  await home.decides('x', asId('U2'), start + 1_000);
  const listed = await home.context.people.decisions.latest(home.ref, home.member);
  const latest = Array.from({ length: 20 }, (_, index) => `t${24 - index}`);
  expect(listed.map(({ task }) => String(task))).toEqual(latest);
  await home.opens();
  expect(home.textOf()).toContain('Your last decisions');
  expect(home.textOf()?.match(/ \*OK\*/g)).toHaveLength(20);
  expect(await redis().ttl(`proofdesk:{T1/${home.ref.account}}:decided-by:U1`)).toBeGreaterThan(29 * 86_400);
});

test('a tab that shows a decision that waits is published again by itself when it is sent, and then rests', async () => {
  const home = await desk();
  await home.fill(1, 0);
  await home.decides('t1', home.member);
  await home.opens();
  home.published.clear();
  home.clock.at += 5_000;
  expect(await home.context.people.openedHomes.due(home.workspace, home.clock.at, 9)).toEqual([]);
  const at = await home.context.people.openedHomes.firstDue(home.workspace);
  expect(at).toBe(start + 11_500);
  const again = async () => {
    await home.opens();
    return ((await home.context.people.openedHomes.firstDue(home.workspace)) ?? 0) - home.clock.at;
  };
  home.clock.at = start + 10_000;
  const sending = { type: 'sending', decision: 'd-t1', attempt: 1 } as const;
  const lease = { at: home.clock.at, leaseUntil: start + minute };
  await home.context.tasks.apply(home.ref, asId('t1'), { ...sending, ...lease });
  expect(await again()).toBe(1_500);
  // One that takes long is looked at less often.
  home.clock.at += minute;
  expect(await again()).toBe(minute);
  await home.isSent('t1');
  await home.passes(2 * minute);
  expect(home.textOf()).toContain(':white_check_mark: *OK* by <@');
  expect(await home.context.people.openedHomes.firstDue(home.workspace)).toBeUndefined();
});

test('many changes are one publication, and tabs that were not opened within 8 hours get none', async () => {
  const home = await desk();
  await home.opens();
  home.clock.at += 20_000;
  for (let change = 0; change < 30; change += 1) home.context.slack.homes.own(home.workspace, home.member);
  home.context.slack.homes.own(home.workspace, asId('U9'));
  await home.isAsked();
  home.published.clear();
  await home.passes(1_000);
  expect([...home.published.keys()]).toEqual([home.member]);
  home.published.clear();
  // Asked for again at once: not within 5 seconds of the one before.
  home.context.slack.homes.own(home.workspace, home.member);
  await home.isAsked();
  await home.passes(3_000);
  expect(home.published.size).toBe(0);
  await home.passes(4_000);
  expect(home.published.size).toBe(1);
  home.published.clear();
  home.clock.at += 9 * 60 * minute;
  await home.context.slack.homes.all(home.workspace);
  await home.passes(5_000);
  expect(home.published.size).toBe(0);
});

test('of a thousand open tabs those opened last are published', async () => {
  const home = await desk();
  for (let number = 0; number < 1_000; number += 1)
    await home.context.people.openedHomes.record(home.workspace, asId(`U${number}`), start + number);
  home.clock.at += 2_000;
  await home.context.slack.homes.all(home.workspace);
  await home.context.slack.homes.others(home.workspace);
  await home.passes(40_000);
  expect(home.published.size).toBe(50);
  expect([...home.published.keys()].every((member) => Number(member.slice(1)) >= 950)).toBe(true);
});

test('when Slack limits publishing, the rest is published later, and nothing is asked meanwhile', async () => {
  const home = await openedAndAsked();
  home.slack.failure = new SlackError('views.publish', new WebAPIRateLimitedError(1));
  await home.refreshes();
  expect(home.published.size).toBe(0);
  home.slack.failure = undefined;
  await home.refreshes();
  expect(home.published.size).toBe(0);
  const { name, delayMs = 0 } = home.queued.at(-1) ?? {};
  expect(name).toBe('refresh-homes');
  expect(delayMs).toBeGreaterThan(0);
  await eventually('it is published', async () => {
    await home.refreshes();
    return home.published.size === 1;
  });
});

test('while calls to Slack pause, nothing is published, and what was due is published afterwards', async () => {
  const home = await openedAndAsked();
  const failure = { code: 'http_500', began: home.clock.at, pausesAfter: 1 };
  await home.context.marketplace.pauses.fail(home.workspace, slackPause, failure);
  await home.refreshes();
  expect(home.published.size).toBe(0);
  expect(home.queued.at(-1)).toMatchObject({ name: 'refresh-homes', delayMs: 1_000 });
  home.clock.at += 1_000;
  await home.refreshes();
  expect(home.published.size).toBe(1);
});

test('a tab that Slack does not take waits for the next change; what is no answer of Slack is an error', async () => {
  const home = await openedAndAsked();
  home.slack.failure = new Error('a bug');
  await expect(home.refreshes()).rejects.toThrow('a bug');
  home.context.slack.homes.own(home.workspace, home.member);
  await home.isAsked();
  home.slack.failure = new SlackError('views.publish', new Error('no answer'));
  home.clock.at += 10_000;
  await home.refreshes();
  home.slack.failure = undefined;
  await home.passes(20_000);
  expect(home.published.size).toBe(0);
});

/** 20:00 in New York, where the day has four hours left; in UTC it is the next day already. */
const now = Date.UTC(2026, 10, 17, 1);

function board(zone: string | undefined = 'America/New_York', subscribed: readonly object[] = [{}]) {
  const replaced = {
    people: { slack: { person: async () => (zone === undefined ? undefined : { zone }) } },
    channels: { subscriptions: { ofAccount: async () => subscribed } },
  };
  return boardOf(testModules(redis(), replaced, { now: () => now }), ref, asId('U1'));
}

/** A campaign of which nothing is done. */
const newCampaign = (id: string, title: string, more: Partial<Campaign> = {}) =>
  campaign({
    ...{ id: asId(id), title, availablePositions: 0, paymentPerTask: '0.10' },
    ...{ tasksOk: 0, tasksNok: 0, tasksNotRated: 0, ...more },
  });

/** What Home shows of a board. */
const shown = (found: Awaited<ReturnType<typeof board>>) =>
  homeView({ account: ref.account, name: 'default', isOwn: true, ...(found ? { board: found } : {}) }, now);

/** Lets tasks wait. */
async function wait(campaigns: number, tasksEach: number, finishedAt: number): Promise<void> {
  const tasks = createTasks(redis());
  const all = Array.from({ length: campaigns }, (_, number) =>
    newCampaign(`c${number}`, `Campaign ${number}`, { tasksNotRated: tasksEach }),
  );
  await createCampaigns(redis()).store(ref, all);
  await Promise.all(
    all.flatMap(({ id }) =>
      Array.from({ length: tasksEach }, (_, number) => {
        const task = asId<TaskId>(`${id}-${number}`);
        return tasks.apply(ref, task, waitingRow(task, id, finishedAt + number));
      }),
    ),
  );
  await Promise.all(all.map(({ id }) => createTimesToRate(redis()).put(ref, id, 1)));
}

test('the board counts the tasks of all campaigns, and shows the first of these', async () => {
  await wait(200, 10, now - 22 * hour);
  const found = await board();
  const counts = { waiting: 2_000, campaigns: 200, late: 0, dueToday: 2_000, undated: 0, subscriptions: 1 };
  const more = { isPartial: false, oldest: now - 22 * hour, lastSeen: undefined };
  expect({ ...found, rows: found?.rows.length }).toEqual({ ...counts, ...more, rows: 5 });
  const view = shown(found);
  expect(view.blocks.length).toBeLessThan(25);
  expect(JSON.stringify(view)).toMatch(/\*Campaign \d+\*.*Tasks are waiting in 195 more campaigns\./);
});

test('today ends where the reader is; where that is not known, in UTC', async () => {
  // Due at 03:00 UTC: today in New York (22:00) and in UTC, tomorrow nowhere but farther west.
  await wait(1, 1, now - 22 * hour);
  expect(await board()).toMatchObject({ dueToday: 1, late: 0, isPartial: false });
  await redis().flushall();
  // Due at 10:00 UTC: tomorrow in New York, today in UTC.
  await wait(1, 1, now - 15 * hour);
  expect(await board()).toMatchObject({ dueToday: 0, late: 0 });
  expect(await board('nowhere')).toMatchObject({ dueToday: 1 });
  for (const [others, isPartial] of [[[{}], false] as const, [[], true] as const])
    expect(await board('UTC', [{ campaign: 'c1' }, ...others])).toMatchObject({ isPartial });
});

test('of two undone decisions on a task, a colleague is named for the one that they undid', () => {
  const undoneBy = { by: asId<MemberId>('U2'), of: asId<MemberId>('U1'), verdict: 'OK', at: 20 } as const;
  const rowsAt = (...times: number[]) =>
    times.map((at, index) => {
      const of = task({ undone: ['d0', 'd1'], undoneBy });
      return { id: of.id, decision: `d${index}`, at, task: of, campaignTitle: '' };
    });
  const namedIn = (rows: ReturnType<typeof rowsAt>) =>
    decisionBlocks(ref.account, { member: undoneBy.of, rows })
      .slice(2)
      .map((block) => JSON.stringify(block).includes('Undone by <@U2>'));
  expect(namedIn(rowsAt(0, 10))).toEqual([false, true]);
  expect(namedIn(rowsAt(0, 30))).toEqual([false, false]);
});
