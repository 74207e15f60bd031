import { marketplaceHandle } from '@proofdesk/marketplace-sandbox/testing';
import { describeInBrowser, openWorkspace } from '@proofdesk/slack-sandbox/testing/browser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Demo, startDemo } from '../harness/demo.ts';
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
  /** A worker hands in a proof that is easy to recognize, in a campaign that runs. */
  async function handIn(proof: string): Promise<string> {
    await makeRoom();
    const { campaign_id } = await campaignThat('RUNNING', /receipt/);
    const [task = ''] = await market().submit({ campaign_id, proof: [proof] });
    return task;
  }
  /** Rates most of what waits on the website, the newest aside: a channel has room for so many open cards only. */
  async function makeRoom(): Promise<void> {
    const { accounts, campaigns, tasks } = await market().state();
    const owner = accounts.find(({ key }) => key === 'employer-demo-key')?.id;
    const own = new Set(campaigns.filter((one) => one.owner === owner).map(({ campaign_id }) => campaign_id));
    const waiting = tasks.filter((task) => task.task_rating === 'NOTRATED' && own.has(task.campaign_id));
    for (const { task_id } of waiting.slice(0, -8)) {
      // One that is rated at that moment makes room by itself.
      await market()
        .rate(task_id, 'NOK', 'Rated on the website')
        .catch(() => {});
    }
  }
  /** A campaign of the demo's employer. */
  async function campaignThat(status: string, title = /./) {
    const { accounts, campaigns } = await market().state();
    const owner = accounts.find(({ key }) => key === 'employer-demo-key')?.id;
    const found = campaigns.find(
      (one) => one.owner === owner && one.campaign_status === status && title.test(one.title),
    );
    if (found === undefined) throw new Error(`the demo has no campaign that is ${status}`);
    return found;
  }
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
    const page = await open();
    await page.types('/campaign new');
    const form = page.modal('New campaign');
    await form.fill('Title', 'Top of the page');
    await form.choose('Category', 'Short survey');
    await form.fill('Payment per task', '5');
    await form.fill('Positions', '2');
    await form.fill('Minutes to finish', '5');
    await form.shows(/Total cost: 2 × 5\.00/);
    const body = form.locator.locator('.dialog-body');
    const scrolled = () => body.evaluate((element) => element.scrollTop);
    await body.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    expect(await scrolled()).toBeGreaterThan(0);
    await form.submit('Next');
    await form.shows('What the worker does');
    await expect.poll(scrolled).toBe(0);

    await form.fill('What the worker does', 'Look.');
    await form.fill('What the worker submits as proof', 'A name');
    await body.evaluate((element) => element.scrollTo(0, 60));
    await form.click('Add a proof');
    await form.shows('Proof 2');
    expect(await scrolled()).toBe(60);

    await body.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await form.click('Back');
    await form.shows('Positions per worker');
    await expect.poll(scrolled).toBe(0);
    // A modal stays with its person, on whichever page they look next.
    await form.close();
    await page.close();
  });

  const looks = {
    light: { theme: 'light' },
    dark: { theme: 'dark' },
    'of 390 pixels': { width: 390, height: 844, touch: true, theme: 'light' },
  } as const;
  test.each(Object.entries(looks))(
    'README, %s: OK, NOK and REVISE rate, a revised task comes back, the queue in one window, Home',
    async (look, options) => {
      const page = await open(options);
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

      await eventually(
        'all three ratings',
        async () => {
          const ratings = [await ratingOf(accepted), await ratingOf(refused), await ratingOf(revised)];
          return ratings.join() === 'OK,NOK,REVISE';
        },
        40_000,
      );
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
