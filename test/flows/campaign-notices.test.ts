import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { startWorld, type World } from '../harness/world.ts';

const campaign = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;

let world: World;
beforeAll(async () => {
  world = await startWorld({ scenario: { campaigns: [campaign] } });
});
afterAll(() => world.close());

/** The lists that the bot has read, in order: `polled` by polls, `proof` to confirm a status. */
async function listsRead(): Promise<('polled' | 'proof')[]> {
  const paths = (await world.marketplace.requests()).map(({ path }) => path);
  return paths.flatMap((path) => {
    if (path.includes('/campaigns_b/list_extend')) return ['polled'];
    return path.includes('/campaigns_b/list') ? ['proof'] : [];
  });
}

test('a status is told once it was listed twice in a row and the other list agrees', async () => {
  const { ann, marketplace } = world;
  const redis = new Redis(world.redis.url);
  await eventually('a known status', async () => (await redis.keys('*:campaign-states')).length > 0);
  redis.disconnect();
  await marketplace.clearRequests();
  await marketplace.patchCampaign(campaign.campaign_id, { status: 'FINISHED' });
  await ann.sees('C01REVIEW', /Photo of a shelf/);
  expect((await listsRead()).slice(0, 3)).toEqual(['polled', 'polled', 'proof']);
});
