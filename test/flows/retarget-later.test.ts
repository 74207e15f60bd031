import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Seen } from '../harness/slack.ts';
import { startWorld, type World } from '../harness/world.ts';

const scenario = {
  campaigns: [
    { campaign_id: '12e5', title: 'Photograph a tea shelf', status: 'RUNNING', targeted_countries: ['US'] },
    { campaign_id: 'c0ffee', title: 'Visit a coffee shop', status: 'RUNNING', targeted_countries: ['US'] },
  ],
};
const place = 'C01REVIEW';
const direct = 'D01ANN';

describe('a change of countries that is made later', () => {
  const transport = 'socket';
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ scenario, transport });
  });
  afterAll(() => world.close());
  afterEach(() => Promise.all([world.marketplace.clearFaults(), world.slack.clearFaults()]));

  const targeted = async (id: string) =>
    (await world.marketplace.state()).campaigns.find(({ campaign_id }) => campaign_id === id)
      ?.targeted_countries;
  const changes = async () =>
    (await world.marketplace.requests()).filter(
      ({ path, form }) => path.includes('retarget') && [form['countries[]']].flat().includes('FR'),
    );
  async function asks(text: string, pattern: RegExp): Promise<Seen> {
    const before = (await world.ann.reads(place)).at(-1)?.ts ?? '';
    await world.ann.types(place, text);
    return world.ann.sees(place, pattern, { after: before });
  }
  /** A change to `country` is refused until `seconds` from now. */
  async function refused(id: string, country: string, seconds: number): Promise<Seen> {
    await world.marketplace.settings({ retargetWaitSeconds: 0 });
    await asks(`/campaign retarget ${id} US`, /now open to workers in United States \(US\)/);
    await world.marketplace.settings({ retargetWaitSeconds: seconds });
    return asks(`/campaign retarget ${id} ${country}`, /can be changed again from/);
  }

  async function cancelAll(): Promise<void> {
    const list = await asks('/campaign retarget', /country changes? (is|are) planned/);
    await (await world.ann.modal(/Change countries/)).close();
    await world.ann.clicks(list, 'Cancel');
    await list.untilText(/is canceled/);
  }

  test('is offered on the refusal, made once after a restart of the bot, and told privately', async () => {
    await world.marketplace.clearRequests();
    const refusal = await refused('12e5', 'FR', 4);
    expect(refusal.buttons).toEqual(['Schedule this change']);
    await world.ann.clicks(refusal, 'Schedule this change');
    await refusal.untilText(/will be changed .*1 country change is planned/s);
    expect(refusal.text).toContain('to France (FR). Requested by @Ann');

    await world.stopBots();
    await world.startBot();
    const told = await world.ann.sees(direct, /As planned: .*tea shelf.* were changed.*France \(FR\)/);
    expect(told.ephemeral).toBe(false);
    expect(await targeted('12e5')).toEqual(['FR']);
    expect((await changes()).map(({ applied }) => applied)).toEqual([false, true]);
    await world.ann.types(place, '/campaign retarget');
    await (await world.ann.modal(/Change countries/)).close();
  });

  test('is offered in the form too, with what is chosen there; listed; and taken back by Cancel', async () => {
    await refused('c0ffee', 'FR', 3_600);
    await world.ann.types(place, '/campaign retarget c0ffee');
    const form = await world.ann.modal(/Countries to include/);
    await form.select('Countries to include', ['ES']);
    await form.submit();
    const again = await world.ann.modal(/Not changed/);
    await again.select('Countries to include', ['DE', 'IT']);
    await again.clicks('Schedule this change');
    const planned = await world.ann.modal(/will be changed .*result in a direct message/s);
    await planned.close();

    const list = await asks('/campaign retarget', /1 country change is planned/);
    await (await world.ann.modal(/Change countries/)).close();
    expect(list.text).toMatch(/Visit a coffee shop.*to Germany \(DE\), Italy \(IT\)/s);
    await world.marketplace.settings({ retargetWaitSeconds: 0 });
    await world.ann.clicks(list, 'Cancel');
    await list.untilText(/is canceled\. Nothing was changed/);
    expect(list.buttons).toEqual([]);
    expect(await targeted('c0ffee')).toEqual(['US']);
  });

  test('planned in a form that is closed meanwhile is told where it was asked', async () => {
    await refused('c0ffee', 'FR', 3_600);
    await world.ann.types(place, '/campaign retarget c0ffee');
    const form = await world.ann.modal(/Countries to include/);
    await form.select('Countries to include', ['ES']);
    await form.submit();
    const again = await world.ann.modal(/Not changed/);
    const before = (await world.ann.reads(place)).at(-1)?.ts ?? '';
    await world.slack.fault({ match: { method: 'views.update' }, kind: 'latency', delayMs: 9_000 });
    await again.clicks('Schedule this change');
    await again.close();
    await world.slack.clearFaults();
    const told = await world.ann.sees(place, /will be changed .*To cancel it, type/s, { after: before });
    expect(told.ephemeral).toBe(true);
    expect((await world.ann.reads(direct)).map(({ text }) => text).join('\n')).not.toContain('went wrong');
    await cancelAll();
  });

  test('stands in the status of its campaign, and is canceled there', async () => {
    const refusal = await refused('c0ffee', 'FR', 3_600);
    // The message cannot be changed any more: what was done is said anew.
    await world.slack.fault({ match: { method: 'response_url' }, kind: '500' });
    await world.ann.clicks(refusal, 'Schedule this change');
    await world.ann.sees(place, /The countries of \*?Visit a coffee shop\*? will be changed/, {
      after: refusal.ts,
    });

    expect((await asks('/campaign status 12e5', /tea shelf.*Running/s)).text).not.toContain(
      'will be changed',
    );
    const status = await asks('/campaign status c0ffee', /Its countries will be changed/);
    expect(status.text).toMatch(/will be changed.* to France \(FR\)\. Requested by @Ann/s);
    await world.ann.clicks(status, 'Cancel');
    await status.untilText(/is canceled\. Nothing was changed\..*Visit a coffee shop.*Running/s);
    expect(status.text).not.toContain('will be changed');
    expect(status.buttons).toEqual(['Set time to rate', 'Change countries', 'Results']);
    await asks('/campaign status c0ffee', /Countries: United States \(US\)/);
  });

  test('refused once more offers the new time; one that is pressed twice is planned once', async () => {
    const refusal = await refused('12e5', 'FR', 4);
    // The change is refused once more at its time, which is before this one.
    await world.marketplace.settings({ retargetWaitSeconds: 8 });
    await world.slack.fault({ match: { delivery: 'block_actions' }, kind: 'twice' });
    await world.ann.clicks(refusal, 'Schedule this change');
    await refusal.untilText(/1 country change is planned/);
    const told = await world.ann.sees(
      direct,
      /planned country change .* was not made.*can be changed again from/s,
    );
    expect(told.buttons).toEqual(['Schedule this change']);
    await world.ann.clicks(told, 'Schedule this change');
    await world.ann.sees(direct, /As planned: /, { after: told.ts });
    expect(await targeted('12e5')).toEqual(['FR']);
  });

  test('of which nobody knows whether it was made is not sent again', async () => {
    const refusal = await refused('c0ffee', 'FR', 3);
    await world.marketplace.clearRequests();
    await world.marketplace.fault({ match: { path: 'retarget' }, kind: 'drop-after' });
    await world.ann.clicks(refusal, 'Schedule this change');
    await world.ann.sees(
      direct,
      /the countries of \*?Visit a coffee shop\*? may or may not have been changed.*was not repeated/s,
    );
    expect(await changes()).toHaveLength(1);
  });
});
