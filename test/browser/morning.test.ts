import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openWorkspace } from '../harness/browser.ts';
import { type Demo, startDemo } from '../harness/demo.ts';
import { eventually } from '../harness/eventually.ts';
import { marketplaceHandle } from '../harness/marketplace.ts';

/** A reviewer's morning, in the page: what waits, a review, several at once, a digest, and what is due. */
describeInBrowser('a reviewer’s morning', (browser) => {
  let demo: Demo;
  let page: Awaited<ReturnType<typeof openWorkspace>>;
  beforeAll(async () => {
    demo = await startDemo();
    page = await openWorkspace(browser(), demo.url, { as: 'U01ANN', channel: 'home', height: 1_400 });
  });
  afterAll(async () => {
    await page?.close();
    expect(await demo?.interrupt()).toBe(0);
  });

  const ratings = async () => {
    const requests = await marketplaceHandle(demo.marketplaceUrl).requests();
    return requests.filter(({ path }) => path.includes('rate_task')).length;
  };
  const waiting = async () => {
    const [, count = ''] = /Start review \(([\d,]+) waiting/.exec(await page.home().text()) ?? [];
    return Number(count.replace(',', ''));
  };

  test('Home says what waits, for how much money, and how far each campaign is', async () => {
    await eventually('what waits', async () => {
      if ((await waiting()) > 3) return true;
      // What others change is shown a moment later: opening the tab again shows it at once.
      await page.goTo('#review');
      await page.goTo('Proofdesk home');
      return false;
    });
    const text = await page.home().text();
    expect(text).toMatch(/[\d,]+ tasks wait for review in \d+ campaigns?/);
    expect(text).toMatch(/to be paid if all are rated OK/);
    expect(text).toMatch(/[█▒░]{10} \d+ % · [\d,]+ of [\d,]+ accepted/);
  });

  test('a review: OK, a second thought, and a revision by a saved reason, all in one modal', async () => {
    await (await startReview()).click();
    const review = page.modal('Review');
    await review.shows('1 of this review');
    await review.submit('OK');
    await review.shows('2 of this review');
    await review.locator.getByRole('button', { name: /^Undo OK for / }).click();
    await review.shows('was undone');
    await review.click('REVISE');
    const revise = page.modal('Ask for a revision');
    await revise.locator.getByLabel('The picture is blurry or dark').check();
    const reason = revise.locator.getByLabel('What should be corrected?');
    await eventually('the reason', async () =>
      (await reason.inputValue()).includes('too blurry or too dark'),
    );
    await revise.submit('Send request');
    await review.shows('2 of this review');
    // A person looks first: OK as soon as this is taken for the second click of a double click.
    await page.page.waitForTimeout(500);
    await review.submit('OK');
    await review.shows('3 of this review');
    await review.close();
    await review.gone();
  });

  test('Home shows by itself what was decided and what came of it', async () => {
    await page.home().shows('Your last decisions');
    await eventually(
      'both ratings',
      async () => ((await page.home().text()).match(/· The marketplace accepted it\./g) ?? []).length >= 2,
      40_000,
    );
    expect(await ratings()).toBeGreaterThan(0);
  });

  test('several at once: ticked on a page that was seen, and paid only after a preview', async () => {
    await page.goTo('Proofdesk home');
    await page
      .home()
      .locator.getByRole('button', { name: /^Select/ })
      .first()
      .click();
    const list = page.modal('Select tasks');
    await list.shows('that wait');
    expect(await list.locator.getByRole('checkbox', { checked: true }).count()).toBe(0);
    await list.locator.getByRole('checkbox').first().check();
    await list.submit('Decide…');
    const decision = page.modal('Decide together');
    await decision.locator.getByLabel(/^OK:/).check();
    await decision.shows('Comment');
    await decision.submit('Preview');
    const preview = page.modal('Check and confirm');
    await preview.shows('paid');
    const before = await ratings();
    await page.page.waitForTimeout(500);
    await preview.locator.getByRole('button', { name: /^Rate 1 OK for / }).click();
    const confirmed = page.modal('Confirmed');
    await confirmed.shows('being decided');
    await confirmed.close();
    await eventually('the rating', async () => (await ratings()) > before, 40_000);
  });

  test('a channel without cards is told what waits, by a digest', async () => {
    await page.goTo('#inbox');
    await page.types('/proofdesk subscribe digest');
    const digest = page.card(/tasks? waits? for review/);
    await digest.shows('Start review');
    await page.goTo('Proofdesk home');
  });

  test('how long tasks may wait is said once, and the channel is told what is due', async () => {
    await page
      .home()
      .locator.getByRole('button', { name: /^Status of / })
      .first()
      .click();
    const status = page.modal('Status');
    await status.locator.getByRole('button', { name: 'Set time to rate' }).click();
    const form = page.modal('Time to rate');
    await form.fill('How many days may a task wait?', '1');
    await form.submit('Save');
    await page.modal('Status').shows('may wait 1 day');
    await page.modal('Status').close();
    await page.goTo('#review');
    await page.card(/due within 48 hours/).shows(/due within/);
  });

  async function startReview() {
    return page.home().locator.getByRole('button', { name: /^Start review/ });
  }
});
