import { expect, test } from 'vitest';
import { campaign } from '../../gallery/samples/campaigns.ts';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { MemberId, TaskId } from '../../src/domain/terms.ts';
import { boardOf } from '../../src/features/home/board.ts';
import { homeView } from '../../src/features/home/home.view.ts';
import { createCampaigns } from '../../src/store/campaigns.ts';
import { createTasks, createTimesToRate } from '../../src/store/tasks.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { waitingRow } from '../harness/waiting-row.ts';

const redis = redisPerFile();

const hour = 3_600_000;
const reader = asId<MemberId>('U1');

/** 20:00 in New York, where the day has four hours left; in UTC it is the next day already. */
const now = Date.UTC(2026, 10, 17, 1);

function board(zone: string | undefined = 'America/New_York', page = 0) {
  const replaced = {
    people: { slack: { person: async () => (zone === undefined ? undefined : { zone }) } },
    channels: { subscriptions: { ofAccount: async () => [{}] } },
  };
  return boardOf(testModules(redis(), replaced, { now: () => now }), ref, reader, page);
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

test('the board counts the tasks of all campaigns, and shows a page of these', async () => {
  await wait(200, 10, now - 22 * hour);
  const found = await board();
  expect(found).toMatchObject({ waiting: 2_000, campaigns: 200, dueToday: 2_000, unpriced: 0 });
  expect(found?.money.toFixed()).toBe('200');
  const view = shown(found);
  expect(view.blocks.length).toBeLessThan(25);
  expect(JSON.stringify(view)).toContain('Page 1 of 40');
});

test('today ends where the reader is; where that is not known, in UTC', async () => {
  // Due at 03:00 UTC: today in New York (22:00) and in UTC, tomorrow nowhere but farther west.
  await wait(1, 1, now - 22 * hour);
  expect(await board()).toMatchObject({ dueToday: 1 });
  await redis().flushall();
  // Due at 10:00 UTC: tomorrow in New York, today in UTC.
  await wait(1, 1, now - 15 * hour);
  expect(await board()).toMatchObject({ dueToday: 0, rows: [{ dueToday: 0 }] });
  expect(await board('nowhere')).toMatchObject({ dueToday: 1 });
});

test('campaigns that run and have nothing that waits follow those that do, page by page', async () => {
  await wait(3, 1, now - hour);
  const idle = Array.from({ length: 4 }, (_, number) =>
    newCampaign(`i${number}`, `Idle ${number}`, { createdAt: number, availablePositions: 100, tasksOk: 30 }),
  );
  const busy = Array.from({ length: 3 }, (_, number) =>
    newCampaign(`c${number}`, `Campaign ${number}`, { tasksNotRated: 1 }),
  );
  const campaigns = createCampaigns(redis());
  await campaigns.store(ref, [...busy, ...idle]);
  const idsOn = async (page: number) =>
    (await board(undefined, page))?.rows.map((row) => String(row.campaign));
  expect(await idsOn(0)).toEqual(['c0', 'c1', 'c2', 'i3', 'i2']);
  expect(await idsOn(1)).toEqual(['i1', 'i0']);
  expect(await idsOn(99)).toEqual(['i1', 'i0']);
  const found = await board();
  expect(found).toMatchObject({ page: 0, pages: 2 });
  expect(JSON.stringify(shown(found))).toContain('███░░░░░░░ 30 % · 30 of 100 accepted');
  // One that has ended is no longer among them.
  const ended = newCampaign('i0', 'Idle 0', { status: 'FINISHED' });
  await campaigns.store(ref, [...busy, ...idle.slice(1), ended]);
  expect(await idsOn(1)).toEqual(['i1']);
});
