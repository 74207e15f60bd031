import { expect, test } from 'vitest';
import { eventually, sharedWorld } from '../harness/worlds.ts';

const excluded = ['AT', 'BE', 'BG', 'CH', 'CZ', 'DK', 'EE', 'ES', 'FI', 'FR', 'GR', 'HU', 'IE'];
const scenario = {
  campaigns: [
    {
      campaign_id: '12e5',
      title: 'Photograph a tea shelf',
      status: 'RUNNING',
      zone: 'int',
      targeted_countries: ['US', 'GB'],
      excluded_countries: excluded,
    },
  ],
};

const world = sharedWorld({ scenario, transport: 'http' });

const excludedNow = async () => (await world.marketplace.state()).campaigns[0]?.excluded_countries;

test('the form for countries changes nothing when it is submitted as it opened, as by a second click on the button before it', async () => {
  await world.marketplace.patchCampaign('12e5', { excluded_countries: [] });
  await eventually('the countries', async () => (await excludedNow())?.length === 0);
  const form = await world.ann.enters('/campaign retarget 12e5', /Countries to include/);
  await world.marketplace.clearRequests();
  expect((await form.submit()).errors).toEqual({
    'Countries to include': 'These are its current countries. Change them first, or close this form.',
  });
  expect(await world.marketplace.calls('retarget')).toEqual([]);
  await world.marketplace.patchCampaign('12e5', { excluded_countries: excluded });
});

test('the form for countries takes no change until people have chosen which of too many excludes go', async () => {
  const form = await world.ann.enters('/campaign retarget 12e5', /Countries to exclude/);
  expect((await form.submit()).errors).toEqual({
    'Countries to exclude': '13 countries are excluded. Exclude at most 10.',
  });
  expect(await excludedNow()).toEqual(excluded);

  await form.select('Countries to exclude', excluded.slice(3));
  await form.next(/were changed\. It is now open to workers in United States/);
  const left = excluded.slice(3).join();
  await eventually('only those taken out to be gone', async () => (await excludedNow())?.join() === left);
});
