import { expect, test } from 'vitest';
import { datetime, place, setsTimeToRate, shelf } from '../harness/acts.ts';
import { dayMs } from '../harness/clock.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const { world, begin } = worldPerTest();

/** A task finished so long ago, and its card. */
const finishedAgo = (proof: string, ms: number) =>
  world.card(proof, { finished_datetime: datetime(Date.now() - ms) });

const rated = () => world.marketplace.calls('/rate_task');

test('a decision near the end of the time to rate leaves in time; another waits for as long as it can be undone', async () => {
  const { ann } = await begin({ scenario: { campaigns: [shelf] }, env: { UNDO_SECONDS: '60' } });
  await setsTimeToRate(ann, place, shelf.campaign_id, 1);
  const fresh = await finishedAgo('handed in now', 0);
  const late = await finishedAgo('handed in a day ago', dayMs - 66_000);
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
