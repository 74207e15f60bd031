import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildPage, createSandboxSlack, type SandboxSlack } from '../../src/index.ts';
import { describeInBrowser, openWorkspace } from '../../src/testing/page/browser.ts';
import { newPage } from '../../src/testing/page/chromium.ts';

/** The page with another app than this project's: sandbox/slack/examples/bolt-app.ts, started as its first lines say. */
describeInBrowser('another Bolt app in the sandbox workspace', (browser) => {
  let sandbox: SandboxSlack;
  let app: ChildProcess;
  beforeAll(async () => {
    await buildPage();
    sandbox = await createSandboxSlack({ workspace: { manifest: null } });
    app = spawn(process.execPath, ['node_modules/tsx/dist/cli.mjs', 'sandbox/slack/examples/bolt-app.ts'], {
      env: { ...process.env, SLACK_API_URL: sandbox.apiUrl },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (app.stdout) await once(app.stdout, 'data');
  });
  afterAll(async () => {
    app?.kill();
    await sandbox?.close();
  });

  it('has its button, its modal with errors, and its home tab', async () => {
    const ann = await openWorkspace(browser(), sandbox.url, { as: 'U01ANN', channel: 'C01REVIEW' });
    await ann.types('/hello');
    await ann.ephemeral('Hello, @Ann Reyes.').click('Make a wish');
    const form = ann.modal('A wish');
    await form.fill('What do you wish for?', 'no');
    await form.submit('Wish');
    await form.shows('Wish for something longer.');
    await form.fill('What do you wish for?', 'Rain in July');
    await form.submit('Wish');
    await form.gone();
    await ann.ephemeral('Hello, @Ann Reyes.').click('Wave');
    await ann.ephemeral('You waved.').text();
    await ann.page.getByRole('button', { name: / home$/ }).click();
    await ann.home().shows('Rain in July');
    expect(ann.errors).toEqual([]);
    await ann.close();
  });

  it('is seen by two people side by side, at an address that can be shared', async () => {
    const address = new URL(sandbox.url);
    address.search = '?as=U01ANN&channel=C03RANDOM&beside=U02BEN';
    const page = await newPage(browser(), { viewport: { width: 1300, height: 700 } });
    await page.goto(address.href);
    const [ann, ben] = ['Ann Reyes', 'Ben Okafor'].map((name) =>
      page.frameLocator(`iframe[title="Workspace of ${name}"]`),
    );
    await ann?.getByRole('textbox', { name: 'Message #random' }).fill('Do you see this?');
    await page.keyboard.press('Enter');
    await ben?.getByRole('article').filter({ hasText: 'Do you see this?' }).waitFor();
    await ben?.getByRole('button', { name: 'Menu' }).click();
    await ben?.getByRole('button', { name: 'Alone' }).click();
    await page.getByRole('heading', { name: '#random' }).waitFor();
    expect(new URL(page.url()).searchParams.has('beside')).toBe(false);
    await page.close();
  });
});
