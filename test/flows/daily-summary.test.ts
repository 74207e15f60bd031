import { expect, onTestFinished, test } from 'vitest';
import { rates, place as review, shelf } from '../harness/acts.ts';
import { createRedisClock, dayMs } from '../harness/clock.ts';
import { worldPerTest } from '../harness/worlds.ts';

const { world, create } = worldPerTest();

/** Two processes at once. */
const startBoth = () => Promise.all([world.startBot(), world.startBot({ PORT: '0' })]);

test('a day is summed up once, by processes that die over it after an outage at its time, and a day of nothing is not', async () => {
  const clock = createRedisClock();
  onTestFinished(clock.remove);
  let mayDie = false;
  let deaths = 0;
  const { ann, ben, marketplace } = await create({
    scenario: { campaigns: [{ ...shelf, payment_per_task: '0.50' }] },
    redisClock: clock,
    timeouts: { firstRetryMs: 50, lateArrivalMs: 300, requeueAfterMs: 300 },
    faults(passing) {
      if (passing !== 'posted, not recorded' || !mayDie || deaths >= 2) return;
      deaths += 1;
      throw new Error('as if the process had died here');
    },
  });
  await world.startBot();
  const card = await world.card('a shelf of tea');
  const other = await world.card('no shelf at all');
  await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by/);
  await rates(ben, other, 'NOK', 'There is no shelf');
  await other.untilText(/:x: \*NOK\* by/);
  await world.stopBots();

  // Nobody was there at the time of the summary.
  mayDie = true;
  clock.shift(dayMs);
  await startBoth();
  const summary = await ann.sees(review, /Reviewed: 2 tasks/);
  expect(summary.buttons).toEqual(['Start review', 'Select…']);
  expect(summary.text).toMatch(/OK 1 · NOK 1/);
  expect(summary.text).toMatch(/Paid: 0\.50/);
  expect(summary.text).toMatch(/In the reviewer’s own words \(NOK\): 1 task/);
  expect(summary.raw.text).toMatch(/U01ANN.*1 task.*U02BEN.*1 task/s);
  const types = summary.raw.blocks.map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(['data_visualization', 'table']));
  await marketplace.polls(4);
  expect(deaths).toBeGreaterThan(0);
  expect(await world.postsOf('daily')).toHaveLength(1);

  // Days on which nothing happened.
  await world.stopBots();
  clock.shift(3 * dayMs);
  await startBoth();
  await marketplace.polls(4);
  expect(await world.postsOf('daily')).toHaveLength(1);
});
