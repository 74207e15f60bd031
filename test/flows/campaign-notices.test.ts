import { expect, test } from 'vitest';
import { worldPerTest } from '../harness/worlds.ts';

const campaign = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const { begin } = worldPerTest({ scenario: { campaigns: [campaign] } });

test('a status is told once it was listed twice in a row and the other list agrees', async () => {
  const { ann, marketplace } = await begin();
  await marketplace.submit({ campaign_id: campaign.campaign_id, proof: ['the shelf'] });
  // The poll that finds a task knows the statuses.
  await ann.sees('C01REVIEW', /the shelf/);
  await marketplace.clearRequests();
  await marketplace.patchCampaign(campaign.campaign_id, { status: 'FINISHED' });
  await ann.sees('C01REVIEW', /Photo of a shelf\*? has finished/);
  /** The lists that the bot has read, in order: `polled` by polls, `proof` to confirm a status. */
  const lists = (await marketplace.requests()).flatMap(({ path }) => {
    if (path.includes('/campaigns_b/list_extend')) return ['polled'];
    return path.includes('/campaigns_b/list') ? ['proof'] : [];
  });
  expect(lists.slice(0, 3)).toEqual(['polled', 'polled', 'proof']);
});
