import type { Seen } from '@proofdesk/slack-sandbox/testing';
import { expect, test } from 'vitest';
import { addsBonus, decidesTogether, opensSelection, place, presses, startsReview } from '../harness/acts.ts';
import { eventually, sharedWorld } from '../harness/worlds.ts';

const undoMs = 2_000;

const world = sharedWorld({ env: { UNDO_SECONDS: String(undoMs / 1_000) } });

/** Goes on as far as the press that decides. Returns that. */
const ways: Record<string, (card: Seen) => Promise<() => Promise<unknown>>> = {
  'by a press': async (card) => () => world.ann.clicks(card, 'OK'),
  async 'with a reason'(card) {
    const form = await world.ann.opens(card, 'NOK', /Rate NOK/);
    await form.fill('Reason for NOK', 'It is blurred.');
    return () => form.submit();
  },
  async 'with a bonus'(card) {
    const total = await addsBonus(world.ann, card, '0.05');
    return () => total.clicks('Rate OK for');
  },
  async 'in a review'() {
    const review = await startsReview(world.ann, place, 'in a review');
    expect(review.text).toContain('proof of in a review');
    return () => review.submit();
  },
  async 'together with others'() {
    const page = await eventually('the task', async () => {
      const opened = await opensSelection(world.ann);
      return opened.text.includes('1 waiting') && opened;
    });
    await presses(page, 'Select this one');
    const preview = await decidesTogether(page, 'OK');
    return () => preview.clicks('Rate ');
  },
};

test.each(Object.entries(ways))(
  'a decision is sent once, when the time to undo it is over, if it is made %s',
  async (how, comes) => {
    const { campaign: campaign_id } = await world.campaignWith(how, []);
    const { task, card } = await world.taskWithCard(`proof of ${how}`, { campaign_id });
    const decides = await comes(card);
    const since = Date.now();
    await decides();
    await eventually('the rating', async () => (await world.ratingOf(task)) !== 'NOTRATED');
    await card.until(
      ({ buttons }) => !buttons.includes('OK') && !buttons.some((name) => name.startsWith('Undo')),
    );
    const calls = (await world.marketplace.calls('/rate_task')).filter(({ path, form }) =>
      JSON.stringify([path, form]).includes(task),
    );
    expect(calls).toHaveLength(1);
    expect(Date.parse(calls[0]?.at ?? '')).toBeGreaterThanOrEqual(since + undoMs);
  },
);
