import { expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { worldPerTest } from '../harness/world-per-test.ts';

const worlds = worldPerTest({ scenario: { campaigns: [], messages: [] } });

test('of an inbox that was empty at first, everything that comes during an outage is announced', async () => {
  const { ann, marketplace } = await worlds.begin();
  const polled = async () =>
    (await marketplace.requests()).filter(({ path }) => path === '/messages/list').length;
  const before = await polled();
  await eventually('a poll of the empty inbox', async () => (await polled()) > before + 1);
  await marketplace.fault({ kind: '500', times: 0 });
  for (let number = 1; number <= 8; number++) await marketplace.write({ subject: `Question no. ${number}.` });
  await marketplace.clearFaults();
  for (let number = 1; number <= 8; number++)
    await ann.sees('C01REVIEW', new RegExp(`Question no\\. ${number}\\.`));
  expect((await ann.reads('C01REVIEW')).filter(({ text }) => text.includes('Question no.'))).toHaveLength(8);
});
