import type { Seen } from '@proofdesk/slack-sandbox/testing';
import { expect, test } from 'vitest';
import { addsBonus, decidesTogether, opensSelection, place, presses, startsReview } from '../harness/acts.ts';
import { eventually } from '../harness/eventually.ts';
import { sharedWorld } from '../harness/worlds.ts';

const undoMs = 2_000;

const world = sharedWorld({ env: { UNDO_SECONDS: String(undoMs / 1_000) } });

/** A task that waits alone in its campaign, with its card. */
async function waiting(title: string): Promise<{ task: string; card: Seen }> {
  const { campaign_id } = await world.marketplace.addCampaign({
    ...{ title, status: 'RUNNING', payment_per_task: '0.10000', available_positions: 100 },
  });
  return world.taskWithCard(`proof of ${title}`, { campaign_id });
}

/** Expects that the marketplace was asked to rate a task once, and not before the end of undo. @param since when it was decided */
async function leavesInTime({ task, card }: { task: string; card: Seen }, since: number): Promise<void> {
  await eventually('the rating', async () => (await world.marketplace.task(task)).task_rating !== 'NOTRATED');
  await card.until(
    ({ buttons }) => !buttons.includes('OK') && !buttons.some((name) => name.startsWith('Undo')),
  );
  const calls = (await world.marketplace.requests()).filter(
    ({ path, form }) => path.includes('/rate_task') && JSON.stringify([path, form]).includes(task),
  );
  expect(calls).toHaveLength(1);
  expect(Date.parse(calls[0]?.at ?? '')).toBeGreaterThanOrEqual(since + undoMs);
}

test('a decision is sent once, when the time to undo it is over, if it is made by a press', async () => {
  const decided = await waiting('press');
  const since = Date.now();
  await world.ann.clicks(decided.card, 'OK');
  await leavesInTime(decided, since);
});

test('a decision is sent once, when the time to undo it is over, if it is made with a reason', async () => {
  const decided = await waiting('reason');
  const form = await world.ann.opens(decided.card, 'NOK', /Rate NOK/);
  await form.fill('Reason for NOK', 'It is blurred.');
  const since = Date.now();
  await form.submit();
  await leavesInTime(decided, since);
});

test('a decision is sent once, when the time to undo it is over, if it is made with a bonus', async () => {
  const decided = await waiting('bonus');
  const total = await addsBonus(world.ann, decided.card, '0.05');
  const since = Date.now();
  await total.clicks('Rate OK for');
  await leavesInTime(decided, since);
});

test('a decision is sent once, when the time to undo it is over, if it is made in a review', async () => {
  const decided = await waiting('review');
  const review = await startsReview(world.ann, place, 'review');
  expect(review.text).toContain('proof of review');
  const since = Date.now();
  await review.submit();
  await leavesInTime(decided, since);
  await review.close({ all: true });
});

test('a decision is sent once, when the time to undo it is over, if it is made together with others', async () => {
  const decided = await waiting('together');
  const page = await eventually('the task', async () => {
    const opened = await opensSelection(world.ann);
    return opened.text.includes('1 waiting') && opened;
  });
  await presses(page, 'Select this one');
  const preview = await decidesTogether(page, 'OK');
  const since = Date.now();
  await preview.clicks('Rate ');
  await leavesInTime(decided, since);
});
