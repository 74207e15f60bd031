import { expect, test } from 'vitest';
import { place as review, shelf } from '../harness/acts.ts';
import { worldPerTest } from '../harness/worlds.ts';

const inbox = 'C02INBOX';

const { world, begin, create } = worldPerTest({ scenario: { campaigns: [shelf] } });

/** Stops the bot and starts it again, with another REVIEW_CHANNEL when one is given. */
async function restart(channel: string | undefined = world.environment.REVIEW_CHANNEL): Promise<void> {
  world.environment.REVIEW_CHANNEL = channel;
  await world.settled();
}

/** Subscribes a channel to what another one gets. */
async function movesTo(channel: string): Promise<void> {
  const question = await world.ann.asks('/proofdesk subscribe', /They would move here/, channel);
  await world.ann.clicks(question, 'Move it here', /will be posted in this channel/);
}

test('REVIEW_CHANNEL does not undo at a restart what people subscribed since, until the setting changes', async () => {
  await begin();
  await world.card('one');
  await movesTo(inbox);
  await restart();
  await world.card('two', {}, inbox);
  expect(await world.posts(/two/)).toEqual([]);

  // Another value is new, and so is the former one when it comes back.
  await movesTo(review);
  await restart(inbox);
  await world.card('three', {}, inbox);
  await restart(review);
  await world.card('four');
  expect(await world.posts(/four/, inbox)).toEqual([]);
});

test('REVIEW_CHANNEL does not bring back at a restart what people unsubscribed', async () => {
  const { ann } = await begin();
  await world.card('one');
  await ann.asks('/proofdesk unsubscribe', /New tasks, digests and inbox messages are no longer posted here/);
  await restart();
  const told = await ann.asks('/proofdesk subscribe', /./);
  expect(told.text).toMatch(/will be posted in this channel/);
});

test('REVIEW_CHANNEL is applied by two processes that start at once', async () => {
  await create();
  await Promise.all([world.startBot(), world.startBot({ PORT: '0' })]);
  await world.card('one');
});
