import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BotProcess, startBotProcess } from '../harness/bot-process.ts';
import { eventually } from '../harness/eventually.ts';
import { createWorld, startWorld, type World } from '../harness/world.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const place = 'C01REVIEW';
const scenario = { campaigns: [{ ...shelf, available_positions: 100 }] };

/** Two cells: each has a Redis, a bot and a workspace of its own. */
let [first, second]: World[] = [];
let bot: BotProcess;
beforeAll(async () => {
  [first, second] = await Promise.all([
    createWorld({ scenario, env: { UNDO_SECONDS: '20' } }),
    startWorld({ scenario, workspace: { team: { id: 'T0OTHER', name: 'Other', domain: 'other' } } }),
  ]);
  bot = await startBotProcess(first.environment);
  await bot.ready();
});
afterAll(async () => {
  bot?.child.kill('SIGKILL');
  await Promise.all([first?.close(), second?.close()]);
});

/** A worker submits to the only campaign: the task's card. */
async function card({ ann, marketplace }: World, proof: string) {
  const [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof] });
  return { task, card: await ann.sees(place, new RegExp(proof)) };
}

test('one cell is killed, Redis and bot: the other works on as if it were alone; the first one goes on where it stood', async () => {
  const [killed, other] = [first as World, second as World];
  const decided = await card(killed, 'before the kill');
  await killed.ann.clicks(decided.card, 'OK');
  await decided.card.untilText(/\*OK\* by/);
  await killed.redis.persist();
  bot.child.kill('SIGKILL');
  await killed.redis.kill();
  await bot.exit;

  const before = other.log.length;
  for (const proof of ['first', 'second', 'third']) {
    const { task, card: shown } = await card(other, `${proof} meanwhile`);
    await other.ann.clicks(shown, 'OK');
    await eventually('the rating', async () => (await other.marketplace.task(task)).task_rating === 'OK');
  }
  const levels = other.log.slice(before).map((line) => (JSON.parse(line) as { level: number }).level);
  expect(Math.max(...levels)).toBeLessThan(40);
  expect((await killed.marketplace.task(decided.task)).task_rating).toBe('NOTRATED');

  await killed.redis.restart();
  bot = await startBotProcess({ ...killed.environment, UNDO_SECONDS: '0' });
  await bot.ready();
  const { task, card: later } = await card(killed, 'after the kill');
  await killed.ann.clicks(later, 'OK');
  await eventually('the rating', async () => (await killed.marketplace.task(task)).task_rating === 'OK');
  // What was decided before the kill is a rating in the end, once.
  await decided.card.untilText(/:white_check_mark: \*OK\* by/);
  expect((await killed.marketplace.task(decided.task)).task_rating).toBe('OK');
  const cards = (await killed.ann.reads(place)).filter(({ text }) => text.includes('Photo of a shelf'));
  expect(cards).toHaveLength(2);
}, 90_000);
