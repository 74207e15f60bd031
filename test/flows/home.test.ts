import type { Person } from '@proofdesk/slack-sandbox/testing';
import { describe, expect, test } from 'vitest';
import { connects, members, undoes } from '../harness/acts.ts';
import { eventually, sharedWorld, story, worldPerTest } from '../harness/worlds.ts';

const shelf = { campaign_id: '12e5', title: 'Photograph a tea shelf', status: 'RUNNING' } as const;
const scenario = {
  campaigns: [
    { ...shelf, tasks: { NOTRATED: 3, OK: 2 } },
    { title: 'Visit a coffee shop', status: 'FINISHED' },
  ],
};
const direct = 'D01ANN';

const { begin } = worldPerTest();

describe('the home tab', () => {
  const world = sharedWorld({ scenario, transport: 'http' });
  const { ann, ben, marketplace, slack } = world;

  /** Opens the tab again until it says so: what it shows is what the last poll brought. */
  const opensUntil = (pattern: RegExp) =>
    eventually(`Home to say ${pattern}`, async () => {
      const home = await ann.looksAtHome(/Reviewing/);
      return pattern.test(home.text) && home;
    });

  story('says what waits, answers every button in place, and follows what happens', {
    'says what waits and since when, and leads to everything else': async () => {
      const home = await opensUntil(/3 tasks\* waiting in 1 campaign, the oldest since/);
      expect(home.text).toMatch(/Photograph a tea shelf\*?\n\*?3 waiting\*? · oldest/);
      expect(home.text).toContain('You act for *default*.');
      expect(home.buttons).toEqual([
        ...['Start review (3 waiting)', 'Select…', 'Status'],
        ...['All campaigns', 'Create a campaign', 'Inbox', 'Saved reasons', 'Subscriptions (1)'],
        ...['Settings', 'Connect', 'Help'],
      ]);
    },

    'answers every button where it was pressed, in a modal above it, and says nothing elsewhere':
      async () => {
        const home = await opensUntil(/3 tasks\* wait/);
        const before = (await ann.reads(direct)).length;
        const list = await home.opens('All campaigns', /2 campaigns/);
        expect(list.title).toBe('All campaigns');
        await list.select('Filter', 'Finished');
        await list.untilText(/1 campaign\*? \(Finished\)/);
        await list.select('Filter', 'All campaigns');
        await list.untilText(/2 campaigns/);
        await list.clicks('Status');
        await expect.poll(async () => (await ann.modals()).length).toBe(2);
        await (await ann.modal(/Photograph a tea shelf.*Pays/s)).close({ all: true });

        await marketplace.write({ subject: 'A new rule' });
        const inbox = await home.opens('Inbox', /A new rule/);
        await inbox.close();
        await (await home.opens('Subscriptions (1)', /gets posts from this account/)).close();
        await (await home.opens('Status', /Photograph a tea shelf.*Running/s)).close();
        await (await home.opens('Help', /\/campaign retarget/)).close();
        await (await home.opens('Create a campaign', /Positions per worker/)).close({ all: true });
        const said = (await ann.reads(direct)).slice(before).map(({ text }) => text);
        // Announced, and what became of the draft that was closed.
        expect(said.filter((text) => !/A new rule|campaign/i.test(text))).toEqual([]);
      },

    'shows at once that it is loading while the marketplace takes its time, then fills that in': async () => {
      const home = await opensUntil(/3 tasks\* wait/);
      await marketplace.delays('list_extend', 12_000, 0);
      const modal = await home.opens('All campaigns', /Loading…/);
      await marketplace.clearFaults();
      await modal.untilText(/2 campaigns/);
      expect((await ann.modals()).map(({ id }) => id)).toEqual([modal.id]);
    },

    'shows by itself what became of a decision, once the modal above it is closed': async () => {
      const home = await opensUntil(/3 tasks\* wait/);
      const review = await home.opens('Start review (3 waiting)', /Photograph a tea shelf/);
      await review.submit();
      await review.until(({ text }) => !text.includes('1 of 3'));
      await review.close();
      // Nobody opens the tab again.
      await ann.home(/Your last decisions.*Photograph a tea shelf.*:white_check_mark: \*?OK\*? by @Ann/s);
      await marketplace.submit({ campaign_id: '12e5' });
      await opensUntil(/3 tasks\* wait/);
    },

    'follows what happens when it is opened again, and says when the marketplace does not answer':
      async () => {
        await marketplace.submit({ campaign_id: '12e5' });
        await opensUntil(/4 tasks\* wait/);
        await marketplace.fault({ match: { path: 'list_extend' }, kind: '500', times: 0 });
        await opensUntil(/4 tasks\* wait.*cannot be reached right now/s);
        await marketplace.clearFaults();
      },
  });

  test('shows at once that somebody has connected or disconnected', async () => {
    const home = await ann.looksAtHome(/You act for \*default\*/);
    const form = await home.opens('Connect', /Connect your account/);
    await form.fill('API key', 'quiet-employer-demo-key');
    await form.select('What is this key for?', 'A new account');
    await form.fill('Name of the new account', 'Other');
    await (await form.next(/You are connected/)).close();
    const own = await ann.home(/No tasks of this account are here yet.*your own API key/s);
    await own.opens('Disconnect', /Your API key was deleted\. Unfinished forms are kept for a day/);
    await ann.home(/You act for \*default\*/);
  });

  test('does not fall back to what it was when an earlier drawing arrives late', async () => {
    await slack.clearRequests();
    await slack.delays('views.publish', 1_500);
    await ben.opensHome();
    await slack.request(({ method }) => method === 'views.publish');
    await connects(ben, 'quiet-employer-demo-key', 'Other');
    await ben.home(/your own API key/);
    await eventually('the late drawing to have arrived', async () => {
      const drawn = await slack.requests({ method: 'views.publish' });
      return drawn.length >= 2 && drawn.every(({ ms }) => ms !== undefined);
    });
    await ben.home(/your own API key/);
  });
});

test('the home of somebody who is not connected offers that', async () => {
  const { ben } = await begin({
    scenario,
    env: { MARKETPLACE_API_KEY: undefined, REVIEW_CHANNEL: undefined, INBOX_CHANNEL: undefined },
  });
  const home = await ben.looksAtHome(/You are not connected/);
  expect(home.buttons).toEqual(['Connect', 'Help']);
  const form = await home.opens('Connect', /Connect your account/);
  await form.submit({ 'API key': 'employer-demo-key' });
  await ben.home(/They come with the first look at the marketplace/);
});

describe('what people may in it', () => {
  const world = sharedWorld({
    scenario,
    workspace: {
      users: [members.ann, members.ben, members.dan],
      channels: [{ id: 'C01REVIEW', name: 'review', members: ['U01ANN', 'U02BEN'] }],
    },
    env: { ACCOUNT_OWNERS: 'U01ANN', UNDO_SECONDS: '120' },
  });
  const { ann, ben, dan, marketplace } = world;

  test('a viewer sees no button that decides, a reviewer none of the settings', async () => {
    const seen = async (person: Person, role: RegExp) => {
      return (await person.looksAtHome(role)).buttons;
    };
    const decides = /review|reasons|Undo|Approve/i;
    const viewer = await seen(dan, /You are a viewer/);
    expect(viewer.filter((name) => decides.test(name) || name === 'Settings')).toEqual([]);
    const reviewer = await seen(ben, /You are a reviewer/);
    expect(reviewer).toContain('Saved reasons');
    expect(reviewer).not.toContain('Settings');
    expect(await seen(ann, /You are an owner/)).toContain('Settings');
  });

  test('a decision that waits is taken back where it is shown, once, and only by those who may', async () => {
    const card = await ben.sees('C01REVIEW', /Photograph a tea shelf/);
    await ben.clicks(card, 'OK', /OK\*? by @Ben/);
    const home = await ben.looksAtHome(/Your last decisions.*OK.*sends at .* unless undone/s);
    const [undo = '', ...others] = home.buttons.filter((name) => name.startsWith('Undo'));
    // Of which task, so that nobody undoes another one.
    expect(undo).toMatch(/^Undo OK for \w+$/);
    expect(home.text).toContain(undo.replace('Undo OK for ', ''));
    expect(others).toEqual([]);
    expect((await ann.looksAtHome(/Reviewing/)).text).not.toContain('Your last decisions');
    await home.clicks(undo, /Your last decisions.*Undone\./s);
    expect(home.buttons).not.toContain(undo);
    await card.until(({ buttons }) => buttons.includes('OK'));
    expect(await marketplace.calls('rate_task')).toEqual([]);
  });

  test('what somebody was too late to undo is said there', async () => {
    const card = await ben.sees('C01REVIEW', /Photograph a tea shelf/);
    await ben.clicks(card, 'OK', /OK\*? by @Ben/);
    const home = await ben.looksAtHome(/sends at .* unless undone/);
    // A colleague is faster; Ben's tab still shows the button.
    await undoes(ann, card);
    await home.clicks('Undo OK', /Undone by @Ann Reyes\./);
  });
});
