import { marketplaceHandle } from '@proofdesk/marketplace-sandbox/testing';
import { describeInBrowser, openWorkspace } from '@proofdesk/slack-sandbox/testing/browser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Demo, employersCampaign, handInAt, startDemo } from '../harness/demo.ts';
import { eventually } from '../harness/eventually.ts';

/** What `npm run demo` promises, done in the page by a person. */
describeInBrowser('the demo', (browser) => {
  let demo: Demo;
  beforeAll(async () => {
    demo = await startDemo();
  }, 240_000);
  afterAll(async () => {
    expect(await demo?.interrupt()).toBe(0);
  });

  const open = (more: Parameters<typeof openWorkspace>[2] = {}) =>
    openWorkspace(browser(), demo.url, { as: 'U01ANN', channel: 'C01REVIEW', ...more });
  const market = () => marketplaceHandle(demo.marketplaceUrl);
  const handIn = (proof: string) => handInAt(market(), proof);
  const campaignThat = (status: string) => employersCampaign(market(), status);
  const ratingOf = async (task: string) => (await market().task(task)).task_rating;

  test('an open card is at most 340 pixels high at the median', async () => {
    const page = await open();
    const ok = page.page.getByRole('button', { name: 'OK', exact: true });
    const cards = page.page.locator('main article', { has: ok });
    await eventually('a dozen open cards', async () => (await cards.count()) >= 12, 120_000);
    const heights = await cards.evaluateAll((all) =>
      all.map((card) => card.getBoundingClientRect().height).sort((a, b) => a - b),
    );
    expect(heights[Math.floor(heights.length / 2)], heights.join(' ')).toBeLessThanOrEqual(340);
    await page.close();
  });

  test('tasks arrive by themselves', async () => {
    const page = await open();
    const before = await page.count(/Finished/);
    await eventually(
      'one more card than at first',
      async () => (await page.count(/Finished/)) > before,
      60_000,
    );
    // From here on nothing arrives but what a test hands in: a channel has room for so many open cards only.
    await market().workers(false);
    await page.close();
  }, 90_000);

  test('mail from workers goes to #inbox, not among the tasks', async () => {
    await market().write({ subject: 'When is the next round?' });
    const inbox = await open({ channel: 'C02INBOX' });
    await inbox.card('When is the next round?').locator.waitFor();
    const tasks = await open();
    expect(await tasks.count(/When is the next round/)).toBe(0);
    await inbox.close();
    await tasks.close();
  }, 60_000);

  test('each page of a new campaign opens at its top, and stays where it is while it changes', async () => {
    const page = await open({ height: 500 });
    await page.types('/campaign new');
    const form = page.modal('New campaign');
    await form.fill('Title', 'Top of the page');
    await form.choose('Category', 'Short survey');
    await form.shows('Minimum payment per task');
    await form.fill('Payment per task', '5');
    await form.fill('Positions', '2');
    await form.fill('Minutes to finish', '5');
    const body = form.locator.locator('.dialog-body');
    const scrolled = () => body.evaluate((element) => element.scrollTop);
    await body.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    expect(await scrolled()).toBeGreaterThan(0);
    await form.submit('Next');
    await form.shows('What the worker does');
    await expect.poll(scrolled).toBe(0);

    await body.evaluate((element) => element.scrollTo(0, 20));
    await form.locator.getByRole('radio', { name: 'Different for each worker' }).check();
    await form.shows('CSV template');
    expect(await scrolled()).toBe(20);

    await body.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await form.click('Back');
    await form.shows('Positions per worker');
    await expect.poll(scrolled).toBe(0);
    // A modal stays with its person, on whichever page they look next.
    await form.close();
    await page.close();
  });

  test('the other half of the world: a worker submits and is asked to correct, the marketplace lies, Slack is away', async () => {
    const page = await open();
    await page.page.getByRole('button', { name: 'World' }).click();
    const world = page.page.frameLocator('iframe[title="Marketplace"]');
    const running = await campaignThat('RUNNING');
    await world.getByRole('button', { name: `Submit a task of ${running.title}` }).click();
    await world.getByText(`A worker has submitted a task of “${running.title}”.`).waitFor();
    await world.getByRole('button', { name: `Copy a proof of ${running.title}` }).click();
    await world.getByText(`Another worker has submitted the same proof to “${running.title}”.`).waitFor();
    const { tasks } = await market().state();
    const task = tasks.filter(({ task_rating }) => task_rating === 'REVISE').at(-1)?.task_id ?? '';
    await world.getByLabel(`Correction of ${task}`, { exact: true }).fill('corrected by hand');
    await world.getByRole('button', { name: `Correct: Correction of ${task}` }).click();
    await eventually('the correction', async () => (await ratingOf(task)) !== 'REVISE');
    expect((await market().task(task)).proof).toEqual(['corrected by hand']);

    await world.getByRole('button', { name: 'Garbage for results' }).click();
    await world.getByText('From now on: garbage for results.').waitFor();
    await handIn('while the marketplace lied');
    await world.getByText('fault: lie').first().waitFor();
    await world.getByRole('button', { name: 'Mend' }).click();
    await world.getByText('It works as it should.').waitFor();
    await page.card('while the marketplace lied').shows('OK');

    await page.page.getByRole('button', { name: 'Slack', exact: true }).click();
    await page.page.getByRole('button', { name: 'Away' }).click();
    await handIn('while Slack was away');
    await page.page.getByRole('complementary', { name: 'World' }).getByText('fault: 500').first().waitFor();
    await page.page.getByRole('button', { name: 'Mend' }).click();
    await page.card('while Slack was away').shows('OK');
    await page.page.keyboard.press('Escape');
    await page.page.getByRole('complementary', { name: 'World' }).waitFor({ state: 'detached' });
    await page.close();
  }, 180_000);

  test('the bot and its Redis are killed, and go on where they were', async () => {
    const page = await open();
    const panel = page.page.getByRole('complementary', { name: 'World' });
    await page.page.getByRole('button', { name: 'World' }).click();
    await panel.getByRole('button', { name: 'Kill the bot' }).click();
    await panel.getByText('The bot was killed.').waitFor();
    await page.page.getByText('App not connected').waitFor();
    await handIn('while the bot was dead');
    await panel.getByRole('button', { name: 'Start the bot' }).click();
    await panel.getByText('The bot was started.').waitFor({ timeout: 120_000 });
    await page.card('while the bot was dead').shows('OK');
    await panel.getByRole('button', { name: 'Kill the redis' }).click();
    await panel.getByText('The redis was killed.').waitFor();
    const card = await page.card('while the bot was dead').pinned();
    // Redis is started again by the bot; a press in between is answered with an error that says so.
    const ok = card.locator.getByRole('button', { name: 'OK', exact: true });
    await eventually(
      'a press that is taken',
      async () => {
        if ((await card.locator.getByText(/OK by @Ann Reyes/).count()) > 0) return true;
        await ok.click({ timeout: 2_000 }).catch(() => {});
        return false;
      },
      90_000,
    );
    await page.close();
  }, 180_000);

  test('the tour ends with the first rating, can be left at any step, and is not shown again', async () => {
    const first = await open({ tour: true });
    const tour = first.page.getByRole('region', { name: /^Tour, step / });
    await tour.getByText("Welcome to Proofdesk's demo").waitFor();
    await tour.getByRole('button', { name: 'Next' }).click();
    await tour.getByText('One card per task').waitFor();
    await tour.getByRole('button', { name: 'Leave the tour' }).click();
    await tour.waitFor({ state: 'detached' });
    await first.page.reload();
    await first.page.getByRole('textbox', { name: 'Message #review' }).waitFor();
    expect(await tour.count()).toBe(0);
    await first.close();

    await handIn('the first rating of the tour');
    const second = await open({ tour: true, width: 390, height: 844, touch: true, theme: 'dark' });
    const steps = second.page.getByRole('region', { name: /^Tour, step / });
    for (const step of [1, 2, 3, 4]) {
      await steps.getByText(`${step} of 5`).waitFor();
      await steps.getByRole('button', { name: 'Next' }).click();
    }
    await steps.getByText('Your first rating').waitFor();
    expect(await steps.getByRole('button', { name: /^(Next|Done)$/ }).count()).toBe(0);
    const card = await second.card('the first rating of the tour').pinned();
    await card.click('OK');
    await steps.getByText('That was your first rating.').waitFor();
    await steps.getByRole('button', { name: 'Done' }).click();
    await steps.waitFor({ state: 'detached' });
    await second.close();
  }, 120_000);
});
