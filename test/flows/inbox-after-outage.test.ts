import { expect, test } from 'vitest';
import { worldPerTest } from '../harness/worlds.ts';

const campaign = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const { begin } = worldPerTest({ scenario: { campaigns: [campaign], messages: [] } });

test('of an inbox that was empty at first, everything that comes during an outage is announced', async () => {
  const { ann, marketplace } = await begin();
  await marketplace.submit({ campaign_id: campaign.campaign_id, proof: ['the shelf'] });
  // The poll that finds a task has read the empty inbox.
  await ann.sees('C01REVIEW', /the shelf/);
  await marketplace.fault({ kind: '500', times: 0 });
  for (let number = 1; number <= 8; number++) await marketplace.write({ subject: `Question no. ${number}.` });
  await marketplace.clearFaults();
  for (let number = 1; number <= 8; number++)
    await ann.sees('C01REVIEW', new RegExp(`Question no\\. ${number}\\.`));
  expect((await ann.reads('C01REVIEW')).filter(({ text }) => text.includes('Question no.'))).toHaveLength(8);
});
