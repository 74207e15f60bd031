import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { buildDesk } from '@proofdesk/desk/build';
import { describeInBrowser } from '@proofdesk/slack-sandbox/testing/browser';
import { axeProblems } from '@proofdesk/slack-sandbox/testing/page';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { paidShelf as shelf } from '../harness/acts.ts';
import { deskLink } from '../harness/desk.ts';
import { eventually } from '../harness/eventually.ts';
import type { World } from '../harness/world.ts';
import { worldPerTest } from '../harness/worlds.ts';

const picture = {
  filename: 'shelf.png',
  content_type: 'image/png',
  base64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
};

const pictures = [picture, { ...picture, filename: 'aisle.png' }];

/** Returns a picture of 16,000 × 16,000 points in a file of 31 KB. */
function hugePicture(): typeof picture {
  const side = 16_000;
  const chunk = (type: string, data: Buffer) => {
    const content = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(content));
    return Buffer.concat([length, content, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // One bit for each point.
  header.writeUInt8(1, 8);
  const bytes = Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(side * (side / 8 + 1)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return { filename: 'huge.png', content_type: 'image/png', base64: bytes.toString('base64') };
}

/** Opens the desk as Ann does: by the button in Slack. */
async function openDesk(browser: Browser, { ann }: World, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(40_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/ERR_|Failed to load resource/.test(message.text()))
      errors.push(message.text());
  });
  await page.goto(await deskLink(ann));
  const task = page.getByRole('main');
  const latest = page.getByRole('list', { name: 'Latest decisions' });
  return {
    page,
    context,
    task,
    latest,
    errors,
    /** Waits until a task is shown, and long enough that a press is meant for it. */
    async sees(proof: string): Promise<void> {
      await task.getByText(proof, { exact: true }).waitFor();
      await page.waitForTimeout(350);
    },
    presses: (...keys: string[]) =>
      keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve()),
    /** Waits until screen readers were told this. */
    hears: (text: RegExp) =>
      page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' }),
  };
}

describeInBrowser('the desk', (browser) => {
  beforeAll(buildDesk);
  const { begin } = worldPerTest({
    deskFolder: join(process.cwd(), 'dist/desk'),
    scenario: { campaigns: [shelf] },
    env: { UNDO_SECONDS: '10' },
  });

  async function deskWith(proofs: readonly string[], options?: BrowserContextOptions, files = pictures) {
    const world = await begin();
    const tasks = new Map<string, string>();
    for (const proof of proofs) tasks.set(proof, (await world.taskWithCard(proof, { files })).task);
    return { world, tasks, desk: await openDesk(browser(), world, options) };
  }

  test('a morning at the desk by keys alone', async () => {
    const proofs = [
      'First shelf',
      'Second shelf',
      'Third shelf',
      'Fourth shelf',
      'Fifth shelf',
      'Sixth shelf',
    ];
    const { world, tasks, desk } = await deskWith(proofs);
    expect(desk.page.url()).not.toContain('#');
    const rating = (proof: string) =>
      eventually(`a rating of ${proof}`, async () => {
        const { task_rating } = await world.marketplace.task(tasks.get(proof) ?? '');
        return task_rating !== 'NOTRATED' && task_rating;
      });

    await desk.sees('First shelf');
    const shown = desk.task.getByRole('region', { name: 'Pictures' }).getByRole('img');
    await shown.nth(1).waitFor();
    await desk.presses('Space', 'z');
    await expect.poll(() => shown.count()).toBe(1);
    expect(await shown.getAttribute('alt')).toBe('aisle.png');
    const left = () => desk.page.locator('#stage').evaluate(({ scrollLeft }) => scrollLeft);
    const before = await left();
    await desk.presses('ArrowLeft', 'ArrowLeft');
    await expect.poll(left).toBeLessThan(before);
    await desk.presses('z');
    await shown.first().hover();
    await desk.page.keyboard.down('Control');
    await desk.page.mouse.wheel(0, -200);
    await desk.page.keyboard.up('Control');
    await desk.page.getByRole('button', { name: '272 %' }).waitFor();
    await desk.presses('z');
    await desk.presses('o');
    await desk.hears(/^OK for \S+\. Next: \S+, /);
    await desk.sees('Second shelf');
    await desk.presses('n', 'Tab');
    await desk.page.keyboard.type('This is another shop.');
    await desk.presses('Enter');
    await desk.sees('Third shelf');
    await desk.presses('r', 'Tab');
    await desk.page.keyboard.type('Take it from farther away.');
    // It only ends the composition of a word.
    const composing = { key: 'Escape', bubbles: true, isComposing: true };
    await desk.page.getByLabel('What to revise').dispatchEvent('keydown', composing);
    await desk.page.getByLabel('What to revise').waitFor();
    await desk.presses('Escape', 'r', 'Enter');
    await desk.sees('Fourth shelf');
    await desk.presses('m');
    await desk.page.keyboard.type('Ask Ben about this one.');
    await desk.presses('Enter', 't');
    await desk.page.getByRole('complementary').getByText('Ask Ben about this one.').waitFor();
    await desk.page.getByRole('complementary').getByText('You', { exact: true }).waitFor();
    await desk.presses('x');
    await desk.sees('Fifth shelf');
    await desk.presses('x', 'Shift+O');
    await desk.page.getByRole('region', { name: 'OK for 2 selected' }).waitFor();
    await desk.presses('Enter');
    await desk.sees('Sixth shelf');
    await desk.presses('o');
    await desk.latest.getByText('sending').waitFor({ state: 'detached' });
    await desk.presses('u');
    await desk.hears(/^Undone: OK for \S+\.$/);
    await desk.sees('Sixth shelf');
    await desk.presses('/');
    await desk.page.keyboard.type('nothing like this');
    await desk.page.getByText('No waiting tasks match.').waitFor();
    await desk.presses('Escape', '?');
    await desk.page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await desk.presses('Escape');

    expect(await Promise.all(proofs.slice(0, 5).map(rating))).toEqual(['OK', 'NOK', 'REVISE', 'OK', 'OK']);
    expect(desk.errors).toEqual([]);
  });

  test('Enter that is held down on a button presses it once', async () => {
    const { desk } = await deskWith(['First shelf', 'Second shelf', 'Third shelf']);
    await desk.sees('First shelf');
    await desk.page.getByRole('button', { name: /^OK/ }).focus();
    // Each further one is a repetition of the first.
    for (let count = 0; count < 8; count++) {
      await desk.page.keyboard.down('Enter');
      await desk.page.waitForTimeout(200);
    }
    await desk.page.keyboard.up('Enter');
    await desk.sees('Second shelf');
    expect(await desk.latest.getByRole('listitem').count()).toBe(1);
  });

  test('a page ends when the desk is opened for somebody else in its browser, and decides nothing in their name', async () => {
    const { world, tasks, desk } = await deskWith(['First shelf']);
    await desk.sees('First shelf');
    const other = await desk.context.newPage();
    await other.goto(await deskLink(world.ben));
    await other.getByText('Ben', { exact: true }).waitFor();
    await desk.presses('o');
    await desk.page.getByText(/Your session has ended.* 1 decision not sent\./).waitFor();
    await desk.task.getByText('First shelf', { exact: true }).waitFor({ state: 'detached' });
    const { history } = await world.marketplace.task(tasks.get('First shelf') ?? '');
    expect(history).toHaveLength(1);
  });

  test('a picture that would take all memory is not shown', async () => {
    const { desk } = await deskWith(['First shelf'], {}, [hugePicture()]);
    await desk.page.getByText('huge.png is too large to show. Save it instead.').waitFor();
    expect(desk.errors).toEqual([]);
  });

  test('a race with a card says who was first, and keeps what was typed', async () => {
    const { world, desk } = await deskWith(['First shelf', 'Second shelf']);
    await desk.sees('First shelf');
    await desk.presses('n', 'Tab');
    await desk.page.keyboard.type('This is another shop.');
    const card = await world.ben.sees('C01REVIEW', /First shelf/);
    await world.ben.clicks(card, 'OK');
    await card.untilText(/\*OK\* by @Ben/);
    // Within a second, without that anything was pressed.
    await desk.task.getByText(/OK by .*Ben/).waitFor();
    await desk.presses('Enter');
    await desk.page
      .getByText(/Ben.* already rated this OK.* Your text is kept\./)
      .first()
      .waitFor();
    await desk.sees('Second shelf');
    await desk.latest.getByRole('button').click();
    await desk.task.getByText(/^Your text: [\s\S]*This is another shop\.$/).waitFor();
    expect(desk.errors).toEqual([]);
  });

  test('what is decided offline waits, is counted, and is made once when the connection is back', async () => {
    const { world, tasks, desk } = await deskWith(['First shelf', 'Second shelf', 'Third shelf']);
    await desk.sees('First shelf');
    await desk.context.setOffline(true);
    await desk.presses('o');
    await desk.sees('Second shelf');
    await desk.presses('o');
    await desk.page
      .getByText('Not connected. 2 decisions wait here and are sent when the connection is back.')
      .waitFor();
    await desk.sees('Third shelf');
    await desk.context.setOffline(false);
    await desk.page.getByText('Not connected.').waitFor({ state: 'detached' });
    for (const proof of ['First shelf', 'Second shelf'])
      await eventually(`OK of ${proof}`, async () => {
        const { history, task_rating } = await world.marketplace.task(tasks.get(proof) ?? '');
        return task_rating === 'OK' && history.length === 2;
      });
    expect(desk.errors).toEqual([]);
  });

  test.each(['light', 'dark'] as const)(
    'axe finds nothing in the %s theme, wide and on a phone',
    async (colorScheme) => {
      const { desk } = await deskWith(['First shelf', 'Second shelf', 'Third shelf'], { colorScheme });
      await desk.sees('First shelf');
      const states = [
        async () => {},
        () => desk.presses('n'),
        () => desk.presses('Escape', 'x', 'x', 'Shift+O'),
        () => desk.presses('Escape', '?'),
        () => desk.presses('Escape', 'a'),
      ];
      for (const reach of states) {
        await reach();
        expect(await axeProblems(desk.page)).toEqual([]);
      }
      await desk.presses('Escape');
      await desk.page.setViewportSize({ width: 390, height: 844 });
      expect(await axeProblems(desk.page)).toEqual([]);
      await desk.page.getByRole('button', { name: 'Queue' }).click();
      expect(await axeProblems(desk.page)).toEqual([]);
      expect(desk.errors).toEqual([]);
    },
  );

  test('a reviewer rates on a phone by touch', async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { desk } = await deskWith(['First shelf', 'Second shelf'], phone);
    await desk.sees('First shelf');
    await desk.page.getByRole('img', { name: 'shelf.png' }).tap();
    await desk.page.getByRole('button', { name: '250 %' }).tap();
    await desk.page.getByRole('button', { name: /^NOK/ }).tap();
    await desk.page.getByLabel('Reason for NOK').fill('This is another shop.');
    await desk.page.getByRole('button', { name: 'Rate NOK' }).tap();
    await desk.sees('Second shelf');
    const isInSight = (name: string) =>
      expect
        .poll(async () => (await desk.page.getByRole('heading', { name }).boundingBox())?.x)
        .toSatisfy((left: number) => left >= 0 && left < 390);
    await desk.page.getByRole('button', { name: 'Evidence and notes' }).tap();
    await isInSight('Evidence');
    await desk.page.getByRole('main').evaluate((task) => task.scrollIntoView());
    await desk.page.getByRole('button', { name: 'Queue' }).tap();
    await isInSight('Queue');
    await desk.page.getByRole('navigation').getByRole('button').last().tap();
    await desk.page.getByRole('button', { name: /^OK/ }).tap();
    await desk.latest.getByRole('listitem').nth(1).waitFor();
    const width = await desk.page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(390);
    expect(desk.errors).toEqual([]);
  });

  test('without a session, the page says how to come in', async () => {
    const { world, desk } = await deskWith(['First shelf']);
    await desk.page.getByRole('button', { name: 'Sign out' }).click();
    await desk.page
      .getByText(/Press Open the desk in Slack/)
      .first()
      .waitFor();
    await desk.page.goto(await deskLink(world.ann));
    await desk.sees('First shelf');
  });
});
