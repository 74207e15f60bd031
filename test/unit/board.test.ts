import { expect, test } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { Task } from '../../src/domain/task.ts';
import type { AccountRef, CampaignId, MemberId, TaskId } from '../../src/domain/terms.ts';
import { createBoard } from '../../src/features/home/board.ts';
import { homeView } from '../../src/features/home/home.view.ts';
import { createCampaigns } from '../../src/store/campaigns.ts';
import { createOpenTasks } from '../../src/store/open-tasks.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { createTimesToRate } from '../../src/store/times-to-rate.ts';
import { asId } from '../harness/ids.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

const redis = redisPerFile();

const hour = 3_600_000;
const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const reader = asId<MemberId>('U1');

/** 20:00 in New York, where the day has four hours left; in UTC it is the next day already. */
const now = Date.UTC(2026, 10, 17, 1);

function board(zone: string | undefined = 'America/New_York', page = 0) {
  return createBoard({
    campaigns: createCampaigns(redis(), undefined, () => now),
    now: () => now,
    openTasks: createOpenTasks(redis()),
    outages: { get: async () => undefined },
    slackPeople: { person: async () => (zone === undefined ? undefined : { zone }) },
    subscriptions: { ofAccount: async () => [{}] },
    tasks: createTasks(redis()),
    timesToRate: createTimesToRate(redis()),
  } as unknown as Parameters<typeof createBoard>[0]).of(ref, reader, page);
}

const campaign = (id: string, title: string): Campaign => ({
  id: asId<CampaignId>(id),
  title,
  status: 'RUNNING',
  availablePositions: 0,
  targetedCountries: '',
  excludedCountries: '',
  paymentPerTask: '0.10',
  speed: '',
  tasksOk: 0,
  tasksNok: 0,
  tasksNotRated: 0,
  tasksNotReviewed: 0,
});

/** Lets tasks wait without all of a record, by the step that indexes them. */
async function wait(campaigns: number, tasksEach: number, finishedAt: number): Promise<void> {
  const index = createOpenTasks(redis());
  const all = Array.from({ length: campaigns }, (_, number) => ({
    ...campaign(`c${number}`, `Campaign ${number}`),
    tasksNotRated: tasksEach,
  }));
  await createCampaigns(redis()).store(ref, all);
  await Promise.all(
    all.flatMap(({ id }) =>
      Array.from({ length: tasksEach }, (_, number) => {
        const proof = { slots: [], files: [], finishedAt: finishedAt + number };
        const value = { campaign: id, rating: 'NOTRATED', proof, card: { state: 'gone' } } as unknown as Task;
        return index.place(ref, asId<TaskId>(`${id}-${number}`), { version: 0, value });
      }),
    ),
  );
  await Promise.all(all.map(({ id }) => createTimesToRate(redis()).put(ref, id, 1)));
}

/** How many commands Redis was given, and how many bytes it answered. */
async function cost(run: () => Promise<unknown>): Promise<{ commands: number; bytes: number }> {
  const figure = async (name: string) =>
    Number(new RegExp(`${name}:(\\d+)`).exec(await redis().info('stats'))?.[1]);
  const before = [await figure('total_commands_processed'), await figure('total_net_output_bytes')];
  await run();
  const after = [await figure('total_commands_processed'), await figure('total_net_output_bytes')];
  const [commands = 0, bytes = 0] = after.map((value, index) => value - (before[index] ?? 0));
  return { commands, bytes };
}

test('costs the same with 1,000 campaigns and 10,000 tasks as with 10 and 100', async () => {
  await wait(10, 10, now - 22 * hour);
  await board();
  // As every poll does.
  await createOpenTasks(redis()).countChanged(ref);
  const small = await cost(board);
  await redis().flushall();
  await wait(1_000, 10, now - 22 * hour);
  await createOpenTasks(redis()).countChanged(ref);
  const large = await cost(board);
  expect(large.commands).toBe(small.commands);
  expect(large.bytes).toBeLessThan(small.bytes * 1.2);
  const found = await board();
  expect(found).toMatchObject({ waiting: 10_000, campaigns: 1_000, dueToday: 10_000, unpriced: 0 });
  expect(found?.money.toFixed()).toBe('1000');
  const view = homeView({ isOwn: true, ...(found ? { board: found } : {}) }, now);
  expect(view.blocks.length).toBeLessThan(25);
  expect(JSON.stringify(view)).toContain('Page 1 of 200');
});

test('today ends where the reader is; where that is not known, in UTC, and it says so', async () => {
  // Due at 03:00 UTC: today in New York (22:00) and in UTC, tomorrow nowhere but farther west.
  await wait(1, 1, now - 22 * hour);
  expect(await board()).toMatchObject({ dueToday: 1, zone: { name: 'America/New_York', isKnown: true } });
  await redis().flushall();
  // Due at 10:00 UTC: tomorrow in New York, today in UTC.
  await wait(1, 1, now - 15 * hour);
  expect(await board()).toMatchObject({ dueToday: 0, rows: [{ dueToday: 0 }] });
  const unknown = await board('nowhere');
  expect(unknown).toMatchObject({ dueToday: 1, zone: { name: 'UTC', isKnown: false } });
  const view = homeView({ isOwn: true, ...(unknown ? { board: unknown } : {}) }, now);
  expect(JSON.stringify(view)).toContain('Slack does not say which time zone you are in');
});

test('campaigns that run and have nothing that waits follow those that do, page by page', async () => {
  await wait(3, 1, now - hour);
  const idle = Array.from({ length: 4 }, (_, number) => ({
    ...campaign(`i${number}`, `Idle ${number}`),
    createdAt: number,
    availablePositions: 100,
    tasksOk: 30,
  }));
  const busy = Array.from({ length: 3 }, (_, number) => ({
    ...campaign(`c${number}`, `Campaign ${number}`),
    tasksNotRated: 1,
  }));
  const campaigns = createCampaigns(redis());
  await campaigns.store(ref, [...busy, ...idle]);
  const idsOn = async (page: number) =>
    (await board(undefined, page))?.rows.map((row) => String(row.campaign));
  expect(await idsOn(0)).toEqual(['c0', 'c1', 'c2', 'i3', 'i2']);
  expect(await idsOn(1)).toEqual(['i1', 'i0']);
  expect(await idsOn(99)).toEqual(['i1', 'i0']);
  const found = await board();
  expect(found).toMatchObject({ page: 0, pages: 2 });
  const text = JSON.stringify(homeView({ isOwn: true, ...(found ? { board: found } : {}) }, now));
  expect(text).toContain('███░░░░░░░ 30 % · 30 of 100 accepted');
  // One that has ended is no longer among them.
  await campaigns.store(ref, [
    ...busy,
    ...idle.slice(1),
    { ...campaign('i0', 'Idle 0'), status: 'FINISHED' },
  ]);
  expect(await idsOn(1)).toEqual(['i1']);
});

test('an index of idle campaigns is written also where a version before has stored the list', async () => {
  const campaigns = createCampaigns(redis());
  const listed = [{ ...campaign('i1', 'Idle'), createdAt: 1 }];
  await campaigns.store(ref, listed);
  await redis().del('proofdesk:{T1/a1}:campaigns:idle');
  await campaigns.store(ref, listed);
  expect(await campaigns.idle(ref)).toEqual({ ids: ['i1'], count: 1 });
});
