import { marketplaceHandle } from '@proofdesk/marketplace-sandbox/testing';
import { describeInBrowser, openWorkspace } from '@proofdesk/slack-sandbox/testing/browser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Demo, handInAt, startDemo } from '../harness/demo.ts';
import { eventually } from '../harness/eventually.ts';

/** What README promises, done in the page of `npm run demo` by a person, in each look. */
describeInBrowser('a reviewer at the demo', (browser) => {
  let demo: Demo;
  beforeAll(async () => {
    demo = await startDemo();
    await market().workers(false);
  }, 240_000);
  afterAll(async () => {
    expect(await demo?.interrupt()).toBe(0);
  });

  const market = () => marketplaceHandle(demo.marketplaceUrl);
  const handIn = (proof: string) => handInAt(market(), proof);
  const ratingOf = async (task: string) => (await market().task(task)).task_rating;

  const looks = {
    light: { theme: 'light' },
    dark: { theme: 'dark' },
    'of 390 pixels': { width: 390, height: 844, touch: true, theme: 'light' },
  } as const;
  test.each(Object.entries(looks))(
    'README, %s: OK, NOK and REVISE rate, a revised task comes back, the queue in one window, Home',
    async (look, options) => {
      const ann = { as: 'U01ANN', channel: 'C01REVIEW' };
      const page = await openWorkspace(browser(), demo.url, { ...ann, ...options });
      const accepted = await handIn(`total 12.40, to be accepted ${look}`);
      const refused = await handIn(`total 99.99, to be refused ${look}`);
      const revised = await handIn(`total unreadable, to be revised ${look}`);

      const ok = await page.card(`to be accepted ${look}`).pinned();
      await ok.click('OK');
      await ok.shows(/OK by @Ann Reyes/);
      await ok.loses('NOK');

      const nok = await page.card(`to be refused ${look}`).pinned();
      await nok.click('NOK');
      const refuse = page.modal('Rate NOK');
      await refuse.fill('Reason for NOK', 'This is no receipt');
      await refuse.submit('Rate NOK');
      await refuse.gone();
      await nok.shows(/NOK by @Ann Reyes.*This is no receipt/s);

      const sentBack = await page.card(`to be revised ${look}`).pinned();
      await sentBack.click('REVISE');
      const revise = page.modal('Request a revision');
      await revise.fill('What should be corrected?', 'Please type the total again');
      await revise.submit('Request revision');
      await revise.gone();

      const areRated = async () => {
        const ratings = [await ratingOf(accepted), await ratingOf(refused), await ratingOf(revised)];
        return ratings.join() === 'OK,NOK,REVISE';
      };
      await eventually('all three ratings', areRated, 40_000);
      // The sandbox's workers correct by themselves after a while; a test need not wait for it.
      await sentBack.shows(/REVISE by @Ann Reyes/);
      await market().correct(revised, [`total 7.25, corrected ${look}`]);
      const back = await page.card(`total 7.25, corrected ${look}`).pinned();
      await back.shows(/Please type the total again/);
      await back.shows(/total unreadable/);
      await back.click('OK');
      await back.shows(/OK by @Ann Reyes/);

      await handIn(`for the queue ${look}`);
      await page.card(`for the queue ${look}`).shows('OK');
      await page.types('/review');
      await page.modal('Review').shows('Task 1 · ');
      await page.modal('Review').close();
      if ('width' in options) await page.page.getByRole('button', { name: 'Menu' }).click();
      await page.goTo('Proofdesk home');
      await page.home().shows('waiting in');
      await page
        .home()
        .locator.getByRole('button', { name: /^Select/ })
        .first()
        .click();
      await page.modal('Select tasks').shows('waiting.');
      await page.modal('Select tasks').close();
      const wider = await page.page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(wider).toBeLessThanOrEqual(0);
      expect(page.errors).toEqual([]);
      await page.close();
    },
    180_000,
  );
});
