import type { Seen } from '@proofdesk/slack-sandbox/testing';
import { expect, test } from 'vitest';
import { members, place as review } from '../harness/acts.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

/** How many campaigns have a message of their own in a channel. */
const ownMessages = 2;
const campaigns = Array.from({ length: ownMessages + 5 }, (_, index) => ({
  campaign_id: `c${String(index).padStart(3, '0')}`,
  title: `Shelf number ${index}`,
  status: 'RUNNING',
  available_positions: 100,
}));
const other = 'C03INBOX';

const { world, create } = worldPerTest();

const countOf = ({ text }: Seen) => Number(/\*(\d+)(?: more)? tasks? waiting/.exec(text)?.[1] ?? 0);
const counting = async (channel: string) =>
  (await world.postsOf('queue', channel)).filter((message) => countOf(message) > 0);
const isOfOthers = ({ text }: Seen) => /other campaigns?\*/.test(text);
const sum = (messages: readonly Seen[]) => messages.reduce((total, message) => total + countOf(message), 0);
const openCards = async () => (await world.postsOf('card')).filter(({ buttons }) => buttons.includes('OK'));
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
    return isSaid && isEach && all.length <= ownMessages + 1 && all;
  });

/** Rates all tasks of some campaigns at the marketplace. */
async function ratesAll(from: number, to: number): Promise<void> {
  const done = campaigns.slice(from, to).map(({ campaign_id }) => campaign_id);
  for (const { task_id, campaign_id } of (await world.marketplace.state()).tasks)
    if (done.includes(campaign_id)) await world.marketplace.rate(task_id, 'OK');
}

const startsReviewOf = (others: Seen | undefined) =>
  world.ben.opens(others as Seen, 'Start review', /Task 1 · /);

test('a channel has two messages of campaigns, what is due first, and one more that counts the others', async () => {
  await create({
    scenario: { campaigns },
    env: { OPEN_CARDS: '1', UNDO_SECONDS: '0', INBOX_CHANNEL: undefined },
    workspace: {
      users: [members.ann, members.ben],
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
  const all = await areCountedOnce(5);
  expect(all).toHaveLength(ownMessages + 1);
  const others = all.find(isOfOthers);
  expect(countOf(others as Seen)).toBe(10);
  // The oldest have their own.
  expect(all.some(({ text }) => text.includes('Shelf number 1*'))).toBe(true);
  expect(all.some(({ text }) => text.includes(`Shelf number ${ownMessages + 4}*`))).toBe(false);
  expect(others?.buttons).toEqual(['Start review', 'Select…']);
  await startsReviewOf(others);

  // A place that is free goes to the next campaign.
  await ratesAll(1, 4);
  expect(await areCountedOnce(2)).toHaveLength(ownMessages + 1);

  // A digest has the same limit.
  await world.ann.types(other, '/proofdesk subscribe digest');
  const digests = await eventually('the digests', async () => {
    const counted = await counting(other);
    return sum(counted) === (await waiting()) && counted;
  });
  expect(digests).toHaveLength(ownMessages + 1);
  const inDigest = digests.find(isOfOthers);
  expect(inDigest?.text).toMatch(/2 other campaigns\*: \*4 tasks waiting/);
  await startsReviewOf(inDigest);
  expect(await counting(review)).toHaveLength(ownMessages + 1);

  // Once no campaign is left for it, the message says so, and counts nothing twice.
  await ratesAll(5, 7);
  await areCountedOnce(0);
  const [none] = (await world.postsOf('queue')).filter(({ text }) => /Other campaigns\*/.test(text));
  expect(none?.text).toContain('no more tasks are waiting here');
});
