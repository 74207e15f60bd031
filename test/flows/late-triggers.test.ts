import { expect, test } from 'vitest';
import { place, shelf } from '../harness/acts.ts';
import { sharedWorld } from '../harness/worlds.ts';

const notOpened = /This took too long to open: .*3 seconds.* Try again/;
/** Longer than Slack lets a click or command open something. */
const tooLong = 3_300;

const world = sharedWorld({ transport: 'http', scenario: { campaigns: [shelf] } });
const { ann, chloe, slack } = world;

test('a command that is too late to open anything says so, and works when it is typed again', async () => {
  await slack.delays('views.open', tooLong);
  expect((await ann.asks('/campaign new', notOpened)).ephemeral).toBe(true);
  expect(await ann.modals()).toEqual([]);
  await ann.enters('/campaign new', /Positions per worker/);
});

test('of a late click that is delivered twice, one opens the form and nothing is said', async () => {
  const card = await world.card('twice');
  await slack.clearRequests();
  await slack.fault({ match: { delivery: 'block_actions' }, kind: 'twice' });
  await chloe.opens(card, 'NOK', /./);
  await slack.request(({ error }) => error === 'exchanged_trigger_id');
  // What would be said of the click comes before the answer to what is asked for after it.
  await chloe.asks('/proofdesk help', /Answers to commands are only visible to you/);
  expect((await chloe.reads(place)).filter(({ text }) => notOpened.test(text))).toEqual([]);
});
