import { describe, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import type { Person } from '../harness/slack.ts';
import type { World, WorldOptions } from '../harness/world.ts';
import { worldPerTest } from '../harness/world-per-test.ts';

const key = 'employer-demo-key';
const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const place = 'C01REVIEW';
const worlds = worldPerTest({ scenario: { campaigns: [shelf] } });

/** A workspace that nobody has connected yet. */
const begin = (options: WorldOptions = {}): Promise<World> =>
  worlds.begin({
    ...options,
    env: { MARKETPLACE_API_KEY: undefined, REVIEW_CHANNEL: undefined, ...options.env },
  });

/** Types a key into the modal of `/proofdesk connect`, and waits for the answer. */
async function connects(person: Person, typed = key) {
  await person.types(place, '/proofdesk connect');
  const modal = await person.modal(/Connect your account/);
  await modal.fill('API key', typed);
  await modal.submit();
  return modal;
}

/** A person connects, subscribes, and a worker submits: the card. */
async function firstCard() {
  const { ann, marketplace } = worlds.current();
  await (await connects(ann)).untilText(/You are connected/);
  await ann.types(place, '/proofdesk subscribe');
  await ann.sees(place, /are posted in this channel from now on/);
  const [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['the shelf'] });
  return { task, card: await ann.sees(place, /the shelf/) };
}

/** Nothing is there that somebody could delete. */
async function hasNoKey(person: Person): Promise<void> {
  await person.types(place, '/proofdesk disconnect');
  await person.sees(place, /You are not connected with an API key of your own/);
}

describe('an account that somebody connects', () => {
  test('who has closed the window is told privately what came of the key', async () => {
    const { ann, marketplace } = await begin({ transport: 'http' });
    await marketplace.fault({ match: { path: 'campaigns_b/list' }, kind: 'latency', delayMs: 12_000 });
    const modal = await connects(ann);
    await modal.close();
    await marketplace.clearFaults();
    await ann.sees('D01ANN', /You are connected/);
  });

  test('connecting checks the key, keeps it sealed, and shows it nowhere', async () => {
    const { ann, slack, log, redis } = await begin({ transport: 'http' });
    await ann.types(place, '/proofdesk connect');
    const modal = await ann.modal(/Connect your account/);

    await modal.fill('API key', '   ');
    expect(modal.field('Name')).toBe('default');
    expect((await modal.submit()).errors).toEqual({ 'API key': 'Enter the API key.' });
    await modal.fill('API key', 'employer demo key');
    expect((await modal.submit()).errors).toEqual({
      'API key': expect.stringContaining('An API key has no spaces'),
    });
    await modal.fill('API key', `  ${key} `);
    await modal.submit();
    await modal.untilText(/You are connected to \*default\*\./);
    expect(modal.text).toContain('/proofdesk subscribe');

    await ann.types(place, '/proofdesk subscribe');
    await ann.sees(place, /are posted in this channel from now on/);
    expect(await redis.mentions(key)).toEqual([]);
    expect(log.join('\n')).not.toContain(key);
    expect(log.join('\n')).not.toContain('xapp-sandbox');
    expect(log.join('\n')).not.toContain('xoxb-sandbox');
    const spoken = await slack.requests({ direction: 'in' });
    expect(JSON.stringify(spoken)).not.toContain(key);
    expect(JSON.stringify((await slack.state()).channels)).not.toContain(key);
  });

  test('a click of somebody without a key becomes a decision once they have connected', async () => {
    const { ben, marketplace } = await begin({ transport: 'http' });
    const { task, card } = await firstCard();
    await ben.clicks(card, 'OK');
    const told = await ben.sees(place, /You are not connected to this marketplace account/);
    expect(told.ephemeral).toBe(true);
    expect(told.text).toContain('your click will be carried out');
    expect((await marketplace.task(task)).task_rating).toBe('NOTRATED');

    await ben.clicks(told, 'Connect');
    const modal = await ben.modal(/Connect your account/);
    await modal.fill('API key', key);
    await modal.submit();
    await modal.untilText(/Your decision is on its way/);
    await card.untilText(/:white_check_mark: \*OK\* by @Ben/);
    expect((await marketplace.task(task)).task_rating).toBe('OK');
  });
});

describe('accounts', () => {
  test('a wrong key is told, and nothing is kept', async () => {
    const { ann } = await begin();
    const modal = await connects(ann, 'no-such-key');
    await modal.untilText(/The marketplace does not accept this key.*The key was not stored/s);
    await hasNoKey(ann);
    await ann.types(place, '/proofdesk subscribe');
    const told = await ann.sees(place, /You are not connected.*then try again/s);
    expect(told.buttons).toEqual(['Connect']);
  });

  test.each([
    ['disabled-demo-key', /has not enabled its API for this account/],
    ['denied-demo-key', /does not accept this server’s IP address/],
  ])('a key that may not be used (%s) is told why', async (typed, reason) => {
    const { ann, marketplace } = await begin();
    await marketplace.settings({ authErrorShape: 'text' });
    await (await connects(ann, typed)).untilText(reason);
    await hasNoKey(ann);
  });

  test('a marketplace that cannot be reached is told, and nothing is kept', async () => {
    const { ann } = await begin({ env: { MARKETPLACE_BASE_URL: 'http://127.0.0.1:9' } });
    const modal = await connects(ann);
    await modal.untilText(/The marketplace cannot be reached.*The key was not stored/s);
    await hasNoKey(ann);
  });

  test('members with the same key share one account, and disconnecting forgets only the own key', async () => {
    const { ann, ben, marketplace } = await begin();
    const { task, card } = await firstCard();
    await (await connects(ben)).untilText(/You are connected/);
    await ann.types(place, '/proofdesk disconnect');
    const left = await ann.sees(place, /Your API key is deleted/);
    expect(left.text).not.toContain('Nobody here');
    expect(left.ephemeral).toBe(true);

    await ann.clicks(card, 'OK');
    await ann.sees(place, /You are not connected/);
    await ben.clicks(card, 'OK');
    await card.untilText(/:white_check_mark: \*OK\* by @Ben/);
    await eventually('the rating', async () => (await marketplace.task(task)).task_rating === 'OK');
    await ann.types(place, '/proofdesk disconnect');
    await ann.sees(place, /You are not connected with an API key of your own/);
  });

  test('when the last key is gone the channel is told; decisions are kept and sent with the next key', async () => {
    const { ann, ben, marketplace } = await begin({ env: { UNDO_SECONDS: '6' } });
    const { task, card } = await firstCard();
    await ann.clicks(card, 'OK');
    await card.untilText(/on its way/);
    await ann.types(place, '/proofdesk disconnect');
    await ann.sees(place, /Nobody here has a key for that account now/);
    await ben.sees(place, /cannot be fetched right now\. No readable API key of this account is left/);
    await card.untilText(/not sent yet\. This account has no usable API key/);
    expect((await marketplace.task(task)).task_rating).toBe('NOTRATED');

    await (await connects(ben)).untilText(/You are connected/);
    await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
    expect((await marketplace.task(task)).task_rating).toBe('OK');
    await ben.sees(place, /are fetched again/);
  });

  test('when the last key cannot be opened any more, decisions say so and are sent with the next key', async () => {
    const world = await begin();
    const { ann, ben, marketplace } = world;
    const { task, card } = await firstCard();
    // The operator replaces the encryption key without leaving the former one in place.
    world.environment.PROOFDESK_ENCRYPTION_KEYS = Buffer.alloc(32, 9).toString('base64');
    await world.settled();
    await ann.clicks(card, 'OK');
    await card.untilText(/not sent yet\..*connect/is);
    expect((await marketplace.task(task)).task_rating).toBe('NOTRATED');
    const told = world.log.filter((line) => line.includes('no API key of this account can be decrypted'));
    expect(told).toHaveLength(1);

    await (await connects(ben)).untilText(/You are connected/);
    await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
    await eventually('the rating', async () => (await marketplace.task(task)).task_rating === 'OK');
  });

  test('a NOK of somebody without a key asks for the reason after connecting', async () => {
    const { ben, marketplace } = await begin();
    const { task, card } = await firstCard();
    await ben.clicks(card, 'NOK');
    await ben.clicks(await ben.sees(place, /You are not connected/), 'Connect');
    const modal = await ben.modal(/Connect your account/);
    await modal.fill('API key', key);
    await modal.submit();
    const reason = await ben.modal(/Refuse this task/);
    await reason.fill('Why is it refused?', 'Another shelf');
    await reason.submit();
    await card.untilText(/:x: \*NOK\* by @Ben/);
    expect(await marketplace.task(task)).toMatchObject({
      task_rating: 'NOK',
      employer_comment: 'Another shelf',
    });
  });

  test('the key of another account does not open a card, and says so', async () => {
    const { ben, marketplace } = await begin();
    const { task, card } = await firstCard();
    await ben.clicks(card, 'OK');
    await ben.clicks(await ben.sees(place, /You are not connected/), 'Connect');
    const modal = await ben.modal(/Connect your account/);
    await modal.fill('API key', 'other-employer-demo-key');
    await modal.select('What is this key for?', 'A new account');
    await modal.fill('Name of the new account', 'Other');
    await modal.submit();
    await modal.untilText(
      /This key belongs to a different account than the card you clicked, so nothing was decided/,
    );
    expect((await marketplace.task(task)).task_rating).toBe('NOTRATED');
    expect((await card.refresh()).buttons).toContain('OK');
  });

  test('somebody who connects too late is told who decided', async () => {
    const { ann, ben } = await begin();
    const { card } = await firstCard();
    await ben.clicks(card, 'OK');
    const told = await ben.sees(place, /You are not connected/);
    await ann.clicks(card, 'OK');
    await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
    await ben.clicks(told, 'Connect');
    const modal = await ben.modal(/Connect your account/);
    await modal.fill('API key', key);
    await modal.submit();
    await modal.untilText(/The task was not rated: a message in the channel says why/);
    const late = await ben.sees(place, /already decided/);
    expect(late.text).toMatch(/@Ann.*has already decided \*OK\*/);
  });
});
