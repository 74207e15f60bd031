import type { Seen } from '@proofdesk/slack-sandbox/testing';
import { expect } from 'vitest';
import { aReview, datetime, place, shelf } from '../harness/acts.ts';
import { eventually, sharedWorld, story } from '../harness/worlds.ts';

const campaign = { ...shelf, payment_per_task: '0.25000', available_positions: 200 };
const world = sharedWorld({
  scenario: { campaigns: [campaign] },
  intervals: { reminderPaceMs: 0 },
  env: { UNDO_SECONDS: '60' },
});

/** Submits a task that was finished so many hours ago, and waits for its card. */
const finishedAgo = (proof: string, hours: number) =>
  world.card(proof, { finished_datetime: datetime(Date.now() - hours * 3_600_000) });

const reminders = () => world.postsOf('reminder');
let reminder: Seen;

const status = () => world.ann.asks(`/campaign status ${shelf.campaign_id}`, /Photo of a shelf.*Id:/s);

async function says(days: string): Promise<Seen> {
  const shown = await status();
  const form = await world.ann.opens(shown, shown.buttons[0] ?? '', /Days to rate a task/);
  await form.submit({ 'Days to rate a task': days });
  return shown;
}

story('a channel is reminded once of what is due, and the reminder follows what happens', {
  'is asked once in the status of a campaign; its cards and its channel then show what is due': async () => {
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
    await reminder.untilText(/No tasks are due within 48 hours/);
    await says('2');
    await eventually('another reminder', async () => (await reminders()).length === 2);
  },
});
