import { expect, it } from 'vitest';
import { axeProblems } from '../../src/testing/page/axe.ts';
import { describeInBrowser, type openWorkspace } from '../../src/testing/page/browser.ts';
import { sharedPageApp } from './app.ts';

type Workspace = Awaited<ReturnType<typeof openWorkspace>>;

/** What Slack's desktop client has around the messages: grouping, marks, reactions, search, keys. */
describeInBrowser('the workspace by mouse, keyboard and screen reader', (browser) => {
  const { app, open, post } = sharedPageApp(browser);
  const focused = ({ page }: Workspace) =>
    page.evaluate(() => {
      const at = document.activeElement;
      return at?.getAttribute('aria-label') ?? at?.textContent ?? '';
    });

  it('groups what one author writes, and says "(edited)" in the line of the text', async () => {
    const first = await post('First of three');
    for (const text of ['Second of three', 'Third of three']) await post(text);
    const ann = await open('U01ANN');
    await ann.card('Third of three').locator.waitFor();
    const main = ann.page.locator('main');
    expect(await main.locator('.message .avatar').count()).toBe(1);
    expect(await main.locator('.message .message-head:not(.sr-only)').count()).toBe(1);
    await app.client.chat.update({
      channel: 'C01REVIEW',
      ts: first.ts ?? '',
      text: 'First of three, mended',
    });
    const card = ann.card('mended');
    await card.shows('(edited)');
    const [text, mark] = await Promise.all([
      card.locator.locator('.text > div').boundingBox(),
      card.locator.locator('.edited').boundingBox(),
    ]);
    expect(mark?.y).toBeLessThan((text?.y ?? 0) + (text?.height ?? 0));
    await ann.close();
  });

  it('marks what is new with a line, a count for mentions, and lets one mark it unread again', async () => {
    const ben = await open('U02BEN', { channel: 'C02INBOX' });
    await post('Something new');
    await post('For <@U02BEN>');
    await ben.page.locator('.sidebar .mentions').filter({ hasText: /^1$/ }).waitFor();
    await ben.goTo('#review');
    const row = ben.page.locator('.row').filter({ has: ben.page.locator('.new-mark') });
    await row.waitFor();
    expect(await row.textContent()).toContain('Something new');
    expect(await ben.isUnread('#review')).toBe(false);
    await ben.card('For @Ben Okafor').does('Mark unread');
    await expect.poll(() => ben.isUnread('#review')).toBe(true);
    await ben.close();
  });

  it('takes reactions, which others see and the app hears of, and takes them back', async () => {
    const sent = await post('React to this');
    const [ann, ben] = [await open('U01ANN'), await open('U02BEN')];
    const card = ann.card('React to this');
    await card.pointAt();
    await card.click('Add reaction');
    await ann.page.keyboard.type('tada');
    await ann.page.keyboard.press('Enter');
    const seen = ben.card('React to this').locator.getByRole('button', { name: '1 tada, by Ann Reyes' });
    await seen.click();
    await card.locator.getByRole('button', { name: '2 tada, by you, Ben Okafor' }).click();
    await ben.card('React to this').locator.getByRole('button', { name: '1 tada, by you' }).waitFor();
    const log = await fetch(`${app.url}/_sandbox/requests`).then((answer) => answer.json());
    const heard = (log as { requests: { method: string; payload?: unknown }[] }).requests
      .filter(({ method }) => method.startsWith('reaction_'))
      .map(({ method, payload }) => `${method} ${JSON.stringify(payload).includes(sent.ts ?? '?')}`);
    expect(heard).toEqual(['reaction_added true', 'reaction_added true', 'reaction_removed true']);
    await ann.close();
    await ben.close();
  });

  it('saves, edits and deletes messages, and links to them', async () => {
    const ann = await open('U01ANN');
    await ann.types('A message of mine');
    const card = await ann.card('A message of mine').pinned();
    await card.pointAt();
    await card.click('Save for later');
    await card.does('Edit message');
    await card.fill('Edit message', 'Better words');
    await ann.page.keyboard.press('Enter');
    await card.shows('Better words (edited)');
    await ann.page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Later' }).click();
    await ann.page.getByRole('list', { name: 'Saved for later' }).getByText('Better words').click();
    expect(new URL(ann.page.url()).searchParams.get('message')).not.toBeNull();

    await ann.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await ann.card('Better words').does('Copy link');
    const copied = () => ann.page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toContain('message=');
    const { origin, searchParams } = new URL(await copied());
    expect(origin).toBe(new URL(app.url).origin);
    expect([searchParams.get('as'), searchParams.get('channel')]).toEqual(['U01ANN', 'C01REVIEW']);
    const followed = await ann.page.context().newPage();
    await followed.goto(await copied());
    await followed.locator('article.marked', { hasText: 'Better words' }).waitFor();
    await followed.close();
    await ann.card('Better words').does('Delete message');
    await expect.poll(() => ann.count('Better words')).toBe(0);
    await ann.close();
  });

  it('finds channels, people and messages by Ctrl K', async () => {
    await post('A needle in the hay');
    const ann = await open('U01ANN', { channel: 'C02INBOX' });
    const { keyboard } = ann.page;
    await keyboard.press('Control+k');
    await keyboard.type('rand');
    await keyboard.press('Enter');
    await ann.page.getByRole('heading', { name: '#random' }).waitFor();
    await keyboard.press('Control+k');
    await keyboard.type('needle');
    await ann.page.getByRole('option', { name: 'A needle in the hay' }).waitFor();
    await keyboard.press('Enter');
    await ann.card('A needle in the hay').locator.and(ann.page.locator('.marked')).waitFor();
    await keyboard.press('Control+k');
    await keyboard.press('Escape');
    await ann.modal('Search').gone();
    await keyboard.press('Alt+ArrowDown');
    await ann.page.getByRole('heading', { name: '#inbox' }).waitFor();
    await ann.close();
  });

  it('never loses the focus: it goes to what takes the place of a pressed button', async () => {
    const ann = await open('U01ANN');
    const { keyboard } = ann.page;
    await ann.types('/card Bakery');
    const card = await ann.card('Bakery').pinned();
    await card.locator.getByRole('button', { name: 'OK', exact: true }).focus();
    await keyboard.press('Enter');
    await card.shows('Accepted by');
    await expect.poll(() => focused(ann)).toBe('Message from Proofdesk');
    await keyboard.press('t');
    await ann.page.getByRole('complementary', { name: 'Thread' }).waitFor();
    await keyboard.press('Escape');
    await ann.page.getByRole('complementary', { name: 'Thread' }).waitFor({ state: 'detached' });
    await ann.goTo('Proofdesk home');
    await ann.home().locator.getByRole('button', { name: 'Greet' }).focus();
    await keyboard.press('Enter');
    await ann.home().shows('Hello @Ann Reyes');
    await ann.close();
  });

  it('goes from region to region by F6 and from message to message by arrows, whose keys act', async () => {
    for (const text of ['Older', 'Newer']) await post(text);
    const ann = await open('U01ANN');
    await ann.card('Newer').locator.waitFor();
    const { keyboard } = ann.page;
    const box = ann.page.getByRole('textbox', { name: 'Message #review' });
    await box.focus();
    await keyboard.press('Shift+F6');
    await keyboard.press('ArrowUp');
    await keyboard.press('ArrowUp');
    const at = () => ann.page.evaluate(() => document.activeElement?.textContent ?? '');
    expect(await at()).toContain('Older');
    await keyboard.press('ArrowDown');
    expect(await at()).toContain('Newer');
    await keyboard.press('r');
    await ann.page.getByRole('dialog', { name: 'Add a reaction' }).waitFor();
    await keyboard.press('Escape');
    await expect.poll(() => focused(ann)).toBe('Add reaction');
    await keyboard.press('F6');
    expect(await focused(ann)).toBe('Message #review');
    await post('Heard of');
    await ann.page.getByRole('log').filter({ hasText: 'Proofdesk: Heard of' }).waitFor({ state: 'attached' });
    await ann.close();
  });

  it('opens pictures large, and closes the menu of a phone by Escape', async () => {
    const phone = await open('U03CHLOE', { width: 390, height: 760, touch: true });
    const tooSmall = (within: string) =>
      phone.page.evaluate(
        (selector) =>
          [...document.querySelectorAll(selector)]
            .map((button) => ({ box: button.getBoundingClientRect(), name: button.outerHTML.slice(0, 90) }))
            .filter(({ box: { width, height } }) => width > 0 && (width < 44 || height < 44))
            .map(({ name }) => name),
        `${within} button`,
      );
    expect(await tooSmall('main')).toEqual([]);
    await phone.page.getByRole('button', { name: 'Menu' }).click();
    await phone.page.getByRole('navigation', { name: 'Workspace' }).waitFor();
    expect(await tooSmall('nav')).toEqual([]);
    await phone.page.keyboard.press('Escape');
    await phone.page.getByRole('navigation', { name: 'Workspace' }).waitFor({ state: 'hidden' });
    const address =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const uploaded = await fetch(`${app.url}/_sandbox/upload`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        user: 'U01ANN',
        filename: 'a.png',
        content_type: 'image/png',
        base64: address.split(',')[1],
      }),
    });
    const { file } = (await uploaded.json()) as { file: { id: string } };
    const block = { type: 'image' as const, slack_file: { id: file.id }, alt_text: 'A receipt' };
    await post('A picture', { blocks: [block] });
    await phone.page.getByRole('button', { name: 'Open picture: A receipt' }).click();
    const picture = phone.modal('A receipt').locator.getByRole('img', { name: 'A receipt' });
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
    await phone.page.keyboard.press('Escape');
    await phone.modal('A receipt').gone();
    await phone.types('/form');
    await phone.modal('Every input').text();
    expect(await tooSmall('dialog')).toEqual([]);
    await phone.modal('Every input').close();
    await phone.close();
  });

  it('draws of a long channel only what is in sight, wherever one is in it', async () => {
    const count = 400;
    for (let n = 1; n <= count; n += 20)
      await Promise.all(Array.from({ length: 20 }, (_, more) => post(`Message number ${n + more} of many`)));
    const ann = await open('U01ANN');
    const composer = ann.page.getByRole('textbox', { name: 'Message #review' });
    await composer.fill('Half a sentence');
    const list = ann.page.locator('main .messages');
    const drawn = () => list.getByRole('article').count();
    const isAtEnd = () =>
      list.evaluate(
        ({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight < 40,
      );
    await expect.poll(isAtEnd).toBe(true);
    expect(await drawn()).toBeLessThan(60);
    await post('The newest');
    await ann.card('The newest').locator.waitFor();
    await expect.poll(isAtEnd).toBe(true);
    await list.evaluate((element) => element.scrollTo(0, 0));
    await list.getByText(/^Today$/).waitFor();
    expect(await drawn()).toBeLessThan(60);
    await post('Newer still');
    await ann.page.getByRole('log').filter({ hasText: 'Newer still' }).waitFor({ state: 'attached' });
    expect(await list.evaluate(({ scrollTop }) => scrollTop)).toBe(0);
    expect(await composer.inputValue()).toBe('Half a sentence');
    await ann.page.getByRole('button', { name: 'Latest messages' }).click();
    await ann.card('Newer still').locator.waitFor();
    await ann.close();
  });

  it('has nothing that axe objects to: every screen, list, menu and modal; light and dark', async () => {
    const problems: string[] = [];
    for (const theme of ['light', 'dark'] as const) {
      const ann = await open('U01ANN', { tour: true });
      await ann.page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      const check = async (screen: string) => {
        const found = await axeProblems(ann.page);
        problems.push(...found.map((problem) => `${theme}, ${screen}: ${problem}`));
      };
      await ann.types(`/card Bakery ${theme}`);
      await ann.card(`Bakery ${theme}`).click('OK');
      await ann.card(`Bakery ${theme}`).opensThread();
      await ann.thread.card('task.ok').locator.waitFor();
      await ann.types('/private');
      await ann.ephemeral('Connect your account first.').locator.waitFor();
      await check('channel and thread');
      await ann.thread.close();
      await ann.types(`/card Kiosk ${theme}`);
      const kiosk = ann.card(`Kiosk ${theme}`);
      await kiosk.pointAt();
      await kiosk.click('Message actions');
      await check('menu of a message');
      await ann.page.keyboard.press('Escape');
      await kiosk.click('Add reaction');
      await ann.page.getByRole('dialog', { name: 'Add a reaction' }).waitFor();
      await check('reactions');
      await ann.page.keyboard.press('Escape');
      await kiosk.locator.getByRole('combobox', { name: 'Saved reasons' }).click();
      await ann.page.getByRole('listbox', { name: 'Saved reasons' }).waitFor();
      await check('options');
      await ann.page.keyboard.press('Escape');
      await kiosk.click('NOK');
      await ann.modal('Refuse it?').text();
      await check('confirmation');
      await ann.modal('Refuse it?').click('Keep');
      await kiosk.pointAt();
      await kiosk.click('Save for later');
      await ann.card(`Bakery ${theme}`).does('Pin to channel');
      await ann.page.getByRole('button', { name: 'Pinned messages' }).click();
      await ann.page.getByRole('list', { name: 'Pinned messages' }).getByRole('button').first().waitFor();
      await ann.page.getByRole('textbox', { name: 'Message #review' }).fill('@');
      await ann.page.getByRole('listbox', { name: 'People' }).waitFor();
      await ann.page.getByRole('region', { name: 'Tour, step 1 of 2' }).waitFor();
      await check('pins, suggestions and tour');
      await ann.page.getByRole('textbox', { name: 'Message #review' }).fill('');
      await ann.page.getByRole('button', { name: 'Close pinned' }).click();
      await ann.page.getByRole('button', { name: 'Leave the tour' }).click();
      await ann.page.keyboard.press('Control+k');
      await ann.modal('Search').text();
      await check('search');
      await ann.page.keyboard.press('Escape');
      await ann.types('/form');
      await ann.modal('Every input').submit('Send');
      await ann.modal('Every input').shows('Please complete this required field.');
      await check('form');
      await ann.modal('Every input').close();
      await ann.page.getByRole('button', { name: 'World' }).click();
      await ann.page.getByRole('complementary', { name: 'World' }).waitFor();
      await check('world');
      await ann.page.getByRole('button', { name: 'Close world' }).click();
      await ann.page
        .getByRole('navigation', { name: 'Views' })
        .getByRole('button', { name: 'Later' })
        .click();
      await ann.page.getByRole('list', { name: 'Saved for later' }).getByText('Kiosk').waitFor();
      await check('later');
      await ann.page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Home' }).click();
      await ann.goTo('#old-project');
      await ann.page.getByText('This channel is archived.').waitFor();
      await check('archived channel');
      await ann.goTo('Proofdesk home');
      await ann.home().shows('Campaigns');
      await check('home');
      await ann.page.setViewportSize({ width: 390, height: 844 });
      await check('home, narrow');
      await ann.page.getByRole('button', { name: 'Menu' }).click();
      await check('menu, narrow');
      await ann.close();
    }
    expect(problems).toEqual([]);
  });
});
