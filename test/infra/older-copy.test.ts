import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { queuePrefixOf } from '../../src/jobs/queue-prefix.ts';
import { eventually } from '../harness/eventually.ts';
import { storedTask } from '../harness/stored-task.ts';
import { worldPerTest } from '../harness/world-per-test.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const worlds = worldPerTest({ scenario: { campaigns: [shelf] }, timeouts: { marketplaceMs: 2_000 } });

async function submit(proof: string) {
  const { ann, marketplace } = worlds.current();
  const [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof] });
  return { task, card: await ann.sees('C01REVIEW', new RegExp(proof)) };
}
const rating = async (task: string) => (await worlds.current().marketplace.task(task)).task_rating;
/** Waits until Redis has it that a decision is a rating: no process waits for the answer any more. */
const applied = (task: string) =>
  eventually('the rating', async () =>
    (await storedTask(worlds.current().redis.url, task))?.includes('"state":"applied"'),
  );
/** Waits until no card is to be drawn again: what the bot was about to draw when its data went is not the point here. */
async function drawn(): Promise<void> {
  const client = new Redis(worlds.current().redis.url);
  const stale = async () => {
    const keys = await client.keys('proofdesk:*:tasks:needs-render');
    return (await Promise.all(keys.map((key) => client.zcard(key)))).some((count) => count > 0);
  };
  await eventually('every card to be drawn', async () => !(await stale()));
  client.disconnect();
}
/**
 * Waits until Slack has refused a card that says nobody knows who rated: a process that still has in memory what was lost
 * could otherwise show who it was, as soon as Slack takes cards again.
 */
const drawnWithoutReviewer = () =>
  eventually('a card that does not say who rated', async () => {
    const refused = await worlds.current().slack.requests({ method: 'chat.update', status: 500 });
    return refused.some(({ args }) => JSON.stringify(args).includes('Who rated is not known'));
  });
const timesRated = async () =>
  (await worlds.current().marketplace.requests()).filter(({ path }) => path.includes('/rate_task')).length;
const cardsOfTask = async (task: string) =>
  (await worlds.current().ann.reads('C01REVIEW')).filter(
    ({ raw }) => raw.metadata?.event_payload.task === task,
  );

test('what was decided and rated since the copy is shown as what it was: read back from the cards', async () => {
  const { ann, ben, marketplace, redis } = await worlds.begin();
  const before = await submit('posted before the copy');
  const restore = await redis.copy();
  const after = await submit('posted after the copy');
  await marketplace.write({ subject: 'A question since' });
  await ann.sees('C01REVIEW', /A question since/);
  await ann.clicks(before.card, 'OK');
  await before.card.untilText(/white_check_mark.*OK\* by @Ann/);
  await ben.clicks(after.card, 'OK');
  await after.card.untilText(/white_check_mark.*OK\* by @Ben/);
  await restore();

  // The later one comes when all that was there is recovered.
  await submit('a later one');
  await before.card.untilText(/white_check_mark.*OK\* by @Ann/);
  await after.card.untilText(/white_check_mark.*OK\* by @Ben/);
  await worlds.current().settled();
  for (const { task, card } of [before, after]) {
    await card.refresh();
    expect(card.text).not.toMatch(/outside of Slack/);
    expect(await cardsOfTask(task)).toHaveLength(1);
  }
  expect(await timesRated()).toBe(2);
  const announced = (await ann.reads('C01REVIEW')).filter(({ text }) => /A question since/.test(text));
  expect(announced).toHaveLength(1);
});

test('a decision that waited to be sent when it was lost is restored from its card, and sent once', async () => {
  const { ann, redis } = await worlds.begin({ env: { UNDO_SECONDS: '6' } });
  const { task, card } = await submit('to be decided');
  const restore = await redis.copy();
  await ann.clicks(card, 'NOK');
  const modal = await ann.modal(/Refuse this task/);
  await modal.fill('Why is it refused?', 'Not a shelf');
  await modal.submit();
  await card.untilText(/hourglass.*NOK\* by @Ann/);
  await drawn();
  await restore();

  await card.untilText(/:x:.*NOK\* by @Ann.*Not a shelf/);
  expect(await rating(task)).toBe('NOK');
  expect(await timesRated()).toBe(1);
});

test('a rating whose decision was lost before its card showed it is not said to be made outside of Slack', async () => {
  const { ann, redis, slack } = await worlds.begin();
  const { task, card } = await submit('decided in Slack');
  const restore = await redis.copy();
  await slack.fault({ match: { method: 'chat.update' }, kind: '500', times: 0 });
  await ann.clicks(card, 'OK', { wait: false });
  await applied(task);
  await restore();
  await drawnWithoutReviewer();
  await slack.clearFaults();

  await card.untilText(/\*OK\*.*Who rated is not known/);
  expect(card.text).not.toMatch(/outside of Slack/);
  expect(await timesRated()).toBe(1);
});

test('a decision whose call is under way when it is lost is stored again by the process that sends it', async () => {
  const { ann, marketplace, redis, slack } = await worlds.begin();
  const { task, card } = await submit('decided in Slack');
  const restore = await redis.copy();
  await slack.fault({ match: { method: 'chat.update' }, kind: '500', times: 0 });
  await marketplace.fault({ match: { path: 'rate_task' }, kind: 'slow-after', delayMs: 5_000 });
  await ann.clicks(card, 'OK', { wait: false });
  await eventually('the rating', async () => (await rating(task)) === 'OK');
  await restore();
  await slack.clearFaults();

  await card.untilText(/white_check_mark.*\*OK\* by @Ann/);
  expect(card.text).not.toMatch(/Who rated is not known/);
  expect(await timesRated()).toBe(1);
});

test('whoever decides on what a lost decision has rated is not told that it was rated outside of Slack', async () => {
  const { ann, ben, redis, slack } = await worlds.begin();
  const { task, card } = await submit('decided twice');
  const restore = await redis.copy();
  await slack.fault({ match: { method: 'chat.update' }, kind: '500', times: 0 });
  await ann.clicks(card, 'OK', { wait: false });
  await applied(task);
  await restore();
  // His card still has its buttons.
  await ben.clicks(card, 'NOK');
  const modal = await ben.modal(/Refuse this task/);
  await modal.fill('Why is it refused?', 'Not a shelf');
  await modal.submit();
  await drawnWithoutReviewer();
  await slack.clearFaults();

  await card.untilText(/\*OK\*.*Who rated is not known/);
  expect(card.text).not.toMatch(/outside of Slack/);
  expect(await timesRated()).toBe(1);
});

test('a decision that was undone since the copy is not made again', async () => {
  const { ann, redis } = await worlds.begin({ env: { UNDO_SECONDS: '120' } });
  const { task, card } = await submit('decided too early');
  await ann.clicks(card, 'OK');
  await card.untilText(/hourglass.*OK\* by @Ann/);
  const restore = await redis.copy();
  await ann.clicks(card, 'Undo');
  await card.until(({ buttons }) => buttons.includes('OK'));
  await restore();

  await submit('a later one');
  await eventually('the decision to be gone', async () => {
    const stored = await storedTask(redis.url, task);
    return stored !== undefined && !stored.includes('"decision":');
  });
  await worlds.current().settled();
  await card.refresh();
  expect(card.buttons).toContain('OK');
  expect(await rating(task)).toBe('NOTRATED');
});

test('after FLUSHALL the account and channel of the environment work again, and no card is doubled', async () => {
  const { ann, redis } = await worlds.begin();
  const open = await submit('still open');
  const rated = await submit('rated by then');
  await ann.clicks(rated.card, 'OK');
  await rated.card.untilText(/white_check_mark.*OK\* by @Ann/);
  const client = new Redis(redis.url);
  await client.flushall();
  client.disconnect();

  await submit('a later one');
  await ann.sees('C01REVIEW', /database was emptied/);
  await ann.clicks(open.card, 'OK');
  await open.card.untilText(/white_check_mark.*OK\* by @Ann/);
  await rated.card.untilText(/white_check_mark.*OK\* by @Ann/);
  for (const { task } of [open, rated]) expect(await cardsOfTask(task)).toHaveLength(1);
  await ann.opensHome();
  await (await ann.home(/Needs attention.*database was emptied/s)).clicks('Done');
  await eventually(
    'Home',
    async () => !(await ann.home(/No tasks|tasks?\* waits?/)).text.includes('Needs attention'),
  );
  await eventually('the rating', async () => (await rating(open.task)) === 'OK');
});

test('an account whose polls were lost alone, or stopped while its data were being restored, is polled again', async () => {
  const { marketplace, redis } = await worlds.begin();
  await submit('before the loss');
  const client = new Redis(redis.url);
  const lost = await client.keys('{proofdesk:queue:polls}:polls:*');
  await client.del('proofdesk:polled-accounts', ...lost);
  client.disconnect();
  expect(lost).not.toEqual([]);

  const polls = async () =>
    (await marketplace.requests()).filter(({ path }) => path.includes('list_extend')).length;
  const before = await polls();
  await eventually('more polls than one that was under way', async () => (await polls()) > before + 3);
  await submit('after the loss');
  const queue = new Queue('polls', { connection: { url: redis.url }, prefix: queuePrefixOf('polls') });
  await eventually('the daily jobs to repeat again', async () => {
    const repeated = (await queue.getJobSchedulers()).map(({ name }) => name);
    return repeated.includes('expire-audit') && repeated.includes('remove-old-data');
  });
  await queue.close();
});

test('that everything was lost is said once, also when Slack takes no message at that moment', async () => {
  const { ann, redis, slack } = await worlds.begin();
  await submit('before the loss');
  await drawn();
  await slack.fault({ match: { method: 'chat.postMessage' }, kind: '500', times: 0 });
  const client = new Redis(redis.url);
  await client.flushall();
  client.disconnect();
  await eventually('a message that Slack does not take', async () => {
    const failed = await slack.requests({ method: 'chat.postMessage', status: 500 });
    return failed.some(({ args }) => JSON.stringify(args).includes('database was emptied'));
  });
  await slack.clearFaults();
  await ann.sees('C01REVIEW', /database was emptied/);
  await submit('after the loss');
  const told = (await ann.reads('C01REVIEW')).filter(({ text }) => /database was emptied/.test(text));
  expect(told).toHaveLength(1);
});
