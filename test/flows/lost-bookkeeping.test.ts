import { Redis } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { startWorld, type World } from '../harness/world.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;

let world: World;
afterEach(() => world?.close());

/** Everything Redis knew is gone, as when it is set up anew. */
async function loseBookkeeping(): Promise<void> {
  await world.stopBots();
  const redis = new Redis(world.redis.url);
  await redis.flushall();
  redis.disconnect();
  await world.startBot();
}

test('cards that stand in the channel are taken up again, and none is posted twice', async () => {
  world = await startWorld({ scenario: { campaigns: [shelf] } });
  const { ann, marketplace } = world;
  const proofs = ['first proof', 'second proof', 'third proof'];
  const tasks: string[] = [];
  for (const proof of proofs) {
    tasks.push(...(await marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof] })));
    await ann.sees('C01REVIEW', new RegExp(proof));
  }
  const [first] = await Promise.all(proofs.map((proof) => ann.sees('C01REVIEW', new RegExp(proof))));

  await loseBookkeeping();
  // What comes in afterwards has its card after all that was there has been taken in.
  await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['a later one'] });
  await ann.sees('C01REVIEW', /a later one/);
  const cards = (await ann.reads('C01REVIEW')).filter(({ buttons }) => buttons.includes('OK'));
  expect(cards).toHaveLength(4);

  if (first) await ann.clicks(first, 'OK');
  await first?.untilText(/OK\* by @Ann/);
  await eventually('the rating', async () => (await marketplace.task(tasks[0] ?? '')).task_rating === 'OK');
});

test('the card of a corrected task keeps its round', async () => {
  world = await startWorld({ scenario: { campaigns: [shelf] } });
  const { ann, marketplace } = world;
  const [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['blurred'] });
  const card = await ann.sees('C01REVIEW', /blurred/);
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
  const shown = (await ann.reads('C01REVIEW')).filter(({ text }) => /sharp/.test(text));
  expect(shown).toHaveLength(1);
});
