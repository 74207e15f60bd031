import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
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
    timeouts: { marketplaceMs: 2_000 },
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
const cardsOfTask = async (task: string) =>
  (await world.ann.reads('C01REVIEW')).filter(({ raw }) => raw.metadata?.event_payload.task === task);
/** Counts the calls that rated a task, accepted or not. */
const timesRated = async () =>
  (await world.marketplace.requests()).filter(({ path }) => /rate_tasks?\b/.test(path)).length;

/** Has something happen when the job of the next decision has found it due: others may look before there is one. */
function whenFoundDue(happens: () => Promise<void>): void {
  atPoint['redraw queued, send not'] = async () => {
    atPoint['due found'] = happens;
  };
}

test('tasks whose records went with the primary have their cards, though their import ended after the failover', async () => {
  await submit('known to both');
  await world.ann.sees('C01REVIEW', /known to both/);
  const failOver = await world.redis.copy();
  atPoint['rows stored, import not recorded'] = failOver;
  await submit('known to the primary alone');
  await world.ann.sees('C01REVIEW', /known to the primary alone/);
  for (const task of (await world.marketplace.state()).tasks) {
    expect(await cardsOfTask(task.task_id)).toHaveLength(1);
  }
});

test('a card that the replica still wants is not posted again', async () => {
  let failOver = async () => {};
  atPoint['task stored, card job not queued'] = async () => {
    failOver = await world.redis.copy();
  };
  const task = await submit('posted by then');
  const card = await world.ann.sees('C01REVIEW', /posted by then/);
  await failOver();
  await submit('a later one');
  await world.ann.sees('C01REVIEW', /a later one/);
  await world.settled();
  expect(await cardsOfTask(task)).toHaveLength(1);
  await world.ann.clicks(card, 'OK');
  await card.untilText(/OK\* by @Ann/);
});

test('a decision that was sent while the primary went is shown as the one who made it sent it, and sent once', async () => {
  const task = await submit('to be rated');
  const card = await world.ann.sees('C01REVIEW', /to be rated/);
  let failOver = async () => {};
  whenFoundDue(async () => {
    failOver = await world.redis.copy();
    atPoint['sent, not recorded'] = failOver;
  });
  await world.ann.clicks(card, 'OK');
  await card.untilText(/white_check_mark.*OK\* by @Ann/);
  await eventually('the rating', async () => (await world.marketplace.task(task)).task_rating === 'OK');
  await world.settled();
  expect(await timesRated()).toBe(1);
  expect(card.text).not.toMatch(/outside of Slack/);
});

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

test('a decision that another process has sent is read back by one that found it due before the failover, and not sent again', async () => {
  const task = await submit('to be rated');
  const card = await world.ann.sees('C01REVIEW', /to be rated/);
  whenFoundDue(async () => {
    const failOver = await world.redis.copy();
    // The other process: what it has claimed is not in the copy.
    const sent = await fetch(`${world.marketplaceUrl}/campaign_hg/rate_task/${shelf.campaign_id}`, {
      method: 'PUT',
      headers: { ServiceApiKey: 'employer-demo-key' },
      body: new URLSearchParams({ id_task: task, rating: 'OK' }),
    });
    expect(sent.status).toBe(200);
    await failOver();
  });
  await world.ann.clicks(card, 'OK');
  await card.untilText(/white_check_mark.*OK\* by @Ann/);
  await world.settled();
  expect(await timesRated()).toBe(1);
  expect(card.text).not.toMatch(/outside of Slack/);
});

test('a decision that was sent by a process that died with the primary is read back, and not sent again', async () => {
  const task = await submit('to be rated');
  const card = await world.ann.sees('C01REVIEW', /to be rated/);
  whenFoundDue(async () => {
    const failOver = await world.redis.copy();
    atPoint['sent, not recorded'] = async () => {
      await failOver();
      throw new Error('the process is gone');
    };
  });
  await world.ann.clicks(card, 'OK');
  await card.untilText(/white_check_mark.*OK\* by @Ann/);
  expect((await world.marketplace.task(task)).task_rating).toBe('OK');
  await world.settled();
  expect(await timesRated()).toBe(1);
});
