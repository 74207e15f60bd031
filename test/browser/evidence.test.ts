import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openWorkspace } from '../harness/browser.ts';
import { handInCopies } from '../harness/copied-picture.ts';
import { type Demo, startDemo } from '../harness/demo.ts';
import { marketplaceHandle } from '../harness/marketplace.ts';

/** What a reviewer sees of workers who hand in one thing. */
describeInBrowser('evidence', (browser) => {
  let demo: Demo;
  beforeAll(async () => {
    demo = await startDemo();
  }, 240_000);
  afterAll(async () => {
    expect(await demo?.interrupt()).toBe(0);
  }, 30_000);

  test('a picture that was saved again in another size is shown beside its original', async () => {
    const page = await openWorkspace(browser(), demo.url, { as: 'U01ANN', channel: 'C01REVIEW' });
    const market = marketplaceHandle(demo.marketplaceUrl);
    const { accounts, campaigns } = await market.state();
    const owner = accounts.find(({ key }) => key === 'employer-demo-key')?.id;
    const campaign = campaigns.find(
      (one) => one.owner === owner && one.campaign_status === 'RUNNING' && /receipt/.test(one.title),
    );
    await handInCopies(market, campaign?.campaign_id ?? '', ['the list as it is', 'what I have found'], 1);
    const older = await page.card('the list as it is').pinned();
    const newer = await page.card('what I have found').pinned();
    await newer.shows(/same picture as 1 task/i);
    await older.shows(/same picture as 1 task/i);
    await newer.click('Show the tasks that look alike side by side');
    await page.modal('Look alike').shows(/2 tasks, 2 workers, 1 campaign/);
    await page.close();
  }, 240_000);
});
