import { expect, test } from 'vitest';
import { readsAudit } from '../harness/audit-file.ts';
import { eventually } from '../harness/eventually.ts';
import { worldPerTest } from '../harness/worlds.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const place = 'C01REVIEW';
const { world, begin } = worldPerTest({ scenario: { campaigns: [shelf] } });

/** How often the bot has seen a rating that was made on the website. */
const ratingsSeen = async () =>
  (await readsAudit(world)).filter(({ what }) => what === 'rated elsewhere').length;

test('a task that is corrected twice before Slack takes an update: each earlier card links to the latest one', async () => {
  const { ann, marketplace, slack } = await begin();
  const { task, card: first } = await world.taskWithCard('blurred');
  await slack.fault({ match: { method: 'chat.update' }, kind: '429', times: 0, retryAfter: 1 });

  await marketplace.rate(task, 'REVISE', 'sharper, please');
  await eventually('the first rating', async () => (await ratingsSeen()) === 1);
  await marketplace.correct(task, ['still a bit dark']);
  const second = await ann.sees(place, /still a bit dark/);
  await marketplace.rate(task, 'REVISE', 'lighter, please');
  await eventually('the second rating', async () => (await ratingsSeen()) === 2);
  await marketplace.correct(task, ['sharp and light']);
  const third = await ann.sees(place, /sharp and light/);

  await slack.clearFaults();
  for (const card of [first, second]) {
    await card.untilText(/its newer card/);
    expect(card.buttons).toEqual([]);
  }
  expect((await third.refresh()).buttons).toContain('OK');
});
