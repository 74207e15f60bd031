import { afterAll, beforeAll, expect, test } from 'vitest';
import { opensFromDetails } from '../harness/acts.ts';
import { startBotProcess } from '../harness/bot-process.ts';
import { eventually } from '../harness/eventually.ts';
import { type LargeDownloads, serveLargeDownloads } from '../harness/large-downloads.ts';
import { watchMemory } from '../harness/process-memory.ts';
import { createWorld, type World } from '../harness/world.ts';

const mb = 1024 * 1024;
const file = { filename: 'large.pdf', content_type: 'application/pdf', base64: 'bGFyZ2U=' };

let world: World;
let downloads: LargeDownloads;
let bot: Awaited<ReturnType<typeof startBotProcess>>;

/** Fetches all files of a new task, as fast as somebody can click. Returns how much the bot's memory grew. */
async function fetchAll(proof: string, count: number): Promise<number> {
  const files = Array.from({ length: count }, () => file);
  const card = await world.card(proof, { campaign_id: 'c0ffee01', files });
  const modal = await opensFromDetails(world.ann, card, 'Files…', /Files of this task/);
  const grown = await watchMemory(bot.child.pid ?? 0);
  await eventually(`${count} files to be requested`, async () => {
    const { text, buttons } = await modal.refresh();
    // While files arrive, the modal may have changed before the click is there.
    if (buttons.includes('Post in thread')) await modal.clicks('Post in thread').catch(() => undefined);
    return fetched(text) >= count;
  });
  const posted = async () => (await card.thread()).length === count;
  await eventually(`${count} files in the thread`, posted, 30_000);
  const sizes = (await card.thread()).map((message) => message.files[0]?.size);
  expect(new Set(sizes)).toEqual(new Set([12 * mb]));
  return grown();
}

/** How many files are on their way or there. */
const fetched = (text: string) => text.match(/On its way|In the card’s thread/g)?.length ?? 0;

beforeAll(async () => {
  world = await createWorld({
    scenario: { campaigns: [{ campaign_id: 'c0ffee01', title: 'Shelf', status: 'RUNNING' }] },
  });
  downloads = await serveLargeDownloads(world.marketplaceUrl, 12 * mb);
  bot = await startBotProcess({ ...world.environment, MARKETPLACE_BASE_URL: downloads.url });
  await bot.ready();
});
afterAll(async () => {
  bot?.child.kill('SIGKILL');
  await downloads?.close();
  await world?.close();
});

test('30 files of 12 MB at once cost the bot at most 60 MB', async () => {
  await fetchAll('one file first', 1);
  // Slack takes its time before each of them.
  const fault = { match: { method: 'files.getUploadURLExternal' }, kind: 'latency', delayMs: 500 } as const;
  await world.slack.fault({ ...fault, times: 0 });
  expect(await fetchAll('thirty files', 30)).toBeLessThan(60 * mb);
  await world.slack.clearFaults();
});

test('files whose size nobody tells beforehand cost the bot no more', async () => {
  downloads.tellLength(false);
  expect(await fetchAll('files of any size', 6)).toBeLessThan(60 * mb);
});
