import { expect, test } from 'vitest';
import { place, shelf } from '../harness/acts.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const { world, begin } = worldPerTest({
  scenario: { campaigns: [shelf] },
  // No card waits for room, so that no count of those fails beside them.
  env: { OPEN_CARDS: '0' },
  timeouts: { firstRetryMs: 50, requeueAfterMs: 100 },
});

/** A card that Slack refuses for a reason that does not pass, until the fault is taken away. */
async function withRefusedCard(count = 1): Promise<void> {
  const { slack, marketplace } = await begin();
  await slack.refuses('chat.postMessage', 'msg_blocks_too_long', 0);
  await marketplace.submit({ campaign_id: shelf.campaign_id, count });
}

const lists = (pattern: RegExp) =>
  eventually(
    `/proofdesk failed to say ${pattern}`,
    async () => {
      const said = await world.ann.asks('/proofdesk failed', /./);
      return pattern.test(said.text) && said;
    },
    100_000,
  );

test('an action that failed for good is listed, and done when it is tried again', async () => {
  await withRefusedCard();
  const list = await lists(/Posting or updating a card/);
  expect(list.text).toContain('msg_blocks_too_long');
  // Of many tasks of one campaign, which it was.
  expect(list.text).toMatch(/Posting or updating a card for \*Photo of a shelf\* \(worker \w+\) failed/);
  expect(list.buttons).toEqual(['Try again', 'Discard']);
  await world.slack.clearFaults();
  await world.ann.clicks(list, 'Try again', /Trying again now/);
  await world.ann.asks('/proofdesk audit', /@Ann.* tried a failed action again/s);
  await world.ann.sees(place, /Finished/);
});

test('several that failed are done when they are tried again', async () => {
  await withRefusedCard(2);
  const list = await lists(/2 actions failed/);
  await world.slack.clearFaults();
  await world.ann.clicks(list, 'Try again');
  await eventually('both cards', async () => (await world.posts(/Finished/)).length === 2);
});

test('what is discarded is not tried again', async () => {
  await withRefusedCard();
  const list = await lists(/Posting or updating a card/);
  await world.ann.clicks(list, 'Discard', /Discarded\./);
  await world.ann.asks('/proofdesk audit', /@Ann.* discarded a failed action/s);
  await world.slack.clearFaults();
  await world.marketplace.polls();
  expect(await world.posts(/Finished/)).toEqual([]);
});
