import { marketplaceHandle } from '@proofdesk/marketplace-sandbox/testing';
import { describeInBrowser, openWorkspace } from '@proofdesk/slack-sandbox/testing/browser';
import { expect, test } from 'vitest';
import { handInAt, startDemo } from '../harness/demo.ts';
import { eventually } from '../harness/eventually.ts';

describeInBrowser('the demo on a phone', (browser) => {
  test('a reviewer pays one task and refuses another, and Ctrl-C ends everything', async () => {
    const demo = await startDemo();
    const market = marketplaceHandle(demo.marketplaceUrl);
    await market.workers(false);
    const handIn = async (proof: string) => ({
      task: await handInAt(market, proof),
      card: await page.card(proof).pinned(),
    });
    const phone = { as: 'U01ANN', channel: 'C01REVIEW', width: 390, height: 844, touch: true };
    const page = await openWorkspace(browser(), demo.url, phone);
    const paid = await handIn('total 12.40, paid by card');
    await paid.card.click('OK');
    await paid.card.shows(/OK by @Ann Reyes/);
    const refused = await handIn('the receipt of another shop');
    await refused.card.click('NOK');
    const form = page.modal('Rate NOK');
    await form.fill('Reason for NOK', 'This is another shop.');
    await form.submit('Rate NOK');
    await refused.card.shows(/NOK by @Ann Reyes/);
    const isRated = async ({ task }: { task: string }, rating: string) =>
      (await market.task(task)).task_rating === rating;
    await eventually('OK at the marketplace', () => isRated(paid, 'OK'), 40_000);
    await eventually('NOK at the marketplace', () => isRated(refused, 'NOK'), 40_000);
    expect(page.errors).toEqual([]);
    await page.close();
    expect(await demo.interrupt()).toBe(0);
  });
});
