import { expect, test } from 'vitest';
import { connects, shelf } from '../harness/acts.ts';
import { eventually, type WorldOptions, worldPerTest } from '../harness/worlds.ts';

const key = 'employer-demo-key';
const newKey = 'employer-new-key';
const menu = { campaign_id: 'c0ffee02', title: 'Type a menu', status: 'RUNNING' } as const;
const other = {
  campaign_id: 'c0ffee09',
  title: 'Translate a page',
  status: 'RUNNING',
  key: 'other-employer-demo-key',
} as const;

const { world, begin: startWithKey } = worldPerTest({ scenario: { campaigns: [shelf, menu, other] } });

/** A workspace whose environment has no key. */
const startWithoutKey = ({ env }: WorldOptions = {}) =>
  startWithKey({ env: { MARKETPLACE_API_KEY: undefined, REVIEW_CHANNEL: undefined, ...env } });

/** How often the marketplace has applied a rating of a task. */
const timesRated = async (task: string) =>
  (await world.marketplace.calls('rate_task')).filter(
    ({ applied, form }) => applied && JSON.stringify(form).includes(task),
  ).length;

/** The employer creates another key and revokes the former one. */
async function replaceKey(): Promise<void> {
  await world.marketplace.addKey(newKey);
  await world.marketplace.revokeKey(key);
}

/** Restarts the bot with another key in its environment. */
async function restartWith(apiKey: string): Promise<void> {
  world.environment.MARKETPLACE_API_KEY = apiKey;
  await world.settled();
}

/** One card that waits for a decision, and one whose decision waits for a key that works. */
async function oneOpenOneHeld() {
  const { task: open, card } = await world.taskWithCard('the first shelf');
  const { task: held, card: decided } = await world.taskWithCard('the second shelf');
  await replaceKey();
  await world.ann.clicks(decided, 'OK', /not sent yet/);
  return { open, card, held, decided };
}

/** Each task has one card, the decision that waited was sent once, and work goes on as before. */
async function expectSameAccount({ open, card, held, decided }: Awaited<ReturnType<typeof oneOpenOneHeld>>) {
  await decided.untilText(/:white_check_mark: \*OK\* by @Ann/);
  expect(await timesRated(held)).toBe(1);
  await world.card('the third shelf');
  await world.ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);
  expect(await timesRated(open)).toBe(1);
  await world.settled();
  expect(await world.posts(/the third shelf/)).toHaveLength(1);
  expect(await world.posts(/Photo of a shelf.*Worker/s)).toHaveLength(3);
}

const logged = (text: string) =>
  eventually('a line in the log', () => world.log.find((line) => line.includes(text)));

test('a replaced key continues the account that its owner names', async () => {
  const { ann } = await startWithoutKey();
  const modal = await connects(ann, key, ' Acme & Sons ');
  await modal.untilText(/You are connected to \*Acme & Sons\*\./);
  await ann.asks('/proofdesk subscribe', /will be posted in this channel/);
  const tasks = await oneOpenOneHeld();
  await (await connects(ann, newKey, 'Replace a key of Acme & Sons')).untilText(
    /The key of \*Acme & Sons\* was replaced\. Its cards, decisions and subscriptions stay/,
  );
  await expectSameAccount(tasks);
});

test('a replaced key continues the shared account as somebody’s own, and so it stays after a restart', async () => {
  const { ann, ben } = await startWithKey();
  const tasks = await oneOpenOneHeld();
  await (await connects(ben, newKey, 'My own key for default')).untilText(/You are connected to \*default\*/);
  await world.settled();
  await expectSameAccount(tasks);
  await ann.looksAtHome(/^(?!.*Needs attention).*Reviewing/s);
});

test('a replaced key that replaced the one of the environment stays after a restart with the former one', async () => {
  const { ann, ben } = await startWithKey();
  const tasks = await oneOpenOneHeld();
  const form = await connects(ben, newKey, 'Replace a key of default');
  await form.untilText(/The key of \*default\* was replaced/);
  await world.settled();
  await expectSameAccount(tasks);
  await ann.asks('/proofdesk audit', /@Ben.* replaced an API key/);
});

test('a replaced key in the environment continues the account', async () => {
  await startWithKey();
  const tasks = await oneOpenOneHeld();
  await restartWith(newKey);
  await expectSameAccount(tasks);
});

test('a replaced key in the environment is taken once the marketplace answers; until then nothing is posted twice', async () => {
  const { marketplace } = await startWithKey({ intervals: { schedulersMs: 1_000 } });
  const tasks = await oneOpenOneHeld();
  const fault = await marketplace.fault({ match: { path: 'campaigns_b/list' }, kind: '500', times: 0 });
  await restartWith(newKey);
  await logged('MARKETPLACE_API_KEY cannot be checked yet');
  expect(await world.posts(/the first shelf/)).toHaveLength(1);
  await marketplace.clearFaults(fault);
  await expectSameAccount(tasks);
});

test('a replaced key does not matter to an account of which another key works', async () => {
  const { ann, ben, marketplace } = await startWithoutKey();
  await (await connects(ann, key)).untilText(/You are connected/);
  await ann.asks('/proofdesk subscribe', /will be posted in this channel/);
  const card = await world.card('the first shelf');
  await marketplace.addKey(newKey);
  await (await connects(ben, newKey, 'My own key for default')).untilText(/You are connected/);
  await marketplace.revokeKey(newKey);
  await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);
  await world.card('the second shelf');
  // The other way round: the second key works again, the first does not.
  await marketplace.addKey(newKey, key);
  await marketplace.revokeKey(key);
  await world.card('the third shelf');
  expect(await world.posts(/cannot be fetched/)).toEqual([]);
  await ann.looksAtHome(/^(?!.*Needs attention).*Reviewing/s);
});

test('a replaced key is not taken while the marketplace cannot list its campaigns', async () => {
  const { ann, marketplace } = await startWithoutKey();
  await (await connects(ann, key)).untilText(/You are connected/);
  await marketplace.addKey(newKey, key);
  await marketplace.revokeKey(key);
  await marketplace.refuses('list', 'SYSTEM ERROR', 0);
  await (await connects(ann, newKey, 'My own key for default')).untilText(/The key wasn’t stored/);
  await marketplace.clearFaults();
  await (await connects(ann, newKey, 'My own key for default')).untilText(/You are connected/);
});

test('another encryption key replaces the former one by two restarts, also for an account that nothing is fetched of', async () => {
  const [former, present] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')];
  const { ann } = await startWithoutKey({ env: { PROOFDESK_ENCRYPTION_KEYS: former } });
  await (await connects(ann, key)).untilText(/You are connected/);
  for (const keys of [`${present},${former}`, present]) {
    world.environment.PROOFDESK_ENCRYPTION_KEYS = keys;
    await world.settled();
  }
  await ann.asks('/proofdesk subscribe', /will be posted in this channel/);
  await world.card('the first shelf');
  expect(world.log.filter((line) => line.includes('"api-keys-sealed"'))).toHaveLength(1);
});

test('a key that shows no campaign of an account is not taken for it by command; as a new account it is', async () => {
  const { ann, ben } = await startWithKey();
  const card = await world.card('the first shelf');
  for (const purpose of ['My own key for default', 'Replace a key of default'])
    await (await connects(ben, other.key, purpose)).untilText(
      /This key doesn’t show any campaign of \*default\*\..*The key wasn’t stored/,
    );
  await ben.asks('/proofdesk disconnect', /You’re not connected with a key of your own/);
  await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);

  const modal = await ben.enters('/proofdesk connect', /Connect your account/);
  await modal.fill('API key', other.key);
  await modal.select('What is this key for?', 'A new account');
  expect((await modal.submit()).errors).toEqual({
    'Name of the new account': 'Give the new account a name.',
  });
  await modal.next(/There is already an account called \*DEFAULT\*/, {
    'Name of the new account': ' DEFAULT ',
  });
  const again = await ben.enters('/proofdesk connect', /What is this key for/);
  await again.fill('API key', other.key);
  await again.select('What is this key for?', 'A new account');
  const connected = await again.next(/You are connected to \*Other <!channel>\*/, {
    'Name of the new account': 'Other <!channel>',
  });
  expect(connected.pings).toEqual([]);
  // The account that they act for comes first.
  const mine = await ben.enters('/proofdesk connect', /Connect your account/);
  expect(mine.field('What is this key for?')).toBe('My own key for Other <!channel>');
  // A key stays with its account.
  await (await connects(ann, other.key, 'Replace a key of default')).untilText(
    /This key belongs to \*Other <!channel>\*, not to \*default\*/,
  );
});

test('a key that shows no campaign of an account is not taken for it from the environment: the former key stays in use, and the log says what to do', async () => {
  const { ann, marketplace } = await startWithKey();
  const card = await world.card('the first shelf');
  await restartWith(other.key);
  const line = await logged('MARKETPLACE_API_KEY is not used: it lists no campaign of the account “default”');
  expect(line).toContain('Set a key of that account');
  await marketplace.submit({ campaign_id: other.campaign_id, proof: ['a page'] });
  await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);
  await world.card('the second shelf');
  expect(await world.posts(/a page/)).toEqual([]);
});

test('only owners can replace a key, also when they lost that right while the form was open', async () => {
  const { ann, ben, slack, marketplace } = await startWithKey({ env: { ACCOUNT_OWNERS: undefined } });
  await world.card('the first shelf');
  const { choices } = await ben.enters('/proofdesk connect', /What is this key for/);
  expect(choices('What is this key for?')).toEqual(['My own key for default', 'A new account']);
  await marketplace.addKey(newKey);
  const modal = await ann.enters('/proofdesk connect', /What is this key for/);
  await modal.fill('API key', newKey);
  await modal.select('What is this key for?', 'Replace a key of default');
  await slack.userPatch('U01ANN', { is_admin: false });
  await modal.next(/Only owners of \*default\* can replace its keys/);
});

test('only owners can add a key to an account without campaigns', async () => {
  const { ann, ben, marketplace } = await startWithKey({
    scenario: { campaigns: [] },
    env: { ACCOUNT_OWNERS: 'U01ANN' },
  });
  await marketplace.addKey(newKey);
  await (await connects(ben, newKey, 'My own key for default')).untilText(
    /\*default\* has no campaigns yet to check the key against, so only its owners can add one/,
  );
  await (await connects(ann, newKey, 'My own key for default')).untilText(/You are connected to \*default\*/);
});
