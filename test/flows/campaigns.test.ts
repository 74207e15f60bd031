import { afterEach, expect, test } from 'vitest';
import { finishedShop, place, restarts } from '../harness/acts.ts';
import { eventually, sharedWorld, worldPerTest } from '../harness/worlds.ts';

const running = {
  campaign_id: '12e5',
  title: 'Photograph a tea shelf',
  status: 'RUNNING',
  available_positions: 50,
  payment_per_task: '0.10000',
  zone: 'int',
  targeted_countries: ['US', 'GB'],
  excluded_countries: ['BR'],
  tasks: { OK: 5, NOK: 2, NOTRATED: 3, REVISE: 1 },
} as const;
const finished = { ...finishedShop, zone: 'europe1', targeted_countries: ['DE'] } as const;
const many = { title: 'Small job', status: 'PAUSED', repeat: 23 } as const;

const scenario = { campaigns: [running, finished, many] };

const { begin } = worldPerTest();

const world = sharedWorld({ scenario, transport: 'http' });
afterEach(async () => {
  await Promise.all([
    world.marketplace.settings({ retargetWaitSeconds: 0, restartSeconds: 3_600 }),
    world.marketplace.patchCampaign(finished.campaign_id, { status: 'FINISHED' }),
    world.marketplace.patchCampaign(running.campaign_id, {
      targeted_countries: [...running.targeted_countries],
      excluded_countries: [...running.excluded_countries],
    }),
  ]);
});

const campaign = async (id: string) =>
  (await world.marketplace.state()).campaigns.find(({ campaign_id }) => campaign_id === id);
const positions = async () => (await campaign(finished.campaign_id))?.available_positions ?? 0;

/** Ann types a restart with ten positions, as far as the button that spends. */
async function restartsTen() {
  const form = await enters('restart f1n15hed 10', /10 positions × 0\.25 = 2\.50, fees not included/);
  await form.submit();
  // A second press at the same place does nothing: the button that spends is another one, and says what.
  return form.until(({ buttons }) => buttons.includes('Add 10 for 2.50'));
}

/** Ann types a command of /campaign, and reads the answer, or the form that it opens. */
const asks = (text: string, shows: RegExp) => world.ann.asks(`/campaign ${text}`, shows);
const enters = (text: string, shows: RegExp) => world.ann.enters(`/campaign ${text}`, shows);

test('/campaign lists those with tasks waiting first, and turns pages in place', async () => {
  const list = await asks('', /25 campaigns/);
  expect(list.ephemeral).toBe(true);
  expect(list.text).toContain('3 tasks waiting for review.');
  expect(list.text.indexOf(running.title)).toBeLessThan(list.text.indexOf('Small job'));
  expect(list.text).toMatch(
    /Running · \*3 waiting\* · 5 OK, 2 NOK · 42 of 50 positions left · 0\.10 per task/,
  );
  expect(list.buttons).not.toContain('Previous');

  await world.ann.clicks(list, 'Next', /Page 2 of 3/);
  await world.ann.clicks(list, 'Next', /Page 3 of 3/);
  expect(list.buttons).not.toContain('Next');

  await world.ann.chooses(list, 'Filter', 'Finished');
  await list.untilText(/1 campaign\*? \(Finished\)/);
  expect(list.text).toContain(finished.title);

  await world.ann.clicks(list, 'Status');
  const status = await world.ann.sees(place, /12 OK · 4 NOK/);
  expect(status.buttons).toEqual(['Set deadline', 'Restart', 'Change countries', 'Results']);
});

test('/campaign list says so when the marketplace does not answer, and shows what was last seen', async () => {
  await asks('list', /25 campaigns/);
  await world.marketplace.delays('list_extend', 8_000, 0);
  const list = await asks('list', /these figures are from/);
  expect(list.text).toContain(running.title);
});

test('/campaign status finds by id or part of the title, asks which of several, and says when there is none', async () => {
  const byTitle = await asks('status TEA shelf', /Photograph a tea shelf/);
  expect(byTitle.text).toContain('5 OK · 2 NOK · 3 waiting for review');
  expect(byTitle.text).toContain('Countries: United States (US), United Kingdom (GB), except Brazil (BR)');
  await asks('status 12e5', /Photograph a tea shelf/);
  await asks('status nothing like that', /Your account has no campaign with the id “nothing like that”/);

  const several = await asks('status JOB 1', /11 campaigns have “JOB 1”/);
  await world.ann.chooses(several, 'Choose a campaign', 'Small job 12');
  await world.ann.sees(place, /Small job 12.*Paused/s);
});

test('the oldest waiting task and those sent back show once the bot knows them', async () => {
  await eventually('the backlog is read', async () => {
    const { text } = await asks('status 12e5', /Photograph a tea shelf/);
    return /oldest has been waiting since/.test(text) && /1 revision requested/.test(text);
  });
});

test('/campaign restart with an id and a number shows what it costs, then acts', async () => {
  const before = await positions();
  const form = await restartsTen();
  expect(form.view.submit).toBeNull();
  expect(await positions()).toBe(before);
  await form.clicks('Change the number', /Positions to add/);
  await form.submit();
  await form.until(({ buttons }) => buttons.includes('Add 10 for 2.50'));
  await form.opens(
    'Add 10 for 2.50',
    /Visit a coffee shop\*? now has 10 more positions\. 10 positions × 0\.25 = 2\.50, fees not included/,
  );
  expect(await positions()).toBe(before + 10);
  await asks('restart 12e5 10', /status is “Running”\. Only finished campaigns can be restarted/);
  await asks('restart f1n15hed 0', /Nothing was restarted.*whole number above 0/s);
});

test('a restart whose cost has changed since its button was shown is not made, and shows what it costs now', async () => {
  const before = await positions();
  const form = await restartsTen();
  const pays = (payment_per_task: string) =>
    world.marketplace.patchCampaign(finished.campaign_id, { payment_per_task });
  await pays('0.50000');
  await form.clicks(
    'Add 10 for 2.50',
    /Nothing was restarted\.\*? The payment per task has changed\. Check the new cost/,
  );
  await pays(finished.payment_per_task);
  expect(await positions()).toBe(before);
});

test('a restart whose cost cannot be checked is not made, and says so', async () => {
  const before = await positions();
  const form = await restartsTen();
  await world.marketplace.fault({ match: { path: 'list_extend' }, kind: '500', times: 0 });
  await form.clicks('Add 10 for 2.50', /Nothing was restarted\.\*? The marketplace doesn’t answer/);
  expect(await positions()).toBe(before);
});

test('/campaign restart alone asks for the campaign, then for positions, and proposes what is missing', async () => {
  // Finished ones are offered first.
  const before = await positions();
  const pick = await enters('restart', /Restart a campaign/);
  await eventually(
    'the finished campaign to be first',
    async () => (await pick.types('Campaign', ''))[0]?.text.text === finished.title,
  );
  await pick.select('Campaign', running.title);
  expect((await pick.submit()).errors?.Campaign).toMatch(/Only finished campaigns can be restarted/);
  await pick.select('Campaign', finished.title);
  const form = await pick.next(/Positions to add/);
  expect(form.text).toContain(`12 of ${before} accepted`);
  expect(form.field('Positions to add')).toBe(String(before - 12));
  expect((await form.submit({ 'Positions to add': '0' })).errors).toBeDefined();
  await form.submit({ 'Positions to add': '7' });
  await form.until(({ buttons }) => buttons.includes('Add 7 for 1.75'));
  await form.opens(
    'Add 7 for 1.75',
    /now has 7 more positions\. 7 positions × 0\.25 = 1\.75, fees not included/,
  );
  expect(await positions()).toBe(before + 7);
});

test('a restart of which nobody knows whether it was done is not sent again, and says what to look at', async () => {
  await world.marketplace.clearRequests();
  await world.marketplace.fault({ match: { path: 'restart_campaign' }, kind: 'drop-after' });
  await restarts(
    world.ann,
    'f1n15hed 3',
    /may or may not have 3 more positions now.*was not repeated/s,
    /3 positions × 0\.25/,
  );
  expect(await world.marketplace.calls('restart_campaign')).toHaveLength(1);

  // A fault of the marketplace itself counts as not known, too.
  await world.marketplace.patchCampaign(finished.campaign_id, { status: 'FINISHED' });
  await world.marketplace.refuses('restart_campaign', 'SYSTEM ERROR');
  const note = await restarts(
    world.ann,
    'f1n15hed',
    /may or may not have \d+ more positions now/,
    /Positions to add/,
  );
  expect(note.submitLabel).toBe('');
  expect(await world.marketplace.calls('restart_campaign')).toHaveLength(2);
});

test('a submission delivered twice restarts once, and a closed form is answered privately', async () => {
  await world.marketplace.clearRequests();
  await world.slack.fault({ match: { delivery: 'view_submission' }, kind: 'twice' });
  await world.marketplace.delays('restart_campaign', 12_000);
  await world.ann.asks('/campaign restart f1n15hed 0', /Nothing was restarted/);
  const form = await enters('restart f1n15hed', /Positions to add/);
  await form.fill('Positions to add', '2');
  const before = await world.ann.lastIn(place);
  await form.submit();
  const confirmed = await form.until(({ buttons }) => buttons.includes('Add 2 for 0.50'));
  await world.slack.fault({ match: { delivery: 'block_actions' }, kind: 'twice' });
  await confirmed.clicks('Add 2 for 0.50');
  await confirmed.close();
  await world.marketplace.clearFaults();
  await world.ann.sees(place, /now has 2 more positions/, { after: before });
  expect(await world.marketplace.calls('restart_campaign')).toHaveLength(1);
});

test('/campaign retarget with codes acts at once, checks them first, and tells what the marketplace refuses', async () => {
  await asks(
    'retarget 12e5 us FR -in',
    /now open to workers in United States \(US\), France \(FR\), except India \(IN\)/,
  );
  expect(await campaign('12e5')).toMatchObject({
    targeted_countries: ['US', 'FR'],
    excluded_countries: ['IN'],
  });
  await world.marketplace.clearRequests();
  await asks('retarget 12e5 UK', /Nothing was changed\. Not a country code: UK\. Did you mean GB/);
  await asks('retarget 12e5 -US', /No country is included/);
  await asks('retarget nowhere US UK', /no campaign with the id “nowhere”/);
  expect(await world.marketplace.calls('retarget')).toEqual([]);
  await asks(
    'retarget f1n15hed US DE',
    /Some countries are not available in the zone of this campaign: US\./,
  );
});

test('the retarget form shows what is now, checks, and keeps what was chosen when the marketplace wants a wait', async () => {
  const form = await enters(
    'retarget 12e5',
    /Countries: United States \(US\), United Kingdom \(GB\), except Brazil \(BR\)/,
  );
  expect((await form.types('Countries to include', 'germ')).map(({ value }) => value)).toEqual(['DE']);
  await form.select('Countries to include', ['DE', 'FR']);
  await form.select('Countries to exclude', ['DE']);
  expect((await form.submit()).errors).toMatchObject({
    'Countries to exclude':
      'Germany (DE) cannot be both included and excluded. Remove it from one of the two.',
  });
  await form.select('Countries to exclude', ['IT']);
  await form.next(/now open to workers in Germany \(DE\), France \(FR\), except Italy \(IT\)/);

  await world.marketplace.settings({ retargetWaitSeconds: 3_600 });
  const again = await enters('retarget 12e5', /Countries to include/);
  await again.select('Countries to include', ['ES']);
  await again.select('Countries to exclude', []);
  const refused = await again.next(/Not changed.*can be changed again from/s);
  expect(refused.sent()).toMatch(/<!date\^\d+\^/);
  expect(refused.field('Countries to include')).toBe('Spain (ES)');
  expect(refused.submitLabel).toBe('Try again');

  await world.marketplace.settings({ retargetWaitSeconds: 0 });
  await refused.next(/now open to workers in Spain \(ES\)/);
  expect(await campaign('12e5')).toMatchObject({ targeted_countries: ['ES'], excluded_countries: [] });
});

test('the form for countries changes nothing when it is submitted as it opened, as by a second click on the button before it', async () => {
  const form = await enters('retarget 12e5', /Countries to include/);
  await world.marketplace.clearRequests();
  expect((await form.submit()).errors).toEqual({
    'Countries to include': 'These are its current countries. Change them first, or close this form.',
  });
  expect(await world.marketplace.calls('retarget')).toEqual([]);
});

test('a change of countries that must wait says of which campaign and until when, and keeps the countries', async () => {
  await world.marketplace.patchCampaign('12e5', { targeted_countries: ['US'], excluded_countries: [] });
  await asks('retarget 12e5 US', /now open to workers in United States \(US\)/);
  await world.marketplace.settings({ retargetWaitSeconds: 3_600 });
  const typed = /Photograph a tea shelf.*can be changed again from .*\/campaign retarget 12e5 FR -IT/s;
  const refusal = await asks('retarget 12e5 fr -it', typed);
  expect(refusal.ephemeral).toBe(true);
  expect(refusal.buttons).toEqual([]);

  const form = await enters('retarget 12e5', /Countries to include/);
  await form.select('Countries to include', ['ES']);
  await form.select('Countries to exclude', ['IT']);
  await world.marketplace.delays('retarget', 2_000);
  await (await form.next(/Sending to the marketplace/)).close();
  const chosen = /Photograph a tea shelf.*can be changed again from .*\/campaign retarget 12e5 ES -IT/s;
  await world.ann.sees(place, chosen, { after: refusal.ts });
  expect(await campaign('12e5')).toMatchObject({ targeted_countries: ['US'] });
});

test('a part of a title never restarts or retargets by itself', async () => {
  await world.marketplace.clearRequests();
  const form = await enters('restart coffee 9', /Positions to add/);
  expect(form.field('Positions to add')).toBe('9');
  expect(await world.marketplace.calls('restart_campaign')).toEqual([]);
  const countries = await enters('retarget coffee DE -FR', /Countries to include/);
  expect(countries.field('Countries to include')).toBe('Germany (DE)');
  expect(countries.field('Countries to exclude')).toBe('France (FR)');
  expect(await world.marketplace.calls('retarget')).toEqual([]);
});

test('the positions typed with a title that several campaigns have are kept when one is chosen', async () => {
  const world = await begin({
    scenario: { campaigns: [{ title: 'Job', status: 'FINISHED', repeat: 2 }] },
  });
  const several = await world.ann.asks('/campaign restart job 7', /2 campaigns have “job”/);
  await world.ann.chooses(several, 'Choose a campaign', 'Job 2');
  await world.ann.modal(/7 positions ×/);
});

test('of 1,000 campaigns the right one is found in time, also the first time', async () => {
  const world = await begin({
    scenario: { campaigns: [{ title: 'Job', status: 'FINISHED', repeat: 1_000 }] },
    env: { REVIEW_CHANNEL: undefined },
  });
  const pick = await world.ann.enters('/campaign restart', /Restart a campaign/);
  expect(await pick.types('Campaign', '')).toHaveLength(100);
  expect((await pick.types('Campaign', 'job 999')).map(({ text }) => text.text)).toEqual(['Job 999']);
  expect((await world.ann.asks('/campaign', /1,000 campaigns/)).text).toContain('Page 1 of 100');
});

test('someone without a key gets a Connect button', async () => {
  const world = await begin({
    scenario,
    env: { MARKETPLACE_API_KEY: undefined, REVIEW_CHANNEL: undefined },
  });
  for (const typed of ['', 'status', 'restart 12e5 3', 'results 12e5', 'new', 'submit']) {
    const answer = await world.ann.asks(`/campaign ${typed}`, /connect/i);
    expect(answer.buttons.join()).toMatch(/connect/i);
  }
});
