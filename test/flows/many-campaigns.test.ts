import { afterAll, beforeAll, expect, test } from 'vitest';
import { maxQueueMessages } from '../../src/domain/queue-share.ts';
import { eventually } from '../harness/eventually.ts';
import type { Seen } from '../harness/slack.ts';
import { createWorld, type World } from '../harness/world.ts';

const campaigns = Array.from({ length: maxQueueMessages + 5 }, (_, index) => ({
  campaign_id: `c${String(index).padStart(3, '0')}`,
  title: `Shelf number ${index}`,
  status: 'RUNNING',
  available_positions: 100,
}));
const review = 'C01REVIEW';
const other = 'C03INBOX';

let world: World;
beforeAll(async () => {
  world = await createWorld({
    scenario: { campaigns },
    env: { OPEN_CARDS: '1', UNDO_SECONDS: '0', INBOX_CHANNEL: undefined },
    intervals: { queuePaceMs: 100 },
    workspace: {
      users: [
        { id: 'U01ANN', name: 'ann', real_name: 'Ann Reyes' },
        { id: 'U02BEN', name: 'ben', real_name: 'Ben Okafor' },
      ],
      channels: [
        { id: review, name: 'review' },
        { id: other, name: 'other' },
      ],
    },
  });
  for (const [index, { campaign_id }] of campaigns.entries())
    await world.marketplace.submit({
      campaign_id,
      count: 2,
      finished_datetime: `2026-02-01 10:${String(index).padStart(2, '0')}:00`,
    });
  await world.startBot();
});
afterAll(() => world?.close());

const queuesIn = async (channel: string) =>
  (await world.ann.reads(channel)).filter(({ raw }) => raw.metadata?.event_type === 'proofdesk_queue');
const countOf = ({ text }: Seen) => Number(/\*(\d+)(?: more)? tasks? waits? for review/.exec(text)?.[1] ?? 0);
const counting = async (channel: string) =>
  (await queuesIn(channel)).filter((message) => countOf(message) > 0);
const isOfOthers = ({ text }: Seen) => /other campaigns?\*/.test(text);
const sum = (messages: readonly Seen[]) => messages.reduce((total, message) => total + countOf(message), 0);
const openCards = async () =>
  (await world.ann.reads(review)).filter(
    ({ raw, buttons }) => raw.metadata?.event_type === 'proofdesk_card' && buttons.includes('OK'),
  );
const waiting = async () =>
  (await world.marketplace.state()).tasks.filter(({ task_rating }) => task_rating === 'NOTRATED').length;

/** Waits until each task that waits has a card or is counted in one message, in as many messages as there may be. */
const areCountedOnce = (inOthers: number) =>
  eventually(`${inOthers} campaigns counted together`, async () => {
    const all = await counting(review);
    const others = all.filter(isOfOthers);
    const text = others.map((message) => message.text).join();
    const isSaid =
      inOthers === 0 ? others.length === 0 : new RegExp(`\\*${inOthers} other campaign`).test(text);
    const isEach = sum(all) + (await openCards()).length === (await waiting());
    return isSaid && isEach && all.length <= maxQueueMessages + 1 && all;
  });

test('a channel has ten messages of campaigns, what is due first; the others are counted in one more', async () => {
  const all = await areCountedOnce(5);
  expect(all).toHaveLength(maxQueueMessages + 1);
  const others = all.find(isOfOthers);
  expect(countOf(others as Seen)).toBe(10);
  // The oldest have their own.
  expect(all.some(({ text }) => text.includes('Shelf number 1*'))).toBe(true);
  expect(all.some(({ text }) => text.includes(`Shelf number ${maxQueueMessages + 4}*`))).toBe(false);
  expect(others?.buttons).toEqual(['Start review', 'Select…']);
  await world.ben.clicks(others as Seen, 'Start review');
  const modal = await world.ben.modal(/of this review/);
  await modal.close();
});

test('a place that is free goes to the next campaign, and what waits is counted once all the time', async () => {
  const { tasks } = await world.marketplace.state();
  const done = campaigns.slice(2, 5).map(({ campaign_id }) => campaign_id);
  for (const task of tasks.filter(({ campaign_id }) => done.includes(campaign_id)))
    await world.marketplace.rate(task.task_id, 'OK');
  const all = await areCountedOnce(2);
  expect(all).toHaveLength(maxQueueMessages + 1);
});

test('a digest has the same limit', async () => {
  await world.ann.types(other, '/proofdesk subscribe digest');
  const digests = await eventually('the digests', async () => {
    const all = await counting(other);
    return sum(all) === (await waiting()) && all;
  });
  expect(digests).toHaveLength(maxQueueMessages + 1);
  const others = digests.find(isOfOthers);
  expect(others?.text).toMatch(/2 other campaigns\*: \*4 tasks wait for review/);
  await world.ben.clicks(others as Seen, 'Start review');
  const modal = await world.ben.modal(/of this review/);
  await modal.close();
  expect(await counting(review)).toHaveLength(maxQueueMessages + 1);
});

test('once no campaign is left for it, the message says so, and counts nothing twice', async () => {
  const { tasks } = await world.marketplace.state();
  const done = campaigns.slice(5, 9).map(({ campaign_id }) => campaign_id);
  for (const task of tasks.filter(({ campaign_id }) => done.includes(campaign_id)))
    await world.marketplace.rate(task.task_id, 'OK');
  await areCountedOnce(0);
  const [others] = (await queuesIn(review)).filter(({ text }) => /Other campaigns\*/.test(text));
  expect(others?.text).toContain('what waits is counted in the message of its campaign');
});
