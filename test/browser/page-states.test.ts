import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeInBrowser, openWorkspace } from '../harness/browser.ts';
import { startPageApp } from './page-app.ts';

/** What shows while the app is slow or silent, and what one writes with. */
describeInBrowser('the states of the workspace page', (browser) => {
  let app: Awaited<ReturnType<typeof startPageApp>>;
  beforeAll(async () => {
    app = await startPageApp();
  });
  afterAll(() => app?.close());
  const control = (path: string, body?: object) =>
    fetch(`${app.url}/_sandbox/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body ?? {}),
    });
  beforeEach(async () => {
    await control('reset');
  });
  const open = (as: string, more: object = {}) =>
    openWorkspace(browser(), app.url, { as, channel: 'C01REVIEW', ...more });
  const lose = (delivery: string) => control('faults', { match: { delivery }, kind: 'lost', times: 1 });
  const post = (text: string, more: object = {}) =>
    app.client.chat.postMessage({ channel: 'C01REVIEW', text, ...more });
  const messages = async () => {
    const answer = await fetch(`${app.url}/_sandbox/channels/C01REVIEW/messages`);
    return ((await answer.json()) as { messages: { text: string; subtype?: string }[] }).messages;
  };

  it('shows a button at work, that the app did not respond, and takes the next press', async () => {
    const ann = await open('U01ANN');
    await ann.types('/card Bakery');
    const card = await ann.card('Bakery').pinned();
    await lose('block_actions');
    await card.click('OK');
    await card.locator.locator('.primary[aria-busy=true]').waitFor();
    await card.shows('Proofdesk didn’t respond');
    await card.locator.locator('.primary[aria-busy=false]').waitFor();
    await card.click('OK');
    await card.shows('Accepted by @Ann Reyes');
    await ann.close();
  });

  it('says in a form that the app did not respond, and in a list that there are no options', async () => {
    const ann = await open('U01ANN');
    await ann.types('/stack');
    const form = ann.modal('Level 1');
    await lose('view_submission');
    await form.submit('Done');
    await form.locator.locator('button[type=submit][aria-busy=true]').waitFor();
    await form.shows('operation timed out. Try again?');
    await form.submit('Done');
    await form.gone();

    await ann.types('/card Kiosk');
    await lose('block_suggestion');
    await ann.card('Kiosk').locator.getByRole('combobox', { name: 'Find a campaign' }).click();
    const list = ann.page.getByRole('listbox', { name: 'Find a campaign' });
    await list.getByText('Loading…').waitFor();
    await list.getByText('Options could not be loaded.').waitFor();
    expect(await ann.page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await ann.close();
  });

  it('completes people, channels and emoji, by keys and by mouse, and sends them as mentions', async () => {
    const ann = await open('U01ANN');
    const { keyboard } = ann.page;
    const box = ann.page.getByRole('textbox', { name: 'Message #review' });
    await box.click();
    await keyboard.type('Look, @ben');
    await ann.page.getByRole('listbox', { name: 'People' }).getByText('Ben Okafor').waitFor();
    await keyboard.press('Enter');
    await keyboard.type('and #inb');
    await ann.page.getByRole('option', { name: '#inbox' }).click();
    await keyboard.type('are here :tad');
    await ann.page.getByRole('option', { name: ':tada:' }).waitFor();
    await keyboard.press('Tab');
    expect(await box.inputValue()).toBe('Look, @Ben Okafor and #inbox are here :tada: ');
    await keyboard.press('Enter');
    await ann.card('Look, @Ben Okafor and #inbox are here 🎉').locator.waitFor();
    const sent = (await messages()).at(-1);
    expect(sent?.text).toBe('Look, <@U02BEN> and <#C02INBOX|inbox> are here :tada:');
    await keyboard.type('@chl');
    await ann.page.getByRole('listbox', { name: 'People' }).waitFor();
    await keyboard.press('Escape');
    await ann.page.getByRole('listbox', { name: 'People' }).waitFor({ state: 'detached' });
    await keyboard.press('Enter');
    await ann.card('@chl').locator.waitFor();
    expect((await messages()).at(-1)?.text).toBe('@chl');
    await ann.close();
  });

  it('sends a reply to the channel too, and pins messages for everybody', async () => {
    await post('The parent');
    const [ann, ben] = [await open('U01ANN'), await open('U02BEN')];
    await ann.card('The parent').does('Reply in thread');
    await ann.page.getByLabel('Also send to #review').check();
    await ann.thread.types('For everybody');
    await ben.card('For everybody').shows('replied to a thread');
    await ann.thread.card('For everybody').shows('also sent to #review');
    expect(await ann.page.getByLabel('Also send to #review').isChecked()).toBe(false);
    await ann.thread.types('For the thread');
    await ben.card('The parent').shows('2 replies');
    expect(await ben.count('For the thread')).toBe(0);
    await ann.thread.close();

    await ann.card('The parent').does('Pin to channel');
    await ben.card('The parent').shows('Pinned by Ann Reyes');
    await ben.page.getByRole('button', { name: 'Pinned messages' }).click();
    const pinned = ben.page.getByRole('list', { name: 'Pinned messages' });
    await pinned.getByText('The parent').click();
    await ben.card('The parent').locator.and(ben.page.locator('.marked')).waitFor();
    await ben.card('The parent').does('Unpin from channel');
    await pinned.getByText('The parent').waitFor({ state: 'detached' });
    await ann.close();
    await ben.close();
  });
});
