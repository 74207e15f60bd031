import { afterEach, beforeEach, expect, test } from 'vitest';
import { pixel, shelf } from '../harness/acts.ts';
import { runDoctor } from '../harness/doctor.ts';
import { eventually } from '../harness/eventually.ts';
import { startLoggingProxy } from '../harness/logging-proxy.ts';
import { worldPerTest } from '../harness/worlds.ts';
import { botsPerTest } from './bots.ts';

const files = [{ filename: 'shelf.png', content_type: 'image/png', base64: pixel }];

const { world, create } = worldPerTest({ scenario: { campaigns: [shelf] } });
const startBot = botsPerTest();
let proxy: Awaited<ReturnType<typeof startLoggingProxy>>;
beforeEach(async () => {
  await create();
  const portOf = (url: string) => Number(new URL(url).port);
  proxy = await startLoggingProxy({
    'slack.test': portOf(world.slackUrl),
    'market.test': portOf(world.marketplaceUrl),
  });
});
afterEach(() => proxy.close());

/** Addresses that only the proxy can resolve. */
const behind = (scheme: 'http' | 'https') => ({
  SLACK_API_URL: `${scheme}://slack.test/api/`,
  MARKETPLACE_BASE_URL: `${scheme}://market.test`,
  MARKETPLACE_ALLOW_HTTP: 'yes',
});

async function postACard(): Promise<void> {
  await world.card('a shelf', { files });
  await eventually('the picture', async () =>
    (await world.slack.requests()).some(({ method }) => method === 'files.completeUploadExternal'),
  );
}

test('behind a proxy the bot reaches Slack’s Web API, its socket and uploads, and the marketplace through it', async () => {
  const bot = await startBot({ ...world.environment, ...behind('http'), HTTP_PROXY: proxy.url });
  await bot.ready();
  await postACard();
  const sent = proxy.sent().join('\n');
  for (const path of [
    /^\/api\/auth\.test$/m,
    /^\/api\/apps\.connections\.open$/m,
    /^\/api\/chat\.postMessage$/m,
    /^\/link/m,
    /^\/upload\/v1\//m,
    /^\S*\/list_extend/m,
    /^\S*\/download_file_proof/m,
  ])
    expect(sent).toMatch(path);
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
});

test('behind a proxy the bot reaches what NO_PROXY names without it', async () => {
  const proxied = { http_proxy: proxy.url, NO_PROXY: 'x.test,127.0.0.1' };
  const bot = await startBot({ ...world.environment, ...proxied });
  await bot.ready();
  await postACard();
  expect(proxy.asked()).toEqual([]);
});

test('npm run doctor goes the same way as the bot, with HTTPS_PROXY for https', async () => {
  const http = { SLACK_APP_TOKEN: undefined, SLACK_SIGNING_SECRET: 'some-secret' };
  const environment = { ...world.environment, ...http };
  const fine = await runDoctor({ ...environment, ...behind('http'), HTTP_PROXY: proxy.url });
  expect(fine.output).toMatch(/ok {5}Settings: complete, HTTP on port \d+\./);
  expect(fine.output).toMatch(/ok {5}Clock: it agrees/);
  expect(fine.wrong).toEqual([]);
  const encrypted = await runDoctor({ ...environment, ...behind('https'), HTTPS_PROXY: proxy.url });
  expect(proxy.asked()).toEqual(expect.arrayContaining(['slack.test:443', 'market.test:443']));
  expect(encrypted.output).toMatch(/WRONG {2}SLACK_BOT_TOKEN: Slack cannot be reached/);
});
