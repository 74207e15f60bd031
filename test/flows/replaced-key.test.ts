import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import type { Person } from '../harness/slack.ts';
import { startWorld, type World, type WorldOptions } from '../harness/world.ts';

const key = 'employer-demo-key';
const newKey = 'employer-new-key';
const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const menu = { campaign_id: 'c0ffee02', title: 'Type a menu', status: 'RUNNING' } as const;
const other = {
  campaign_id: 'c0ffee09',
  title: 'Translate a page',
  status: 'RUNNING',
  key: 'other-employer-demo-key',
} as const;
const place = 'C01REVIEW';

let world: World;
afterEach(() => world?.close());

/** A workspace whose environment has no key. */
async function startWithoutKey(options: WorldOptions = {}): Promise<World> {
  world = await startWorld({
    scenario: { campaigns: [shelf, menu, other] },
    ...options,
    env: { MARKETPLACE_API_KEY: undefined, REVIEW_CHANNEL: undefined, ...options.env },
  });
  return world;
}

async function startWithKey(options: WorldOptions = {}): Promise<World> {
  world = await startWorld({ scenario: { campaigns: [shelf, menu, other] }, ...options });
  return world;
}

/** Types a key into the modal of `/proofdesk connect`. */
async function connects(person: Person, typed: string) {
  await person.types(place, '/proofdesk connect');
  const modal = await person.modal(/Connect your account/);
  await modal.fill('API key', typed);
  await modal.submit();
  return modal;
}

const submit = (proof: string) =>
  world.marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof] }).then(([id = '']) => id);

const cardsOf = async (proof: RegExp) =>
  (await world.ann.reads(place)).filter(({ text, ephemeral }) => !ephemeral && proof.test(text));

/** How often the marketplace has applied a rating of a task. */
const timesRated = async (task: string) =>
  (await world.marketplace.requests()).filter(
    ({ path, applied, form }) => applied && path.includes('rate_task') && JSON.stringify(form).includes(task),
  ).length;

/** The employer creates another key and revokes the former one. */
async function replaceKey(): Promise<void> {
  await world.marketplace.addKey(newKey);
  await world.marketplace.revokeKey(key);
}

/** Restarts the bot with another key in its environment. */
async function restartWith(apiKey: string): Promise<void> {
  await world.stopBots();
  world.environment.MARKETPLACE_API_KEY = apiKey;
  await world.startBot();
}

/** One card that waits for a decision, and one whose decision waits for a key that works. */
async function oneOpenOneHeld() {
  const open = await submit('the first shelf');
  const card = await world.ann.sees(place, /the first shelf/);
  const held = await submit('the second shelf');
  const decided = await world.ann.sees(place, /the second shelf/);
  await replaceKey();
  await world.ann.clicks(decided, 'OK');
  await decided.untilText(/not sent yet/);
  return { open, card, held, decided };
}

/** Each task has one card, the decision that waited was sent once, and work goes on as before. */
async function expectSameAccount({ open, card, held, decided }: Awaited<ReturnType<typeof oneOpenOneHeld>>) {
  await decided.untilText(/:white_check_mark: \*OK\* by @Ann/);
  expect(await timesRated(held)).toBe(1);
  await submit('the third shelf');
  await world.ann.sees(place, /the third shelf/);
  await world.ann.clicks(card, 'OK');
  await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
  expect(await timesRated(open)).toBe(1);
  await world.settled();
  expect(await cardsOf(/the third shelf/)).toHaveLength(1);
  expect(await cardsOf(/Photo of a shelf.*Worker/s)).toHaveLength(3);
}

describe('a replaced key', () => {
  test('of the same account, connected by a member and confirmed, continues the account', async () => {
    const { ann } = await startWithoutKey();
    const modal = await connects(ann, key);
    await modal.untilText(
      /You are connected\. The account has 2 campaigns: .*Photo of a shelf.*Nobody else here uses it/s,
    );
    await ann.types(place, '/proofdesk subscribe');
    await ann.sees(place, /are posted in this channel from now on/);
    const tasks = await oneOpenOneHeld();
    await connects(ann, newKey);
    const question = await ann.modal(/This key sees the same campaigns as the account/);
    expect(question.text).toMatch(/#review/);
    await question.clicks('Use as its new key');
    await question.untilText(/You are connected/);
    await expectSameAccount(tasks);
  });

  test('of the same account in the environment continues the account, and says so in the channel', async () => {
    const { ann } = await startWithKey();
    const tasks = await oneOpenOneHeld();
    await restartWith(newKey);
    await ann.sees(place, /MARKETPLACE_API_KEY is a new key of the same account/);
    await expectSameAccount(tasks);
  });

  test('in the environment is identified once the marketplace answers; until then nothing is posted twice', async () => {
    const { ann, marketplace } = await startWithKey();
    const tasks = await oneOpenOneHeld();
    const fault = await marketplace.fault({ match: { path: 'campaigns_b/list' }, kind: '500', times: 0 });
    await restartWith(newKey);
    await eventually('it to be tried again', () =>
      world.log.some((line) => line.includes('cannot be identified yet')),
    );
    expect(await cardsOf(/the first shelf/)).toHaveLength(1);
    await marketplace.clearFaults(fault);
    await ann.sees(place, /MARKETPLACE_API_KEY is a new key of the same account/);
    await expectSameAccount(tasks);
  });

  test('of another account in the environment is an account of its own; what waits for the old key says so', async () => {
    const { ann, marketplace } = await startWithKey();
    const { decided, held } = await oneOpenOneHeld();
    await restartWith(other.key);
    await decided.untilText(/not sent yet\. This account has no usable API key\. Anyone who has one/);
    await marketplace.submit({ campaign_id: other.campaign_id, proof: ['a page'] });
    await ann.sees(place, /Translate a page.*a page/s);
    expect(await timesRated(held)).toBe(0);
    await connects(ann, newKey);
    await (await ann.modal(/of the account whose tasks|as the account whose tasks/)).clicks(
      'Use as its new key',
    );
    await decided.untilText(/:white_check_mark: \*OK\* by @Ann/);
    expect(await timesRated(held)).toBe(1);
    await ann.opensHome();
    await ann.home(/^(?!.*API key of this account).*Reviewing/s);
  });

  test('that its member calls another account’s is one', async () => {
    const { ann, ben, marketplace } = await startWithoutKey();
    await (await connects(ann, key)).untilText(/You are connected/);
    await marketplace.addKey(newKey);
    const modal = await connects(ben, newKey);
    await ben.modal(/same campaigns as the account of @Ann/);
    await modal.close();
    // Who has closed the window is asked privately the next time, and answers there.
    await marketplace.fault({ match: { path: 'campaigns_b/list' }, kind: 'latency', delayMs: 12_000 });
    await (await connects(ben, newKey)).close();
    await marketplace.clearFaults();
    const question = await ben.sees('D02BEN', /Use it as its new key\?/);
    await ben.clicks(question, 'Connect as another account');
    await ben.sees('D02BEN', /You are connected\..*Nobody else here uses it/s);
    await ben.clicksOldButton(question, 'Use as its new key');
    await ben.sees('D02BEN', /This question has expired/);
    // The answer stays: the key has its account.
    await (await connects(ben, newKey)).untilText(/You are connected\..*Nobody else here uses it/s);
  });

  test('does not matter to an account of which another key works', async () => {
    const { ann, ben, marketplace } = await startWithoutKey();
    await (await connects(ann, key)).untilText(/You are connected/);
    await ann.types(place, '/proofdesk subscribe');
    await ann.sees(place, /are posted in this channel from now on/);
    await submit('the first shelf');
    const card = await ann.sees(place, /the first shelf/);
    await marketplace.addKey(newKey);
    await connects(ben, newKey);
    await (await ben.modal(/This key sees the same campaigns/)).clicks('Use as its new key');
    await ben.modal(/You are connected.*One other member uses it, too/s);
    await marketplace.revokeKey(key);
    await ann.clicks(card, 'OK');
    await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
    await submit('the second shelf');
    await ann.sees(place, /the second shelf/);
    // The other way round: the first key works again, the second does not.
    await marketplace.addKey(key, newKey);
    await marketplace.revokeKey(newKey);
    await submit('the third shelf');
    await ann.sees(place, /the third shelf/);
    expect((await ann.reads(place)).filter(({ text }) => /cannot be fetched/.test(text))).toEqual([]);
    await ann.opensHome();
    await ann.home(/^(?!.*Needs attention).*Reviewing/s);
  });

  test('connected while the marketplace cannot list its campaigns: asked for again, instead of made another account', async () => {
    const { ann, marketplace } = await startWithoutKey();
    await (await connects(ann, key)).untilText(/You are connected/);
    await marketplace.addKey(newKey, key);
    await marketplace.revokeKey(key);
    await marketplace.fault({ match: { path: 'list' }, kind: 'error', error: 'SYSTEM ERROR', times: 0 });
    await (await connects(ann, newKey)).untilText(/You are not connected/);
    await marketplace.clearFaults();
    await connects(ann, newKey);
    await (await ann.modal(/This key sees the same campaigns/)).clicks('Use as its new key');
    await ann.modal(/You are connected/);
  });

  test('of an account without campaigns: connecting says that it cannot tell', async () => {
    const { ann } = await startWithoutKey({ scenario: { campaigns: [shelf] } });
    await (await connects(ann, other.key)).untilText(
      /You are connected\. The account has no campaigns yet, so Proofdesk cannot tell which one it is/,
    );
  });
});
