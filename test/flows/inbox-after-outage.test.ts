import { expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { contentOf } from '../harness/redis-content.ts';
import { worldPerTest } from '../harness/world-per-test.ts';

const worlds = worldPerTest({ scenario: { campaigns: [], messages: [] } });

test('of an inbox that was empty at first, everything that comes during an outage is announced', async () => {
  const { ann, marketplace, redis } = await worlds.begin();
  // Requests do not show it: until all cards have records again after a start, polls read the inbox without recording it.
  await eventually('a record that the empty inbox was read', async () =>
    [...(await contentOf(redis.url)).keys()].some((key) => key.endsWith(':announcements:first-read')),
  );
  await marketplace.fault({ kind: '500', times: 0 });
  for (let number = 1; number <= 8; number++) await marketplace.write({ subject: `Question no. ${number}.` });
  await marketplace.clearFaults();
  for (let number = 1; number <= 8; number++)
    await ann.sees('C01REVIEW', new RegExp(`Question no\\. ${number}\\.`));
  expect((await ann.reads('C01REVIEW')).filter(({ text }) => text.includes('Question no.'))).toHaveLength(8);
});
