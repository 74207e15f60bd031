import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { place, rates, shelf } from '../harness/acts.ts';
import { startMarketplaceProxy } from '../harness/marketplace-proxy.ts';
import { createWorld, eventually, sharedWorld } from '../harness/worlds.ts';

const results = `/campaign_hg/results_csv/${shelf.campaign_id}`;
/** 16 MB in 16 KB. */
const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024));

// Ben is a reviewer, by his channel alone.
const world = sharedWorld(
  { scenario: { campaigns: [shelf] }, env: { ACCOUNT_OWNERS: 'U01ANN', UNDO_SECONDS: '0' } },
  createWorld,
);
const { ben, marketplace } = world;
let bombs = 0;
let isBomb = false;
let proxy: Awaited<ReturnType<typeof startMarketplaceProxy>>;
beforeAll(async () => {
  proxy = await startMarketplaceProxy(world.marketplaceUrl, (path, response) => {
    if (!isBomb || !path.includes('results_csv')) return false;
    bombs += 1;
    sendBomb(response);
    return true;
  });
  await world.startBot({ MARKETPLACE_BASE_URL: proxy.url });
});
afterAll(() => proxy?.close());

test('a proof that is too large forges no row of another task, and hides none behind it', async () => {
  const { task, card } = await world.taskWithCard('an honest proof');
  const csv = (await (
    await fetch(world.marketplaceUrl + results, { headers: { ServiceApiKey: 'employer-demo-key' } })
  ).json()) as { csv: string };
  const row = csv.csv.split('\n').find((line) => line.includes(task)) ?? '';
  expect(row).toContain('NOTRATED');
  const forged = row.replace('NOTRATED', 'OK').replace('an honest proof', 'a forged proof');
  // As it stands inside of the cell, and as if the cell had ended before it.
  const rows = `\n${forged}\n"\n${forged}\n`;
  await world.submit(`${'a'.repeat(1_100_000)}${rows}${'b'.repeat(1_100_000)}${rows}`);
  const { card: next } = await world.taskWithCard('the row behind it');
  expect(next.buttons).toContain('OK');
  await card.until(({ buttons }) => buttons.includes('OK'));
  expect(card.text).not.toMatch(/forged|rated outside/);
  await ben.clicks(card, 'OK');
  await marketplace.rated(task, 'OK');
  await card.untilText(/\*OK\* by @Ben/);
  expect(await world.posts(/a forged proof/)).toEqual([]);
});

test('an answer that unpacks to gigabytes costs nobody a rating, and is got over', async () => {
  const { task, card } = await world.taskWithCard('before the bomb');
  isBomb = true;
  await world.submit('behind the bomb');
  await eventually('a bomb', () => bombs > 0);
  await ben.clicks(card, 'OK');
  await marketplace.rated(task, 'OK');
  isBomb = false;
  await ben.sees(place, /behind the bomb/, { timeoutMs: 20_000 });
});

test('addresses are masked, and what reverses a text is shown', async () => {
  await world.submit('say \u202Ecba 12', { ip: '2001:db8:1:2:3:4:5:6' });
  const card = await ben.sees(place, /cba 12/);
  // Word joiners keep Slack from making links of what looks like an address.
  const details = await ben.picks(card, 'Details…', /IP address: /);
  const sent = (card.sent() + details.sent()).replaceAll('\u2060', '');
  expect(details.sent().replaceAll('\u2060', '')).toContain('2001:db8:1:2:…');
  expect(sent).not.toContain('2:3:4:5:6');
  expect(sent).not.toContain('\u202e');
  expect(card.text).toContain('say [U+202E]cba 12');
});

test('a campaign whose results are never read completely shows what comes while another task is sent back', async () => {
  const { task, card } = await world.taskWithCard('to be sent back');
  await rates(ben, card, 'REVISE', 'The label cannot be read');
  await marketplace.rated(task, 'REVISE');
  // As many wait for a rating as before.
  await world.taskWithCard('in its place');
});

/** Answers with something small that unpacks without end. */
function sendBomb(response: ServerResponse): void {
  response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' });
  const more = () => {
    if (!response.destroyed && response.write(bomb)) setImmediate(more);
  };
  response.on('drain', more);
  more();
}
