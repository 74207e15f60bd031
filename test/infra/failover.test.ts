import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FaultPoint, startWorld, type World } from '../harness/world.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;

let world: World;
/** What happens once when the bot passes a point. */
let atPoint: Partial<Record<FaultPoint, () => Promise<void>>> = {};
/** What happens there now: another job that passes meanwhile waits for it too, or it would be a third one that sends. */
let happening: Partial<Record<FaultPoint, Promise<void>>> = {};
beforeEach(async () => {
  atPoint = {};
  happening = {};
  world = await startWorld({
    scenario: { campaigns: [shelf] },
    timeouts: { marketplaceMs: 2_000, sendLeaseMs: 5_000 },
    async faults(passing) {
      const happens = atPoint[passing];
      delete atPoint[passing];
      if (happens !== undefined) happening[passing] = happens();
      await happening[passing];
    },
  });
});
afterEach(() => world?.close());

const submit = async (proof: string): Promise<string> => {
  const [task = ''] = await world.marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof] });
  return task;
};
/** Counts the calls that rated a task, accepted or not. */
const timesRated = async () =>
  (await world.marketplace.requests()).filter(({ path }) => /rate_tasks?\b/.test(path)).length;

test('a decision that is in no copy, but was sent by a process that lives, is shown as the one who made it sent it', async () => {
  await submit('to be rated');
  const card = await world.ann.sees('C01REVIEW', /to be rated/);
  atPoint['sent, not recorded'] = await world.redis.copy();
  await world.ann.clicks(card, 'OK', { wait: false });
  await card.untilText(/white_check_mark.*OK\* by @Ann/);
  await world.settled();
  expect(await timesRated()).toBe(1);
  expect(card.text).not.toMatch(/outside of Slack|not known/);
});

test('a decision that was sent by a process that died with the primary is read back, and not sent again', async () => {
  const task = await submit('to be rated');
  const card = await world.ann.sees('C01REVIEW', /to be rated/);
  atPoint['claimed, not sent'] = async () => {
    const failOver = await world.redis.copy();
    atPoint['sent, not recorded'] = async () => {
      await failOver();
      throw new Error('the process is gone');
    };
  };
  await world.ann.clicks(card, 'OK');
  await card.untilText(/white_check_mark.*OK\* by @Ann/);
  expect((await world.marketplace.task(task)).task_rating).toBe('OK');
  await world.settled();
  expect(await timesRated()).toBe(1);
});
