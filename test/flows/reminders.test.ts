import { expect, test } from 'vitest';
import { place, setsTimeToRate, shelf } from '../harness/acts.ts';
import { worldPerTest } from '../harness/worlds.ts';

const { world, create } = worldPerTest();

test('a reminder is posted once by two processes that die over it', async () => {
  let mayDie = false;
  let deaths = 0;
  await create({
    scenario: { campaigns: [shelf] },
    intervals: { reminderPaceMs: 0 },
    timeouts: { firstRetryMs: 50, lateArrivalMs: 300, requeueAfterMs: 300 },
    faults(passing) {
      if (passing !== 'posted, not recorded' || !mayDie || deaths >= 2) return;
      deaths += 1;
      throw new Error('as if the process had died here');
    },
  });
  await Promise.all([world.startBot(), world.startBot({ PORT: '0' })]);
  const { ann } = world;
  const card = await world.card('a shelf of tea');
  mayDie = true;
  await setsTimeToRate(ann, place, shelf.campaign_id, 1);
  const reminder = await ann.sees(place, /1 task\*? is due within 48 hours/);
  await card.untilText(/Due/);
  expect(deaths).toBeGreaterThan(0);
  const later = await world.card('a shelf of coffee');
  await reminder.untilText(/2 tasks\*? are due within 48 hours/);
  await ann.clicks(card, 'OK');
  await ann.clicks(later, 'OK');
  await reminder.untilText(/No tasks are due within 48 hours/);
  expect(await world.postsOf('reminder')).toHaveLength(1);
});
