import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudit } from '../../src/store/audit/index.ts';
import { eventually } from '../harness/eventually.ts';
import { sandboxAccount } from '../harness/sandbox-account.ts';
import { startWorld, type World } from '../harness/world.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const place = 'C01REVIEW';

let world: World;
let redis: Redis;
beforeAll(async () => {
  world = await startWorld({ scenario: { campaigns: [shelf] } });
  redis = new Redis(world.redis.url);
});
afterAll(async () => {
  redis?.disconnect();
  await world?.close();
});

/** How often the bot has seen a rating that was made on the website. */
async function ratingsSeen(): Promise<number> {
  let count = 0;
  for await (const { what } of createAudit(redis).lines(sandboxAccount))
    if (what === 'rated elsewhere') count += 1;
  return count;
}

test('a task that is corrected twice before Slack takes an update: each earlier card links to the latest one', async () => {
  const { ann, marketplace, slack } = world;
  const [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['blurred'] });
  const first = await ann.sees(place, /blurred/);
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
