import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runDoctor } from '../harness/doctor.ts';
import { createWorld, eventually, sharedWorld } from '../harness/worlds.ts';

const world = sharedWorld({ scenario: { campaigns: [{ title: 'Photo of a shelf' }] } }, createWorld);
beforeEach(() => world.redis.isEmptied());

/** Runs the doctor with the harness's settings and these changes. */
const doctor = (changes: Readonly<Record<string, string | undefined>> = {}) =>
  runDoctor({ ...world.environment, ...changes });

test('npm run doctor says of each piece that it is right, and ends with code 0', async () => {
  const { code, output, wrong } = await doctor();
  expect(wrong).toEqual([]);
  expect(code).toBe(0);
  for (const line of [
    /^ok {5}Settings: complete, Socket Mode\.$/m,
    /^ok {5}SLACK_BOT_TOKEN: /m,
    /^ok {5}Scopes: the bot token has all it needs\.$/m,
    /^ok {5}SLACK_APP_TOKEN: it opens Socket Mode connections\.$/m,
    /^ok {5}REVIEW_CHANNEL: the bot is in the channel\.$/m,
    /^ok {5}INBOX_CHANNEL: the bot is in the channel\.$/m,
    /^ok {5}Redis: it answers, version \d/m,
    /^ok {5}Redis persistence: its append-only file is on\.$/m,
    /^ok {5}Redis memory: its eviction policy is noeviction/m,
    /^ok {5}Redis clock: it agrees with this machine’s clock\.$/m,
    /^note {3}Redis power cut: appendfsync is everysec: a power cut may lose the last decisions/m,
    /^ok {5}PROOFDESK_ENCRYPTION_KEYS: they decrypt every stored API key/m,
    /^ok {5}MARKETPLACE_BASE_URL: the marketplace answers\.$/m,
    /^ok {5}MARKETPLACE_API_KEY: the marketplace accepts it; campaigns: 1\.$/m,
    /^Everything that could be checked is fine\./m,
  ])
    expect(output).toMatch(line);
  for (const secret of ['xoxb-sandbox', 'xapp-sandbox', 'employer-demo-key'])
    expect(output).not.toContain(secret);
});

test('npm run doctor names every fault of the settings', async () => {
  const { code, wrong } = await doctor({ SLACK_BOT_TOKEN: undefined, POLL_SECONDS: 'often' });
  expect(code).toBe(1);
  expect(wrong).toHaveLength(2);
  expect(wrong.join()).toMatch(/POLL_SECONDS must be a whole number/);
  expect(wrong.join()).toMatch(/SLACK_BOT_TOKEN is missing/);
});

test('npm run doctor says what to do about tokens, scopes and the channel', async () => {
  const tokens = await doctor({ SLACK_BOT_TOKEN: 'xoxb-wrong', SLACK_APP_TOKEN: 'xapp-wrong' });
  expect(tokens.code).toBe(1);
  expect(tokens.wrong).toHaveLength(2);
  const says = (name: string, step: string) =>
    `${name}: Slack does not accept ${name} (invalid_auth). ${step}`;
  expect(tokens.output).toContain(says('SLACK_BOT_TOKEN', 'Reinstall the app'));
  expect(tokens.output).toContain(says('SLACK_APP_TOKEN', 'Create an app-level'));

  const { scopes } = (await world.slack.state()).settings;
  const granted = scopes.filter((scope) => scope !== 'files:write' && scope !== 'users:read');
  await world.slack.settings({ scopes: granted });
  const lacking = await doctor({ REVIEW_CHANNEL: 'C03RANDOM' });
  await world.slack.settings({ scopes });
  expect(lacking.wrong).toHaveLength(2);
  expect(lacking.output).toMatch(/^WRONG {2}Scopes: the bot token lacks users:read \(to tell members from/m);
  const optional = /^note {3}Scopes: the bot token lacks files:write \(.*\), which an admin may refuse\./m;
  expect(lacking.output).toMatch(optional);
  const invite = 'the bot is not in the channel. Type there: /invite @Proofdesk';
  expect(lacking.output).toContain(`REVIEW_CHANNEL: ${invite}`);
  const channels = [
    ['C04OLD', 'CNOSUCH'],
    ['CNOSUCH', 'C03RANDOM'],
    ['C01REVIEW', 'C04OLD'],
  ] as const;
  const kinds = {
    C01REVIEW: 'the bot is in the channel',
    C03RANDOM: invite,
    C04OLD: 'the channel is archived',
    CNOSUCH: 'there is no such channel',
  };
  for (const [review, inbox] of channels) {
    const { output } = await doctor({ REVIEW_CHANNEL: review, INBOX_CHANNEL: inbox });
    const lineOf = (setting: string) => output.split('\n').find((line) => line.includes(`${setting}:`));
    expect(lineOf('REVIEW_CHANNEL')).toContain(`: ${kinds[review]}`);
    expect(lineOf('INBOX_CHANNEL')).toContain(`: ${kinds[inbox]}`);
  }
});

test('npm run doctor says the same as the bot about each refusal of Slack', async () => {
  const { slack } = world;
  await slack.refuses('apps.connections.open', 'link_disabled', 0);
  await slack.refuses('auth.test', 'accesslimited', 0);
  const { wrong } = await doctor();
  await slack.clearFaults();
  const says = (name: string) => wrong.find((line) => line.includes(`${name}:`));
  expect(says('SLACK_APP_TOKEN')).toContain(
    ': Socket Mode is turned off for this app (link_disabled). Turn it on under “Socket Mode”',
  );
  expect(says('SLACK_BOT_TOKEN')).toContain(
    ': The workspace does not allow requests from this network (accesslimited).',
  );
});

test('npm run doctor says what to do when Slack or the marketplace cannot be reached', async () => {
  const nowhere = 'http://127.0.0.1:9';
  const away = { SLACK_API_URL: `${nowhere}/api/`, MARKETPLACE_BASE_URL: nowhere };
  const { code, output } = await doctor(away);
  expect(code).toBe(1);
  expect(output).toMatch(/WRONG {2}SLACK_BOT_TOKEN: Slack cannot be reached/);
  expect(output).toMatch(/WRONG {2}MARKETPLACE_BASE_URL: it cannot be reached/);
  const other = await doctor({ MARKETPLACE_BASE_URL: world.slackUrl });
  expect(other.output).toMatch(/MARKETPLACE_BASE_URL: what answers there is not the marketplace/);
});

test('npm run doctor says what to do about the key of the shared account', async () => {
  const wrongKey = await doctor({ MARKETPLACE_API_KEY: 'no-such-key' });
  expect(wrongKey.output).toMatch(/MARKETPLACE_API_KEY: the marketplace does not accept it\. Copy it again/);
  expect(wrongKey.output).toMatch(/ok {5}MARKETPLACE_BASE_URL/);
  const noAccount = { MARKETPLACE_API_KEY: undefined, ACCOUNT_OWNERS: undefined };
  const none = await doctor({ ...noAccount, REVIEW_CHANNEL: undefined, INBOX_CHANNEL: undefined });
  expect(none.code).toBe(0);
  expect(none.output).toMatch(/note {3}MARKETPLACE_API_KEY: not set: members connect their own accounts/);
});

test('npm run doctor says what to do about Redis and the encryption keys', async () => {
  const { redis } = world;
  // A bot with another encryption key finds something spoilt.
  const former = { PROOFDESK_ENCRYPTION_KEYS: Buffer.alloc(32, 9).toString('base64') };
  await world.startBot(former);
  await world.stopBots();
  await redis.spoils(':subscriptions');
  await world.startBot(former);
  const isMoved = () => world.log.some((line) => line.includes('"stored-value-unreadable"'));
  await eventually('it to be moved', isMoved);
  await world.stopBots();
  await redis.isSet('appendonly', 'no');
  await redis.isSet('maxmemory-policy', 'allkeys-lru');
  const { code, output, wrong } = await doctor();
  await redis.isSet('appendonly', 'yes');
  await redis.isSet('maxmemory-policy', 'noeviction');
  expect(code).toBe(1);
  expect(wrong).toHaveLength(3);
  expect(output).toMatch(/Redis persistence: its append-only file is off/);
  expect(output).toMatch(/Redis memory: its eviction policy is allkeys-lru, which deletes data/);
  expect(output).toMatch(/PROOFDESK_ENCRYPTION_KEYS: they do not decrypt one stored API key/);
  expect(output).toMatch(/note {3}Redis data: one stored value could not be read and was moved/);
  // What it says stays secret.
  expect(output).not.toContain('C01REVIEW');

  await redis.isSet('requirepass', 'the-password');
  const locked = await doctor();
  await redis.isSet('requirepass', '', 'the-password');
  expect(locked.output).toMatch(/WRONG {2}Redis: it does not accept the user name or password in REDIS_URL/);

  const away = await doctor({ REDIS_URL: 'redis://127.0.0.1:9' });
  expect(away.output).toMatch(/WRONG {2}Redis: it cannot be reached \(.*ECONNREFUSED.*\)/);
});

test('npm run doctor looks at what a private Redis needs where there is no REDIS_URL', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-doctor-'));
  const own = { REDIS_URL: undefined, PROOFDESK_ENCRYPTION_KEYS: undefined };
  const fine = await doctor({ ...own, DATA_DIR: folder });
  expect(fine.output).toMatch(/ok {5}Redis: a private redis-server \d\S* starts with the bot/);
  expect(fine.output).toMatch(/ok {5}DATA_DIR: .* is writable/);
  const none = await doctor({ ...own, DATA_DIR: '/dev/null/data', PATH: '' });
  expect(none.output).toMatch(/WRONG {2}Redis: redis-server is not installed/);
  expect(none.output).toMatch(/WRONG {2}DATA_DIR: .* is not writable/);
  await rm(folder, { recursive: true });
});

test('npm run doctor looks at the clock with HTTP, and says how the signing secret is checked', async () => {
  const http = { SLACK_APP_TOKEN: undefined, SLACK_SIGNING_SECRET: 'some-secret' };
  const { code, output } = await doctor(http);
  expect(code).toBe(0);
  expect(output).toMatch(/note {3}SLACK_SIGNING_SECRET: only Slack can check it/);
  expect(output).toMatch(/ok {5}Clock: it agrees with Slack’s/);
});
