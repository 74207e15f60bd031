/**
 * Takes the pictures for README.md and the docs from the running demo, in both themes, and writes them to docs/pictures:
 * `npm run pictures`. `--theme light` or `--theme dark` takes only those.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type MarketplaceHandle, marketplaceHandle } from '@proofdesk/marketplace-sandbox/testing';
import { openBrowser, openWorkspace } from '@proofdesk/slack-sandbox/testing/page';
import type { Browser } from 'playwright-core';
import { startDemo } from '../test/harness/demo.ts';
import { eventually } from '../test/harness/eventually.ts';
import { alterations, screenshot } from '../test/harness/picture-corpus.ts';
import { seededRandom } from '../test/harness/text-corpus.ts';
import { createAnimation } from './lib/animation.ts';

const folder = fileURLToPath(new URL('../docs/pictures/', import.meta.url));
const size = { width: 1100, height: 720 } as const;
const themes = ['light', 'dark'] as const;
type Theme = (typeof themes)[number];
type Page = Awaited<ReturnType<typeof openPage>>;

const { theme: only } = parseArgs({ options: { theme: { type: 'string' } } }).values;
await mkdir(folder, { recursive: true });
const [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
try {
  const market = marketplaceHandle(demo.marketplaceUrl);
  for (const theme of themes) {
    if (only === undefined || only === theme) await takeAll(browser, demo.url, market, theme);
  }
} finally {
  await browser.close();
  await demo.interrupt();
}

async function takeAll(opened: Browser, url: string, market: MarketplaceHandle, theme: Theme): Promise<void> {
  const page = await openPage(opened, url, theme);
  const shot = async (name: string) => {
    await page.shot(`${folder}${name}-${theme}.png`);
    console.log(`docs/pictures/${name}-${theme}.png`);
  };
  const rated = await takeLoop(page, market, theme);
  // Shows the rated card at the top, and newer messages below it.
  await rated.locator.evaluate((card) => card.scrollIntoView({ block: 'start' }));
  await page.page.waitForTimeout(500);
  await shot('channel');

  await page.goTo('Proofdesk home');
  await page.home().shows('waiting in');
  await shot('home');
  await takeDesk(page, opened, theme);
  await page
    .home()
    .locator.getByRole('button', { name: /^Start review/ })
    .click();
  await page.modal('Review').shows('Task 1 · ');
  await shot('review');
  await page.modal('Review').close();
  await page.modal('Review').gone();
  await page
    .home()
    .locator.getByRole('button', { name: /^Select/ })
    .first()
    .click();
  await page.modal('Select tasks').shows('waiting.');
  await shot('select');
  await page.modal('Select tasks').close();

  await page.goTo('#review');
  await takeEvidence(page, market, theme);
  // Tall enough for both pictures.
  await page.page.setViewportSize({ ...size, height: 1_020 });
  await page.page.waitForTimeout(500);
  await shot('evidence');
  // Otherwise the modal would cover the next page of the same person.
  await page.modal('Compare tasks').close();
  await page.modal('Compare tasks').gone();
  await page.close();
}

/** Takes the desk, whose link is shown privately, at a task with pictures. */
async function takeDesk(page: Page, opened: Browser, theme: Theme): Promise<void> {
  await page.home().locator.getByRole('button', { name: 'Open the desk' }).click();
  const shown = page.page.getByRole('dialog').filter({ hasText: 'works once' });
  const link = await shown.getByRole('link', { name: 'Open the desk' }).getAttribute('href');
  await page.page.keyboard.press('Escape');
  await shown.waitFor({ state: 'detached' });
  const desk = await opened.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: theme });
  await desk.goto(link ?? '');
  const picture = desk.locator('main img').first();
  for (let tasks = 0; tasks < 20 && !(await picture.isVisible()); tasks++) {
    await desk.keyboard.press('j');
    await desk.waitForTimeout(500);
  }
  await desk.mouse.move(0, 0);
  await desk.screenshot({ path: `${folder}desk-${theme}.png` });
  console.log(`docs/pictures/desk-${theme}.png`);
  await desk.close();
}

/** Opens the comparison of a picture with itself, resized and re-saved by another worker. */
async function takeEvidence(page: Page, market: MarketplaceHandle, theme: Theme): Promise<void> {
  const { campaigns } = await market.state();
  const campaign = campaigns.find(({ title }) => title.startsWith('Transcribe')) ?? campaigns[0];
  const proofs =
    theme === 'light'
      ? (['Orders of May', 'My orders'] as const)
      : (['Orders of June', 'All I bought'] as const);
  const number = theme === 'light' ? 1 : 4;
  const shot = { app: 2, number, seed: 5 };
  const pictures = [
    ['screenshot.png', 'image/png', await screenshot(shot)],
    ['IMG_2041.jpg', 'image/jpeg', await alterations.resized(shot, seededRandom(number))],
  ] as const;
  for (const [index, [filename, content_type, bytes]] of pictures.entries()) {
    const files = [{ filename, content_type, base64: bytes.toString('base64') }];
    await market.submit({ campaign_id: campaign?.campaign_id ?? '', proof: [proofs[index] ?? ''], files });
  }
  const card = await page.card(proofs[1]).pinned();
  await card.shows(/same picture as/i);
  await card.click('Compare with similar tasks');
  await page.modal('Compare tasks').shows('Same picture');
}

/** Records the animation in README.md: a submission, its card, REVISE, the correction, OK. Returns the last card. */
async function takeLoop(page: Page, market: MarketplaceHandle, theme: Theme) {
  const animation = createAnimation();
  const scene = async (seconds: number) => {
    await page.page.mouse.move(0, 0);
    await page.page.waitForTimeout(150);
    animation.add(await page.page.screenshot(), seconds);
  };
  // Each theme has its own task, which differs in the items bought.
  const bought = theme === 'light' ? 'Bread 2.13, milk 1.86' : 'Apples 3.43, tea 4.65';
  const total = theme === 'light' ? '3.99' : '8.08';
  const { campaigns } = await market.state();
  const campaign = campaigns.find(({ title }) => title.startsWith('Transcribe')) ?? campaigns[0];
  await scene(2);
  const [task = ''] = await market.submit({
    campaign_id: campaign?.campaign_id ?? '',
    proof: [`${bought}, total unreadable`],
  });
  const card = await page.card(`${bought}, total unreadable`).pinned();
  await scene(4);
  await card.click('REVISE');
  const form = page.modal('Request a revision');
  await form.shows('Saved reasons');
  await scene(3);
  await form.fill('What should be corrected?', 'Thank you. Please type the total again: it cannot be read.');
  await scene(4);
  await form.submit('Request revision');
  await form.gone();
  await card.shows('REVISE by');
  await scene(4);
  await eventually(
    'the request',
    async () => {
      const { tasks } = await market.state();
      return tasks.find(({ task_id }) => task_id === task)?.task_rating === 'REVISE';
    },
    30_000,
  );
  await market.correct(task, [`${bought}, total ${total}`]);
  const back = await page.card(`${bought}, total ${total}`).pinned();
  await scene(5);
  await back.click('OK');
  await back.shows('OK by');
  await scene(4);
  await back.loses('Undo');
  await scene(4);
  const file = `loop-${theme}.gif`;
  await writeFile(`${folder}${file}`, animation.encode());
  console.log(`docs/pictures/${file}`);
  return back;
}

async function openPage(opened: Browser, url: string, theme: Theme) {
  const page = await openWorkspace(opened, url, { as: 'U01ANN', channel: 'C01REVIEW', ...size });
  await page.page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  await page.page.locator('main article').first().waitFor();
  await page.page.evaluate(() => document.fonts.ready.then(() => undefined));
  return page;
}
