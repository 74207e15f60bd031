import { beforeEach, expect, test } from 'vitest';
import { shelf } from '../harness/acts.ts';
import type { FaultPoint } from '../harness/world.ts';
import { worldPerTest } from '../harness/worlds.ts';

/** What happens once when the bot passes a point. */
let atPoint: Partial<Record<FaultPoint, () => Promise<void>>> = {};
/** What happens there now: another job that passes meanwhile waits for it too, or it would be a third one that sends. */
let happening: Partial<Record<FaultPoint, Promise<void>>> = {};
const { world, begin } = worldPerTest({
  scenario: { campaigns: [shelf] },
  env: { UNDO_SECONDS: '2' },
  timeouts: { marketplaceMs: 2_000, sendLeaseMs: 5_000 },
  async faults(passing) {
    const happens = atPoint[passing];
    delete atPoint[passing];
    if (happens !== undefined) happening[passing] = happens();
    await happening[passing];
  },
});
beforeEach(async () => {
  atPoint = {};
  happening = {};
  await begin();
});

/** Returns the ratings that the marketplace has accepted for a task, oldest first. */
const ratingsOf = async (task: string) =>
  (await world.marketplace.task(task)).history
    .filter(({ by }) => by === 'api')
    .map(({ task_rating }) => task_rating);

test.each(['lives', 'dies'])(
  'a decision that was sent while the primary went is the rating, once, and its maker’s, if the process %s',
  async (process) => {
    const { task, card } = await world.taskWithCard('to be rated');
    await world.ann.clicks(card, 'OK', /hourglass.*OK\* by @Ann/);
    const failOver = await world.redis.copy();
    atPoint['sent, not recorded'] = async () => {
      await failOver();
      if (process === 'dies') throw new Error('the process is gone');
    };
    await card.untilText(/white_check_mark.*OK\* by @Ann/);
    await world.settled();
    expect(await ratingsOf(task)).toEqual(['OK']);
    expect(card.text).not.toMatch(/outside of Slack/);
  },
);
