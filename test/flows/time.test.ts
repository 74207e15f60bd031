import type { Seen } from '@proofdesk/slack-sandbox/testing';
import { expect, onTestFinished, test } from 'vitest';
import { aReview, datetime, place, rates, setsTimeToRate, shelf } from '../harness/acts.ts';
import { createRedisClock, dayMs } from '../harness/clock.ts';
import { eventually, type FaultPoint, story, worldPerTest } from '../harness/worlds.ts';

const hourMs = 3_600_000;

const { world, begin, create } = worldPerTest({ scenario: { campaigns: [shelf] } });

/** Submits a task that was finished so long ago, and waits for its card. */
const finishedAgo = (proof: string, hours: number) =>
  world.card(proof, { finished_datetime: datetime(Date.now() - hours * hourMs) });

const reminders = () => world.postsOf('reminder');
let reminder: Seen;

/** Says in the status of the campaign how many days a task may wait. */
async function says(days: string): Promise<Seen> {
  const shown = await world.ann.asks(`/campaign status ${shelf.campaign_id}`, /Photo of a shelf.*Id:/s);
  const form = await world.ann.opens(shown, shown.buttons[0] ?? '', /Days to rate a task/);
  await form.submit({ 'Days to rate a task': days });
  return shown;
}

story('a channel is reminded once of what is due, and the reminder follows what happens', {
  'is asked once in the status of a campaign; its cards and its channel then show what is due': async () => {
    await begin({ intervals: { reminderPaceMs: 0 }, env: { UNDO_SECONDS: '60' } });
    const card = await finishedAgo('a shelf of tea', 10);
    expect(card.text).not.toContain('Due');
    const shown = await says('2');
    await shown.untilText(/Tasks are due after 2 days.*The first one is due/s);
    expect(shown.buttons).toContain('Change deadline');
    await card.untilText(/Due/);
    reminder = await world.ann.sees(place, /1 task\*? is due within 48 hours/);
    expect(reminder.text).toContain('Photo of a shelf');
    await world.ann.asks('/proofdesk audit', /set the rating deadline/);
  },

  'the message follows what happens, and there is one': async () => {
    const soon = await finishedAgo('a shelf of coffee', 44);
    await soon.untilText(/Due/);
    await reminder.untilText(/2 tasks\*? are due within 48 hours.*1\*? within 6 hours/s);
    await world.ann.clicks(soon, 'OK');
    await reminder.untilText(/1 task\*? is due within 48 hours/);
    expect(await reminders()).toHaveLength(1);
  },

  'the message starts a review with what is due first, and a selection': async () => {
    expect(reminder.buttons).toEqual(['Start review', 'Select…']);
    const review = await world.ann.opens(reminder, 'Start review', aReview);
    expect(review.text).toContain('a shelf of tea');
  },

  'is muted and turned on again in the settings of the channel': async () => {
    const { ann } = world;
    const list = await ann.asks('/proofdesk subscriptions', /Reviews? all campaigns|all campaigns/);
    const mute = async (kinds: string[]) => {
      const modal = await ann.opens(list, 'Settings…', /Channel settings/);
      await modal.select('Mute in this channel', kinds);
      await modal.submit();
    };
    await mute(['Due-task reminders']);
    await reminder.untilText(/muted in this channel/);
    await finishedAgo('a shelf of milk', 40);
    await reminder.refresh();
    expect(reminder.text).toMatch(/muted in this channel.*\/proofdesk subscriptions/s);
    await mute([]);
    await reminder.untilText(/2 tasks\*? are due within 48 hours/);
  },

  'the message says so when nothing is due any more, and the next one is a new one': async () => {
    await says('30');
    await reminder.untilText(/No tasks here are due within 48 hours/);
    await says('2');
    await eventually('another reminder', async () => (await reminders()).length === 2);
  },
});

test('a decision near the end of the time to rate leaves in time; another waits for as long as it can be undone', async () => {
  const { ann } = await begin({ env: { UNDO_SECONDS: '60' } });
  await setsTimeToRate(ann, place, shelf.campaign_id, 1);
  const fresh = await finishedAgo('handed in now', 0);
  const late = await finishedAgo('handed in a day ago', 24 - 66_000 / hourMs);
  const rated = () => world.marketplace.calls('/rate_task');
  const before = Date.now();
  await ann.clicks(fresh, 'OK');
  await ann.clicks(late, 'OK');
  // A minute before the marketplace may approve it by itself.
  await eventually('the rating that is due', async () => (await rated()).length > 0, 30_000);
  expect(Date.now() - before).toBeLessThan(30_000);
  await late.untilText(/:white_check_mark: \*OK\* by @Ann/);
  await fresh.refresh();
  expect(fresh.buttons).toEqual([expect.stringMatching(/^Undo (OK|NOK|REVISE) for /)]);
  expect(await rated()).toHaveLength(1);
});

/** Two processes at once. */
const startBoth = () => Promise.all([world.startBot(), world.startBot({ PORT: '0' })]);

/** Lets processes die before they have recorded a post, twice from when they may. */
function deathsOverPosts() {
  const died = { mayDie: false, times: 0 };
  const faults = (passing: FaultPoint) => {
    if (passing !== 'posted, not recorded' || !died.mayDie || died.times >= 2) return;
    died.times += 1;
    throw new Error('as if the process had died here');
  };
  return { died, dying: { faults, timeouts: { firstRetryMs: 50, lateArrivalMs: 300, requeueAfterMs: 300 } } };
}

test('a reminder is posted once by two processes that die over it', async () => {
  const { died, dying } = deathsOverPosts();
  await create({ intervals: { reminderPaceMs: 0 }, ...dying });
  await startBoth();
  const { ann } = world;
  const card = await world.card('a shelf of tea');
  died.mayDie = true;
  await setsTimeToRate(ann, place, shelf.campaign_id, 1);
  const reminder = await ann.sees(place, /1 task\*? is due within 48 hours/);
  await card.untilText(/Due/);
  expect(died.times).toBeGreaterThan(0);
  const later = await world.card('a shelf of coffee');
  await reminder.untilText(/2 tasks\*? are due within 48 hours/);
  await ann.clicks(card, 'OK');
  await ann.clicks(later, 'OK');
  await reminder.untilText(/No tasks here are due within 48 hours/);
  expect(await world.postsOf('reminder')).toHaveLength(1);
});

test('a day is summed up once, by processes that die over it after an outage at its time, and a day of nothing is not', async () => {
  const clock = createRedisClock();
  onTestFinished(clock.remove);
  const { died, dying } = deathsOverPosts();
  const { ann, ben, marketplace } = await create({
    scenario: { campaigns: [{ ...shelf, payment_per_task: '0.50' }] },
    redisClock: clock,
    ...dying,
  });
  await world.startBot();
  const card = await world.card('a shelf of tea');
  const other = await world.card('no shelf at all');
  await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by/);
  await rates(ben, other, 'NOK', 'There is no shelf');
  await other.untilText(/:x: \*NOK\* by/);
  await world.stopBots();

  // Nobody was there at the time of the summary.
  died.mayDie = true;
  clock.shift(dayMs);
  await startBoth();
  const summary = await ann.sees(place, /Reviewed: 2 tasks/);
  expect(summary.buttons).toEqual(['Start review', 'Select…']);
  expect(summary.text).toMatch(/OK 1 · NOK 1/);
  expect(summary.text).toMatch(/Paid: 0\.50/);
  expect(summary.text).toMatch(/In the reviewer’s own words \(NOK\): 1 task/);
  expect(summary.raw.text).toMatch(/U01ANN.*1 task.*U02BEN.*1 task/s);
  const types = summary.raw.blocks.map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(['data_visualization', 'table']));
  await marketplace.polls(4);
  expect(died.times).toBeGreaterThan(0);
  expect(await world.postsOf('daily')).toHaveLength(1);

  // Days on which nothing happened.
  await world.stopBots();
  clock.shift(3 * dayMs);
  await startBoth();
  await marketplace.polls(4);
  expect(await world.postsOf('daily')).toHaveLength(1);
});
