import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bulkReviewer } from '../harness/bulk-reviewer.ts';
import { eventually } from '../harness/eventually.ts';
import { focusReviewer, taskIn } from '../harness/focus-reviewer.ts';
import type { Seen } from '../harness/slack.ts';
import { startWorld, type World } from '../harness/world.ts';

const place = 'C01REVIEW';
const undoMs = 2_000;

let world: World;
beforeAll(async () => {
  world = await startWorld({ env: { UNDO_SECONDS: String(undoMs / 1_000) } });
});
afterAll(() => world?.close());

/** A task that waits alone in its campaign, with its card. */
async function waiting(title: string): Promise<{ task: string; card: Seen }> {
  const { campaign_id: campaign } = await world.marketplace.addCampaign({
    ...{ title, status: 'RUNNING', payment_per_task: '0.10000', available_positions: 100 },
  });
  const [task = ''] = await world.marketplace.submit({ campaign_id: campaign, proof: [`proof of ${title}`] });
  return { task, card: await world.ann.sees(place, new RegExp(`proof of ${title}`)) };
}

/** Expects that the marketplace was asked to rate a task once, and not before the end of undo. @param since when it was decided */
async function leavesInTime({ task, card }: { task: string; card: Seen }, since: number): Promise<void> {
  await eventually('the rating', async () => (await world.marketplace.task(task)).task_rating !== 'NOTRATED');
  await card.until(({ buttons }) => !buttons.includes('OK') && !buttons.includes('Undo'));
  const calls = (await world.marketplace.requests()).filter(
    ({ path, form }) => path.includes('/rate_task') && JSON.stringify([path, form]).includes(task),
  );
  expect(calls).toHaveLength(1);
  expect(Date.parse(calls[0]?.at ?? '')).toBeGreaterThanOrEqual(since + undoMs);
}

describe('a decision reaches the marketplace once, and not before the time to undo it is over, if it is made', () => {
  test('by a press', async () => {
    const decided = await waiting('press');
    const since = Date.now();
    await world.ann.clicks(decided.card, 'OK');
    await leavesInTime(decided, since);
  });

  test('with a reason', async () => {
    const decided = await waiting('reason');
    await world.ann.clicks(decided.card, 'NOK');
    const form = await world.ann.modal(/Refuse this task/);
    await form.fill('Why is it refused?', 'It is blurred.');
    const since = Date.now();
    await form.submit();
    await leavesInTime(decided, since);
  });

  test('with a bonus', async () => {
    const decided = await waiting('bonus');
    await world.ann.chooses(decided.card, '…', 'OK with bonus or favorite');
    const form = await world.ann.modal(/OK with extras/);
    await form.fill('Bonus', '0.05');
    await form.submit();
    const total = await world.ann.modal(/This task costs/);
    const since = Date.now();
    await total.clicks('Rate OK for');
    await leavesInTime(decided, since);
  });

  test('in a review', async () => {
    const decided = await waiting('review');
    const ann = focusReviewer(world.slackUrl, 'U01ANN');
    expect(taskIn(await ann.start(place))).toBe(decided.task);
    const since = Date.now();
    await ann.submit();
    await leavesInTime(decided, since);
    await ann.close();
  });

  test('together with others', async () => {
    const decided = await waiting('together');
    const ann = bulkReviewer(world.slackUrl, 'U01ANN');
    await eventually('the task', async () => {
      await world.ann.opensHome();
      await (await world.ann.home(/Reviewing/)).clicks('Select…');
      const page = await ann.until(({ callback_id }) => callback_id === 'bulk.page');
      return JSON.stringify(page.blocks).includes('1 that wait');
    });
    await ann.presses('bulk.tick-page', 'tick');
    await ann.decides('OK');
    const since = Date.now();
    await ann.confirms();
    await leavesInTime(decided, since);
  });
});
