import { beforeAll, expect } from 'vitest';
import { place as review, shelf } from '../harness/acts.ts';
import { createWorld, eventually, sharedWorld, story } from '../harness/worlds.ts';

const world = sharedWorld(
  {
    scenario: { campaigns: [{ ...shelf, available_positions: 100 }] },
    env: { OPEN_CARDS: '2' },
    intervals: { sweepMs: 1_000 },
  },
  createWorld,
);
const { ann, marketplace, slack } = world;
beforeAll(async () => {
  // The oldest have the cards.
  const finished_datetime = '2026-01-05 10:00:00';
  await world.submit('stays here', { finished_datetime });
  await world.submit('deleted unseen', { finished_datetime });
  await marketplace.submit({ campaign_id: shelf.campaign_id, count: 4 });
  await world.startBot();
  // Slack gives up on an event after minutes; here it never arrives at all.
  await slack.fault({ match: { delivery: 'message' }, kind: 'lost', times: 0 });
});

story('what was deleted while nobody heard of it comes back if it is still wanted', {
  'a card that was deleted while nobody heard of it comes back, those rated or still there do not':
    async () => {
      await ann.sees(review, /4 more tasks/);
      const kept = await ann.sees(review, /stays here/);
      const card = await ann.sees(review, /deleted unseen/);
      await slack.deletes(card);
      const again = await ann.sees(review, /deleted unseen/, { after: card.ts });
      await ann.clicks(again, 'OK', /:white_check_mark: \*OK\* by @Ann/);
      await slack.deletes(again);
      const reads = async () => (await slack.requests({ method: 'conversations.history' })).length;
      const before = await reads();
      await eventually('more sweeps', async () => (await reads()) >= before + 2);
      expect(await world.posts(/\*OK\* by @Ann/)).toEqual([]);
      expect((await world.posts(/stays here/)).map(({ ts }) => ts)).toEqual([kept.ts]);
    },

  'a summary that was deleted while nobody heard of it comes back': async () => {
    const summary = await ann.sees(review, /3 more tasks/);
    await slack.deletes(summary);
    const again = await ann.sees(review, /3 more tasks/, { after: summary.ts });
    expect(again.buttons).toContain('Start review');
  },
});
