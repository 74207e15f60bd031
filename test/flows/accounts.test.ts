import type { Person, Seen } from '@proofdesk/slack-sandbox/testing';
import { expect, test } from 'vitest';
import { connects, place, shelf } from '../harness/acts.ts';
import { worldPerTest } from '../harness/worlds.ts';

const key = 'employer-demo-key';
/** A workspace that nobody has connected yet. */
const { world, begin } = worldPerTest({
  scenario: { campaigns: [shelf] },
  env: { MARKETPLACE_API_KEY: undefined, REVIEW_CHANNEL: undefined },
});

/** A person connects, subscribes, and a worker submits: the card. */
async function firstCard() {
  const { ann } = world;
  await (await connects(ann, key)).untilText(/You are connected/);
  await ann.asks('/proofdesk subscribe', /will be posted in this channel/);
  return world.taskWithCard('the shelf');
}

/** Somebody without a key clicks, and goes on to the form for one. */
async function connectsFrom(person: Person, card: Seen, button: string) {
  await person.clicks(card, button);
  return person.opens(await person.sees(place, /You’re not connected/), 'Connect', /Connect your account/);
}

/** Nothing is there that somebody could delete. */
async function hasNoKey(person: Person): Promise<void> {
  await person.asks('/proofdesk disconnect', /You’re not connected with a key of your own/);
}

test('who has closed the window is told privately what came of the key', async () => {
  const { ann, marketplace } = await begin({ transport: 'http' });
  await marketplace.delays('campaigns_b/list', 12_000);
  const modal = await connects(ann, key);
  await modal.close();
  await marketplace.clearFaults();
  await ann.sees('D01ANN', /You are connected/);
});

test('connecting checks the key, keeps it sealed, and shows it nowhere', async () => {
  const { ann, slack, log, redis } = await begin({ transport: 'http' });
  const modal = await ann.enters('/proofdesk connect', /Connect your account/);

  await modal.fill('API key', '   ');
  expect(modal.field('Name')).toBe('default');
  expect((await modal.submit()).errors).toEqual({ 'API key': 'Enter the API key.' });
  expect((await modal.submit({ 'API key': 'employer demo key' })).errors).toEqual({
    'API key': expect.stringContaining('API keys have no spaces'),
  });
  await modal.next(/You are connected to \*default\*\./, { 'API key': `  ${key} ` });
  expect(modal.text).toContain('/proofdesk subscribe');

  await ann.asks('/proofdesk subscribe', /will be posted in this channel/);
  expect(await redis.mentions(key)).toEqual([]);
  for (const secret of [key, 'xapp-sandbox', 'xoxb-sandbox']) expect(log.join('\n')).not.toContain(secret);
  const spoken = await slack.requests({ direction: 'in' });
  expect(JSON.stringify(spoken)).not.toContain(key);
  expect(JSON.stringify((await slack.state()).channels)).not.toContain(key);
});

test('a click of somebody without a key becomes a decision once they have connected', async () => {
  const { ben } = await begin({ transport: 'http' });
  const { task, card } = await firstCard();
  await ben.clicks(card, 'OK');
  const told = await ben.sees(place, /You’re not connected to this marketplace account/);
  expect(told.ephemeral).toBe(true);
  expect(told.text).toContain('your click will go through');
  expect(await world.ratingOf(task)).toBe('NOTRATED');

  const modal = await ben.opens(told, 'Connect', /Connect your account/);
  await modal.next(/Your decision is on its way/, { 'API key': key });
  await card.untilText(/:white_check_mark: \*OK\* by @Ben/);
  expect(await world.ratingOf(task)).toBe('OK');
});

const nowhere = { env: { MARKETPLACE_BASE_URL: 'http://127.0.0.1:9' } };

test.each([
  ['is wrong', 'no-such-key', {}, 'json', /The marketplace rejected this key.*The key wasn’t stored/s],
  ['has no API', 'disabled-demo-key', {}, 'text', /has not enabled its API for this account/],
  ['is denied here', 'denied-demo-key', {}, 'text', /does not accept this server’s IP address/],
  ['cannot be checked', key, nowhere, 'json', /The marketplace cannot be reached.*The key wasn’t stored/s],
] as const)('a key that %s is told why, and not kept', async (_, typed, options, authErrorShape, reason) => {
  const { ann, marketplace } = await begin(options);
  await marketplace.settings({ authErrorShape });
  await (await connects(ann, typed)).untilText(reason);
  await hasNoKey(ann);
  const told = await ann.asks('/proofdesk subscribe', /You’re not connected.*then try again/s);
  expect(told.buttons).toEqual(['Connect']);
});

test('members with the same key share one account, and disconnecting forgets only the own key', async () => {
  const { ann, ben, marketplace } = await begin();
  const { task, card } = await firstCard();
  // A list that is refused still says that the key is accepted.
  await marketplace.refuses('campaigns_b/list', 'SURPRISE', 1);
  await (await connects(ben, key)).untilText(/You are connected/);
  const left = await ann.asks('/proofdesk disconnect', /Your API key was deleted/);
  expect(left.text).not.toContain('Nobody here');
  expect(left.ephemeral).toBe(true);

  await ann.clicks(card, 'OK');
  await ann.sees(place, /You’re not connected/);
  await ben.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ben/);
  await marketplace.rated(task, 'OK');
  await ann.asks('/proofdesk disconnect', /You’re not connected with a key of your own/);
});

test('when the last key is gone the channel is told; decisions are kept and sent with the next key', async () => {
  const { ann, ben } = await begin({ env: { UNDO_SECONDS: '6' } });
  const { task, card } = await firstCard();
  await ann.clicks(card, 'OK', /unless undone/);
  await ann.asks('/proofdesk disconnect', /Nobody else here has a key for that account/);
  await ben.sees(place, /cannot be fetched right now\. This account has no working API key/);
  await card.untilText(/not sent yet\. This account has no usable API key/);
  expect(await world.ratingOf(task)).toBe('NOTRATED');

  await (await connects(ben, key)).untilText(/You are connected/);
  await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
  expect(await world.ratingOf(task)).toBe('OK');
  await ben.sees(place, /are coming in again/);
});

test('when the last key cannot be opened any more, decisions say so and are sent with the next key', async () => {
  const { ann, ben, marketplace } = await begin();
  const { task, card } = await firstCard();
  // The operator replaces the encryption key without leaving the former one in place.
  world.environment.PROOFDESK_ENCRYPTION_KEYS = Buffer.alloc(32, 9).toString('base64');
  await world.settled();
  await ann.clicks(card, 'OK', /not sent yet\..*connect/is);
  expect(await world.ratingOf(task)).toBe('NOTRATED');
  const told = world.log.filter((line) => line.includes('no API key of this account can be decrypted'));
  expect(told).toHaveLength(1);

  await (await connects(ben, key)).untilText(/You are connected/);
  await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
  await marketplace.rated(task, 'OK');
});

test('a NOK of somebody without a key asks for the reason after connecting', async () => {
  const { ben, marketplace } = await begin();
  const { task, card } = await firstCard();
  const modal = await connectsFrom(ben, card, 'NOK');
  const reason = await modal.next(/Rate NOK/, { 'API key': key });
  await reason.submit({ 'Reason for NOK': 'Another shelf' });
  await card.untilText(/:x: \*NOK\* by @Ben/);
  expect(await marketplace.task(task)).toMatchObject({
    task_rating: 'NOK',
    employer_comment: 'Another shelf',
  });
});

test('the key of another account does not open a card, and says so', async () => {
  const { ben } = await begin();
  const { task, card } = await firstCard();
  const modal = await connectsFrom(ben, card, 'OK');
  await modal.fill('API key', 'other-employer-demo-key');
  await modal.select('What is this key for?', 'A new account');
  await modal.next(/The card you clicked belongs to a different account, so nothing was decided/, {
    'Name of the new account': 'Other',
  });
  expect(await world.ratingOf(task)).toBe('NOTRATED');
  expect((await card.refresh()).buttons).toContain('OK');
});

test('somebody who connects too late is told who decided', async () => {
  const { ann, ben } = await begin();
  const { card } = await firstCard();
  await ben.clicks(card, 'OK');
  const told = await ben.sees(place, /You’re not connected/);
  await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);
  const modal = await ben.opens(told, 'Connect', /Connect your account/);
  await modal.next(/The task wasn’t rated. A message in the channel says why/, { 'API key': key });
  await ben.sees(place, /@Ann.*already rated this \*OK\*/);
});
