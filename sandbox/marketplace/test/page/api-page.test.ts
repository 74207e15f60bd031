import { readFileSync } from 'node:fs';
import { describeInBrowser } from '@proofdesk/slack-sandbox/testing/browser';
import { axeProblems, newPage } from '@proofdesk/slack-sandbox/testing/page';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSandboxMarketplace, type SandboxMarketplace } from '../../src/index.ts';
import { type MarketplaceHandle, marketplaceHandle } from '../../src/testing/index.ts';

const description = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8');
const operations = [...description.matchAll(/operationId: (\w+)/g)].map(([, id]) => id);

describeInBrowser('the page to try the API', (browser) => {
  let server: SandboxMarketplace;
  let market: MarketplaceHandle;
  beforeEach(async () => {
    server = await createSandboxMarketplace({
      scenario: { campaigns: [{ campaign_id: 'c1', title: 'Survey <b>', status: 'RUNNING' }] },
    });
    market = marketplaceHandle(server.url);
  });
  afterEach(() => server.close());

  /** The form of an operation, opened by its link. */
  async function open(operation: string) {
    const page = await newPage(browser());
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (line) => line.type() === 'error' && faults.push(line.text()));
    await page.goto(`${server.url}/_sandbox/api#${operation}`);
    const form = page.locator(`#${operation}`);
    return {
      page,
      form,
      faults,
      async send(values: Record<string, string> = {}) {
        for (const [name, value] of Object.entries(values))
          await form.locator(`[name="${name}"]`).fill(value);
        await form.getByRole('button', { name: 'Send' }).click();
        const answer = form.getByRole('status');
        await answer.waitFor();
        return answer;
      },
    };
  }

  test('has a form for every operation, and sends with the demo key', async () => {
    const { page, send, faults } = await open('listCampaigns');
    expect(await page.locator('details').evaluateAll((all) => all.map(({ id }) => id))).toEqual(
      expect.arrayContaining(operations),
    );
    const answer = await send();
    expect(await answer.textContent()).toContain('Survey <b>');
    expect(faults).toEqual([]);
    await page.close();
  });

  test('sends lists line by line, and shows a refusal as it comes', async () => {
    const [first = '', second = ''] = await market.submit({ campaign_id: 'c1', count: 2 });
    const { page, send } = await open('rateTasks');
    const answer = await send({
      campaign_id: 'c1',
      'id_task[]': `${first}\n${second}`,
      'rating[]': 'OK\nNOK',
      'comment[]': '\nNot what was asked',
    });
    expect(await answer.textContent()).toContain('"success": true');
    expect((await market.task(second)).employer_comment).toBe('Not what was asked');
    // The answer before stands there until the next is there.
    const refusal = await send({ campaign_id: 'nope' });
    await expect.poll(() => refusal.textContent()).toContain('NO SUCH CAMPAIGN');
    await page.close();
  });

  test('hands out a file under its own name', async () => {
    const [task = ''] = await market.submit({
      campaign_id: 'c1',
      files: [{ filename: 'über 1.txt', content_type: 'text/plain', base64: btoa('kept') }],
    });
    const { page, send } = await open('downloadFileProof');
    const answer = await send({ task_id: task, index: '1' });
    expect(await answer.getByRole('link').getAttribute('download')).toBe('über 1.txt');
    await page.close();
  });

  test('the world beside the workspace: axe objects to nothing, and a message is written', async () => {
    const [task = ''] = await market.submit({ proof: ['first'] });
    await market.rate(task, 'REVISE', 'Please type it again');
    const page = await browser().newPage();
    await page.goto(`${server.url}/_sandbox/world`);
    await page.getByRole('button', { name: `Correct: Correction of ${task}` }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeProblems(page)).toEqual([]);
    }
    await page.getByLabel('Message to the employer').fill('Which side?');
    await page.getByRole('button', { name: 'Write' }).click();
    await page.getByText('A worker has written a message.').waitFor();
    expect((await market.state()).messages.some(({ subject }) => subject === 'Which side?')).toBe(true);
    await page.close();
  });
});
