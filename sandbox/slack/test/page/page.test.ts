import type { KnownBlock } from '@slack/types';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeInBrowser } from '../../src/testing/page/browser.ts';
import { hostileText, sharedPageApp } from './app.ts';

/** Bold is all that such a text may do: Slack knows no escape for it. */
const shownText = hostileText.replace('*bold*', 'bold');

describeInBrowser('the sandbox workspace in the browser', (browser) => {
  const { app, open } = sharedPageApp(browser);
  let ann: Awaited<ReturnType<typeof open>>;
  beforeEach(async () => {
    ann = await open('U01ANN');
  });
  afterEach(async () => {
    expect(ann.errors).toEqual([]);
    await ann.close();
  });

  it('shows what people write to each other at once, exactly as written', async () => {
    const ben = await open('U02BEN');
    await ann.types(hostileText);
    expect(await ben.card('evil.example').text()).toContain(shownText);
    await ben.types('Answer of Ben');
    expect(await ann.card('Answer of Ben').text()).toContain('Ben Okafor');
    await ben.close();
  });

  it('fills and submits a form with every kind of input', async () => {
    await ann.types('/form');
    const form = ann.modal('Every input');
    await form.fill('Reason', 'The shop name\nis missing');
    await form.fill('E-mail', 'ann@example.com');
    await form.fill('Link', 'https://example.com/a');
    await form.fill('Positions', '12');
    await form.choose('Speed', 'Fast');
    await form.choose('Zones', 'Asia');
    await form.choose('Zones', 'West');
    await form.choose('Campaign', 'Street photos', 'str');
    await form.choose('Person', 'Ben Okafor');
    await form.choose('People', 'Chloé Martin');
    await form.choose('Channel', '#inbox');
    await form.choose('Place', '#random');
    await form.check('Extras', 'Favorite');
    await form.check('Rating', 'Refuse');
    await form.fill('Day', '2026-12-24');
    await form.fill('Hour', '17:30');
    await form.fill('Moment', '2026-12-24T17:30');
    await form.attach('Template', {
      name: 'rows.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('a,b\n1,2\n'),
    });
    await form.submit('Send');
    await form.gone();
    const echo = await ann.card('Submitted').text();
    expect(JSON.parse(echo.slice(echo.indexOf('{')))).toEqual({
      reason: 'The shop name\nis missing',
      title: 'Receipts',
      email: 'ann@example.com',
      url: 'https://example.com/a',
      positions: '12',
      speed: 'fast',
      zones: ['asia', 'west'],
      campaign: 'street photos',
      person: 'U02BEN',
      people: ['U03CHLOE'],
      channel: 'C02INBOX',
      place: 'C03RANDOM',
      extras: ['favorite'],
      rating: 'refuse',
      day: '2026-12-24',
      hour: '17:30',
      moment: Date.parse('2026-12-24T17:30-05:00') / 1000,
      template: ['rows.csv'],
    });
  });

  it('shows what is wrong at its field and keeps what was typed', async () => {
    await ann.types('/form');
    const form = ann.modal('Every input');
    await form.submit('Send');
    await form.shows('Please complete this required field.');
    await form.fill('Reason', 'no');
    await form.fill('E-mail', 'ann@example.com');
    await form.submit('Send');
    await form.shows('Say more than no.');
    expect(await form.error('Reason')).toBe('Say more than no.');
    expect(await form.value('Reason')).toBe('no');
    expect(await form.value('E-mail')).toBe('ann@example.com');
    await ann.page.keyboard.press('Escape');
    await form.gone();
  });

  it('opens a link to one of its messages in the same page, as the same person', async () => {
    const say = (text: string) => app.client.chat.postMessage({ channel: 'C01REVIEW', text });
    const { ts = '' } = await say('The message with a link to it');
    const { permalink } = await app.client.chat.getPermalink({ channel: 'C01REVIEW', message_ts: ts });
    await app.client.chat.postMessage({ channel: 'C02INBOX', text: `<${permalink}|its card>` });
    const blocks = [
      {
        type: 'actions',
        elements: [
          { type: 'button', text: { type: 'plain_text', text: 'Go there' }, action_id: 'go', url: permalink },
        ],
      },
    ] as KnownBlock[];
    await app.client.chat.postMessage({ channel: 'C02INBOX', text: 'A button', blocks });
    const ben = await open('U02BEN', { channel: 'C02INBOX' });
    const opened = async () => {
      await ben.page.getByRole('textbox', { name: 'Message #review' }).waitFor();
      await ben.card('The message with a link to it').text();
      expect(await ben.page.getByLabel('You are').inputValue()).toBe('U02BEN');
    };
    await ben.page.getByRole('link', { name: 'its card' }).click();
    await opened();
    await ben.goTo('#inbox');
    await ben.page.getByRole('button', { name: 'Go there' }).click();
    await opened();
    await ben.close();
  });

  it('lays modals on each other and keeps what lies under', async () => {
    await ann.types('/stack');
    const [first, second, third] = [1, 2, 3].map((depth) => ann.modal(`Level ${depth}`));
    if (!first || !second || !third) throw new Error('Three modals are looked at');
    await first.fill('Name', 'kept');
    await first.click('Deeper');
    await second.fill('Name', 'told');
    await ann.page.keyboard.press('Enter');
    await second.shows('Typed told');
    expect(await second.value('Name')).toBe('told');
    await second.click('Deeper');
    await third.click('Cancel');
    await third.gone();
    await second.submit('Done');
    await second.gone();
    await first.shows('Nothing typed yet');
    expect(await first.value('Name')).toBe('kept');
    await first.close();
    await first.gone();
  });

  it('decides on a card for everybody to see', async () => {
    const ben = await open('U02BEN');
    await ann.types('/card Bakery');
    const card = ann.card('Bakery');
    expect(await card.text()).toContain(shownText);
    expect(await card.buttons()).toEqual(expect.arrayContaining(['OK', 'NOK']));
    await ben.card('Bakery').click('OK');
    await card.shows(/Accepted by @Ben Okafor Today at \d+:\d\d [AP]M/);
    await card.loses('OK');
    await card.shows('(edited)');
    expect(await ann.count('Bakery')).toBe(1);
    await card.opensThread();
    await ann.thread.card('task.ok').text();
    await ann.thread.types('Thank you');
    await ben.card('Bakery').shows('2 replies');
    const thread = ann.page.getByRole('complementary', { name: 'Thread' });
    await thread.locator('.day').getByText('2 replies').waitFor();
    await ben.close();
  });

  it('asks to confirm, and offers selects and menus in messages', async () => {
    await ann.types('/card Pharmacy');
    const card = ann.card('Pharmacy');
    await card.click('NOK');
    await ann.modal('Refuse it?').click('Keep');
    await card.choose('Saved reasons', 'Blurry');
    await card.choose('Find a campaign', 'App reviews', 'app');
    await card.choosesFromMenu('History');
    await card.shows('3 replies');
    expect(await card.value('Saved reasons')).toBe('Blurry');
    await card.opensThread();
    for (const said of ['reason Blurry', 'campaign App reviews', 'more History'])
      await ann.thread.card(said).text();
    await card.click('NOK');
    await ann.modal('Refuse it?').click('Refuse');
    await card.shows('Refused by');
  });

  it('tells the app of what is pressed and chosen in cards, containers and under answers', async () => {
    const button = (action_id: string, text: string) => ({
      type: 'button',
      action_id,
      text: { type: 'plain_text', text },
    });
    const option = { text: { type: 'plain_text', text: 'Blurry' }, value: 'blurry' };
    const feedback = (text: string, value: string) => ({ text: { type: 'plain_text', text }, value });
    const blocks = [
      {
        type: 'carousel',
        elements: ['First', 'Second'].map((name) => ({
          type: 'card',
          title: { type: 'mrkdwn', text: `*${name}* card` },
          actions: [button(`open.${name}`, `Open ${name}`)],
        })),
      },
      {
        type: 'container',
        title: { type: 'plain_text', text: 'Reasons' },
        is_collapsible: true,
        default_collapsed: true,
        child_blocks: [
          { type: 'actions', elements: [{ type: 'static_select', action_id: 'why', options: [option] }] },
        ],
      },
      {
        type: 'context_actions',
        elements: [
          {
            type: 'feedback_buttons',
            action_id: 'feedback',
            positive_button: feedback('Good', 'good'),
            negative_button: feedback('Bad', 'bad'),
          },
          {
            type: 'icon_button',
            action_id: 'remove',
            icon: 'trash',
            text: { type: 'plain_text', text: 'Delete' },
          },
        ],
      },
    ] as unknown as KnownBlock[];
    await app.client.chat.postMessage({ channel: 'C01REVIEW', text: 'An answer', blocks });
    const card = ann.card('First card');
    await card.click('Open Second');
    await card.locator.locator('summary').click();
    await card.choose('Options', 'Blurry');
    await card.click('Bad');
    await expect.poll(() => card.locator.getByRole('button', { name: 'Bad', pressed: true }).count()).toBe(1);
    await card.click('Delete');
    await card.shows('4 replies');
    await card.opensThread();
    for (const said of ['open.Second', 'why Blurry', 'feedback bad', 'remove'])
      await ann.thread.card(said).text();
  });

  it('shows private answers to one person only', async () => {
    const ben = await open('U02BEN');
    await ann.types('/private');
    const answer = ann.ephemeral('Connect your account first.');
    expect(await answer.text()).toContain('Only visible to you');
    expect(await ben.count('Connect your account')).toBe(0);
    await answer.click('Connect');
    await ann.ephemeral('Connected.').text();
    expect(await ann.count('Connect your account')).toBe(0);
    await ben.close();
  });

  it('offers commands, and says when the app does not answer', async () => {
    const composer = ann.page.getByRole('textbox', { name: 'Message #review' });
    await composer.fill('/sl');
    await ann.page.getByRole('option', { name: '/slow' }).waitFor();
    await composer.press('Enter');
    expect(await composer.inputValue()).toBe('/slow ');
    await composer.press('Enter');
    await ann.ephemeral('/slow failed because the app did not respond: operation timed out.').text();
    await ann.types('/unknown');
    await ann.ephemeral('/unknown is not a valid command').text();
  });

  it('runs shortcuts, global and of a message', async () => {
    await ann.runs('New form');
    await ann.modal('Every input').close();
    await ann.modal('Every input').gone();
    await ann.types('Look at this');
    await ann.card('Look at this').does('About this');
    await ann.ephemeral(/Message [\d.]+ it is/).text();
  });

  it('opens the home of the app, and follows it', async () => {
    await ann.goTo('Proofdesk home');
    await ann.home().shows('Campaigns & tasks');
    await ann.home().click('Greet');
    await ann.home().shows('Hello @Ann Reyes');
  });

  it('marks what is unread, and lets one act as another', async () => {
    const ben = await open('U02BEN', { channel: 'C02INBOX' });
    await ann.types('News');
    await expect.poll(() => ben.isUnread('#review')).toBe(true);
    await ben.goTo('#review');
    await ben.card('News').text();
    expect(await ben.isUnread('#review')).toBe(false);
    await ben.actAs('Chloé Martin');
    await ben.types('Bonjour');
    expect(await ann.card('Bonjour').text()).toContain('Chloé Martin');
    await ben.close();
  });
});
