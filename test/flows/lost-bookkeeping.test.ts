import { expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { nextSecond } from '../harness/next-second.ts';
import { worldPerTest } from '../harness/world-per-test.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const worlds = worldPerTest({ scenario: { campaigns: [shelf] } });

async function submit(proof: string) {
  const { ann, marketplace } = worlds.current();
  const [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof] });
  return { task, card: await ann.sees('C01REVIEW', new RegExp(proof)) };
}

/** Everything Redis knew is gone, as when it is set up anew. */
async function loseBookkeeping(): Promise<void> {
  const { redis, startBot, stopBots } = worlds.current();
  await stopBots();
  await redis.isEmptied();
  await startBot();
}

const cardsOfTask = async (task: string) =>
  (await worlds.current().ann.reads('C01REVIEW')).filter(
    ({ raw }) => raw.metadata?.event_payload.task === task,
  );
const cardsOf = async (pattern: RegExp) =>
  (await worlds.current().ann.reads('C01REVIEW')).filter(({ text }) => pattern.test(text));

test('cards that stand in the channel are taken up again, and none is posted twice', async () => {
  const { ann, marketplace } = await worlds.begin();
  const first = await submit('first proof');
  await submit('second proof');
  await submit('third proof');

  await loseBookkeeping();
  // What comes in afterwards has its card after all that was there has been taken in.
  await submit('a later one');
  const cards = (await ann.reads('C01REVIEW')).filter(({ buttons }) => buttons.includes('OK'));
  expect(cards).toHaveLength(4);

  await ann.clicks(first.card, 'OK');
  await first.card.untilText(/OK\* by @Ann/);
  await eventually('the rating', async () => (await marketplace.task(first.task)).task_rating === 'OK');
});

test('the card of a corrected task keeps its round', async () => {
  const { ann, marketplace } = await worlds.begin();
  const { task, card } = await submit('blurred');
  await ann.clicks(card, 'REVISE');
  const modal = await ann.modal(/Ask for a revision/);
  await modal.fill('What should be corrected?', 'Hold still');
  await modal.submit();
  await card.untilText(/REVISE\* by @Ann.*Hold still/s);
  await eventually('REVISE', async () => (await marketplace.task(task)).task_rating === 'REVISE');
  await marketplace.correct(task, ['sharp']);
  const next = await ann.sees('C01REVIEW', /sharp/);

  await loseBookkeeping();
  await ann.clicks(next, 'OK');
  await next.untilText(/OK\* by @Ann/);
  await eventually('the rating', async () => (await marketplace.task(task)).task_rating === 'OK');
  const rounds = (await cardsOfTask(task)).map(({ raw }) => raw.metadata?.event_payload.round);
  expect(rounds).toEqual([1, 2]);
});

test('a copy of a moment ago does not post again what was posted since, and what was rated since is shown', async () => {
  const world = await worlds.begin();
  const { ann, marketplace } = world;
  await submit('before the copy');
  await world.stopBots();
  const restore = await world.redis.copy();
  await world.startBot();
  const open = await submit('after the copy');
  const rated = await submit('rated after the copy');
  await world.stopBots();
  await marketplace.rate(rated.task, 'NOK', 'Not a shelf');
  await restore();

  await world.startBot();
  // Somebody may have decided in Slack, too: Redis has lost what was stored then.
  await rated.card.untilText(/\*NOK\*.*Who rated is not known/);
  await submit('a later one');
  // The card of a settled task does not show its proof any more.
  for (const { task } of [open, rated]) expect(await cardsOfTask(task)).toHaveLength(1);
  await ann.clicks(open.card, 'OK');
  await open.card.untilText(/OK\* by @Ann/);
  expect(await cardsOf(/before the copy|a later one/)).toHaveLength(2);
});

test('the card of a correction that a copy does not know yet is not posted again', async () => {
  const world = await worlds.begin();
  const { ann, marketplace } = world;
  const { task, card } = await submit('blurred');
  await world.stopBots();
  const restore = await world.redis.copy();
  await world.startBot();
  await marketplace.rate(task, 'REVISE', 'Hold still');
  await card.untilText(/\*REVISE\*, rated outside of Slack/);
  await nextSecond();
  await marketplace.correct(task, ['sharp']);
  const next = await ann.sees('C01REVIEW', /sharp/);
  await world.stopBots();
  await restore();

  await world.startBot();
  await submit('a later one');
  await ann.clicks(next, 'OK');
  await next.untilText(/OK\* by @Ann/);
  // That of each round.
  expect(await cardsOfTask(task)).toHaveLength(2);
});

test('when Redis comes back without the latest, while the bot runs on, nothing is posted twice', async () => {
  const { redis } = await worlds.begin();
  await submit('before the copy');
  const restore = await redis.copy();
  await submit('just before');
  await restore();

  await submit('a later one');
  expect(await cardsOf(/just before/)).toHaveLength(1);
});
