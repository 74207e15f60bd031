import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { startWorld, transports, type World } from '../harness/world.ts';

const scenario = {
  campaigns: [
    {
      campaign_id: '12e5',
      title: 'Photograph a tea shelf',
      status: 'RUNNING',
      tasks: { NOTRATED: 3, OK: 2 },
    },
    { title: 'Visit a coffee shop', status: 'FINISHED' },
  ],
};
const direct = 'D01ANN';

describe.each(transports)('the home tab over %s', (transport) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ scenario, transport });
  });
  afterAll(() => world.close());

  /** Opens the tab again until it says so: what it shows is what the last poll brought. */
  const opensUntil = (pattern: RegExp) =>
    eventually(`Home to say ${pattern}`, async () => {
      await world.ann.opensHome();
      const home = await world.ann.home(/Reviewing/);
      return pattern.test(home.text) && home;
    });

  test('says what waits and since when, and leads to everything else', async () => {
    const home = await opensUntil(/3 tasks\* wait for review in one campaign, the oldest since/);
    expect(home.text).toMatch(/[\d.,]+\*? to be paid if all are rated OK/);
    expect(home.text).toMatch(/Photograph a tea shelf\*? · 3 waiting · oldest/);
    expect(home.text).toContain('midnight in your time zone (America/New_York)');
    expect(home.text).toContain('shared account');
    expect(home.buttons).toEqual([
      'Start review (3 waiting)',
      ...['Campaigns', 'Inbox', 'Create a campaign', 'Saved reasons', 'Settings', 'Connect', 'Help'],
    ]);

    await home.clicks('Campaigns');
    const list = await world.ann.sees(direct, /2 campaigns/);
    await world.ann.clicks(list, 'Filter');
    const filter = await world.ann.modal(/Filter campaigns/);
    await filter.select('Status', 'Finished');
    await filter.submit();
    await list.untilText(/1 campaign\*?\./);

    await world.marketplace.write({ subject: 'A new rule' });
    await home.clicks('Inbox');
    await world.ann.sees(direct, /A new rule/);
    await home.clicks('Help');
    await world.ann.sees(direct, /\/campaign retarget/);
    await home.clicks('Create a campaign');
    await (await world.ann.modal(/campaign/)).close({ all: true });
  });

  test('follows what happens when it is opened again, and says when the marketplace does not answer', async () => {
    await world.marketplace.submit({ campaign_id: '12e5' });
    await opensUntil(/4 tasks\* wait/);
    await world.marketplace.fault({ match: { path: 'list_extend' }, kind: '500', times: 0 });
    await opensUntil(/4 tasks\* wait.*cannot be reached right now/s);
    await world.marketplace.clearFaults();
  });

  test('shows at once that somebody has connected or disconnected', async () => {
    await world.ann.opensHome();
    const home = await world.ann.home(/shared account/);
    await home.clicks('Connect');
    const form = await world.ann.modal(/Connect your account/);
    await form.fill('API key', 'quiet-employer-demo-key');
    await form.submit();
    await world.ann.modal(/You are connected/);
    const own = await world.ann.home(/No tasks are waiting for review.*your own API key/s);
    await own.clicks('Disconnect');
    await world.ann.sees(direct, /Your API key is deleted\..* unfinished forms stays for a day/);
    await world.ann.home(/shared account/);
  });

  test('does not fall back to what it was when an earlier drawing arrives late', async () => {
    await world.slack.clearRequests();
    await world.slack.fault({ match: { method: 'views.publish' }, kind: 'latency', delayMs: 1_500 });
    await world.ben.opensHome();
    await world.slack.request(({ method }) => method === 'views.publish');
    await world.ben.types('C01REVIEW', '/proofdesk connect');
    const form = await world.ben.modal(/Connect your account/);
    await form.fill('API key', 'quiet-employer-demo-key');
    await form.submit();
    await world.ben.home(/your own API key/);
    await eventually('the late drawing to have arrived', async () => {
      const drawn = await world.slack.requests({ method: 'views.publish' });
      return drawn.length >= 2 && drawn.every(({ ms }) => ms !== undefined);
    });
    await world.ben.home(/your own API key/);
  });
});

test('the home of somebody who is not connected offers that', async () => {
  const world = await startWorld({
    scenario,
    env: { MARKETPLACE_API_KEY: undefined, REVIEW_CHANNEL: undefined },
  });
  try {
    await world.ben.opensHome();
    const home = await world.ben.home(/You are not connected/);
    expect(home.buttons).toEqual(['Connect', 'Help']);
    await home.clicks('Connect');
    const form = await world.ben.modal(/Connect your account/);
    await form.fill('API key', 'employer-demo-key');
    await form.submit();
    await world.ben.home(/3 tasks\* wait for review in one campaign\./);
  } finally {
    await world.close();
  }
});
