import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { finishedShop as finished, previewsCampaign, rates, restarts, shelf } from '../harness/acts.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const { world, begin } = worldPerTest({
  scenario: { campaigns: [shelf] },
  timeouts: { marketplaceMs: 2_000 },
  intervals: { schedulersMs: 1_000 },
});

const ratingsOf = async (task: string) =>
  (await world.marketplace.task(task)).history
    .filter(({ by }) => by === 'api')
    .map(({ task_rating }) => task_rating);
const cardsOfTask = async (task: string) =>
  (await world.postsOf('card')).filter(({ raw }) => raw.metadata?.event_payload.task === task);

test('a REVISE that was in flight when the last seconds were lost is not applied to the corrected proof', async () => {
  const { ann, marketplace, redis, startBot, stopBots } = await begin({ env: { UNDO_SECONDS: '2' } });
  const { task, card } = await world.taskWithCard('blurred');
  await rates(ann, card, 'REVISE', 'Hold still');
  await card.untilText(/hourglass.*REVISE\* by @Ann/);
  const restore = await redis.copy();
  await marketplace.rated(task, 'REVISE');
  const dueAt = Date.now();
  await stopBots();
  await marketplace.correct(task, ['sharp']);
  await restore();
  // More than five seconds late: the worker may have answered.
  await wait(dueAt + 5_500 - Date.now());

  await startBot();
  await card.untilText(/REVISE\* by @Ann.*Hold still/s);
  const next = await eventually(
    'the card of the correction',
    async () => (await cardsOfTask(task)).find(({ text }) => text.includes('sharp')),
    60_000,
  );
  expect(await ratingsOf(task)).toEqual(['REVISE']);
  await ann.clicks(next, 'OK', /OK\* by @Ann/);
  await eventually('OK', async () => (await ratingsOf(task)).length === 2);
  expect(await ratingsOf(task)).toEqual(['REVISE', 'OK']);
});

test('a decision and a card that an older copy does not have: the card shows what is known, and is decided on again', async () => {
  const { ann, ben, redis } = await begin({ env: { UNDO_SECONDS: '60' } });
  const { task, card } = await world.taskWithCard('before the copy');
  // In the copy, the card is up to date.
  await world.settled();
  const restore = await redis.copy();
  await ann.clicks(card, 'OK', /hourglass.*OK\* by @Ann/);
  const since = await world.taskWithCard('after the copy');
  const decided = await world.taskWithCard('decided after the copy');
  await ann.clicks(decided.card, 'OK', /hourglass.*OK\* by @Ann/);
  await restore();

  // It is redrawn, and asks again; the other tasks have other cards.
  await card.until(({ buttons }) => buttons.includes('OK'));
  for (const { task: other } of [since, decided])
    await eventually('a second card', async () => (await cardsOfTask(other)).length === 2, 30_000);
  await ben.clicks(since.card, 'OK', /continues in #review/);
  await ann.clicks(decided.card, 'Undo', /continues in #review/);
  await ben.clicks(card, 'OK', /hourglass.*OK\* by @Ben/);
  expect(await ratingsOf(task)).toEqual([]);
});

test('after FLUSHALL the account and channel of the environment work again, and old cards lead to the new ones', async () => {
  const { ann, redis } = await begin();
  const open = await world.taskWithCard('still open');
  const rated = await world.taskWithCard('rated by then');
  await ann.clicks(rated.card, 'OK', /white_check_mark.*OK\* by @Ann/);
  await eventually('OK', async () => (await ratingsOf(rated.task)).length === 1);
  await redis.isEmptied();

  const later = await world.taskWithCard('a later one');
  await ann.clicks(later.card, 'OK', /white_check_mark.*OK\* by @Ann/);
  const known = await eventually('cards', async () => {
    const cards = await cardsOfTask(open.task);
    return cards.length === 2 && cards;
  });
  await ann.clicks(open.card, 'OK', /continues in #review/);
  const [current] = known.filter(({ ts }) => ts !== open.card.ts);
  if (current) await ann.clicks(current, 'OK');
  await eventually('OK', async () => (await ratingsOf(open.task)).length > 0);
  expect(await ratingsOf(open.task)).toEqual(['OK']);
  expect(await ratingsOf(rated.task)).toEqual(['OK']);
  expect(await cardsOfTask(rated.task)).toHaveLength(1);
});

test('an approved campaign whose creation was lost is found when it is approved again, and not created twice', async () => {
  const { ann, chloe, marketplace, redis } = await begin({ env: { ACCOUNT_OWNERS: 'U01ANN' } });
  const check = await previewsCampaign(chloe, { positions: '20' });
  await check.opens('Create for 5.00', /Nothing was done yet.*asked to approve it/s);
  const request = await ann.sees('D01ANN', /asks to create the campaign/);
  const asAnnSawIt = await ann.sees('D01ANN', /asks to create the campaign/);
  const restore = await redis.copy();
  await ann.clicks(request, 'Approve', /was created/);
  await restore();

  await ann.clicks(asAnnSawIt, 'Approve');
  await chloe.sees('D03CHLOE', /You asked to create.*lists 1 new campaign with this title/s);
  expect(await marketplace.calls('new_campaign')).toHaveLength(1);
});

test('an approved restart that was lost is found when it is approved again, and not made twice', async () => {
  const { ann, chloe, marketplace, redis } = await begin({
    scenario: { campaigns: [finished] },
    env: { ACCOUNT_OWNERS: 'U01ANN' },
  });
  await restarts(chloe, `${finished.campaign_id} 5`, /asked to approve it/);
  const request = await ann.sees('D01ANN', /asks to restart/);
  const asAnnSawIt = await ann.sees('D01ANN', /asks to restart/);
  const restore = await redis.copy();
  await ann.clicks(request, 'Approve', /now has 5 more positions/);
  // It has finished since.
  await marketplace.patchCampaign(finished.campaign_id, { status: 'FINISHED' });
  await restore();

  const before = await chloe.lastIn('D03CHLOE');
  await ann.clicks(asAnnSawIt, 'Approve');
  await chloe.sees('D03CHLOE', /now has 5 more positions/, { after: before });
  expect(await marketplace.calls('restart_campaign')).toHaveLength(1);
});
