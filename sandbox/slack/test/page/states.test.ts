import { expect, it } from 'vitest';
import { describeInBrowser } from '../../src/testing/page/browser.ts';
import { sharedPageApp } from './app.ts';

/** What shows while the app is slow or silent, and what one writes with. */
describeInBrowser('the states of the workspace page', (browser) => {
  const { app, open, post } = sharedPageApp(browser);
  const lose = (delivery: string) =>
    fetch(`${app.url}/_sandbox/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ match: { delivery }, kind: 'lost', times: 1 }),
    });
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
    // Nothing turns for somebody who does not want that.
    await ann.page.emulateMedia({ reducedMotion: 'reduce' });
    await expect
      .poll(() =>
        ann.page.evaluate(
          () => document.getAnimations().filter(({ playState }) => playState === 'running').length,
        ),
      )
      .toBe(0);
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

  it('draws letters, emoji, Chinese, Arabic, Hebrew and Hindi by the fonts that come with it, whatever the system has', async () => {
    const text = 'Letters :tada: 🧾 收据漢字 إيصال קבלה रसीद';
    const plain = { type: 'plain_text', text };
    const rich = [
      { type: 'text', text: 'Rich 收据 ' },
      { type: 'emoji', name: 'tada' },
    ];
    const cells = [[{ type: 'raw_text', text: 'Head 收据 🧾' }], [{ type: 'raw_text', text: 'Cell' }]];
    const chart = { type: 'pie', segments: [{ label: 'Good 收据', value: 3 }] };
    const blocks = [
      { type: 'section', text: { type: 'mrkdwn', text: `*${text}*` } },
      { type: 'actions', elements: [{ type: 'button', action_id: 'a', text: plain }] },
      { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: rich }] },
      { type: 'table', rows: cells },
      { type: 'data_visualization', title: 'Chart', chart },
    ];
    await post(text, { blocks });
    const ann = await open('U01ANN');
    await ann.card('Letters').text();
    await ann.page.evaluate(() => document.fonts.ready.then(() => undefined));
    const count = await ann.page.evaluate(() => {
      const holders = [...document.querySelectorAll('main article *, .sidebar *')].filter(({ childNodes }) =>
        [...childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim()),
      );
      for (const [at, holder] of holders.entries()) holder.setAttribute('data-text', String(at));
      return holders.length;
    });
    expect(count).toBeGreaterThan(15);
    const session = await ann.page.context().newCDPSession(ann.page);
    await session.send('DOM.enable');
    await session.send('CSS.enable');
    const fonts = async () => {
      const { root } = await session.send('DOM.getDocument');
      const found = new Set<string>();
      for (let at = 0; at < count; at += 1) {
        const selector = `[data-text="${at}"]`;
        const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector });
        const { fonts: used } = await session.send('CSS.getPlatformFontsForNode', { nodeId });
        for (const { familyName, isCustomFont } of used)
          found.add(isCustomFont ? familyName : `${familyName}, the system's`);
      }
      return [...found].sort();
    };
    // Each part of a font is fetched when something needs it.
    await expect
      .poll(fonts)
      .toEqual([
        expect.stringMatching(/^Inter/),
        expect.stringMatching(/^Noto Sans Arabic/),
        expect.stringMatching(/^Noto Sans Devanagari/),
        expect.stringMatching(/^Noto Sans Hebrew/),
        expect.stringMatching(/^Noto Sans SC/),
        expect.stringMatching(/^Twemoji/),
      ]);
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
