import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { startWorld, type World } from '../harness/world.ts';

const review = 'C01REVIEW';
const campaign_id = 'c0ffee01';

let world: World;
beforeAll(async () => {
  const scenario = {
    campaigns: [{ campaign_id, title: 'Photo of a shelf', status: 'RUNNING', tasks: { NOTRATED: 24 } }],
  };
  world = await startWorld({ scenario, intervals: { sweepMs: 1_000 } });
  // Slack gives up on an event after minutes; here it never arrives at all.
  await world.slack.fault({ match: { delivery: 'message' }, kind: 'lost', times: 0 });
});
afterAll(() => world.close());

const seen = async (pattern: RegExp) =>
  (await world.ann.reads(review)).filter(({ text }) => pattern.test(text));

test('a card that was deleted while nobody heard of it comes back, those rated or still there do not', async () => {
  const { ann, slack } = world;
  await ann.sees(review, /4 more tasks/);
  await world.marketplace.submit({ campaign_id, proof: ['stays here'] });
  await world.marketplace.submit({ campaign_id, proof: ['deleted unseen'] });
  const kept = await ann.sees(review, /stays here/);
  const card = await ann.sees(review, /deleted unseen/);
  await slack.deletes(card);
  const again = await ann.sees(review, /deleted unseen/, { after: card.ts });
  await ann.clicks(again, 'OK');
  await again.untilText(/:white_check_mark: \*OK\* by @Ann/);
  await slack.deletes(again);
  const reads = async () => (await slack.requests({ method: 'conversations.history' })).length;
  const before = await reads();
  await eventually('more sweeps', async () => (await reads()) >= before + 2);
  expect(await seen(/\*OK\* by @Ann/)).toEqual([]);
  expect((await seen(/stays here/)).map(({ ts }) => ts)).toEqual([kept.ts]);
});

test('a summary that was deleted while nobody heard of it comes back', async () => {
  const { ann, slack } = world;
  const summary = await ann.sees(review, /4 more tasks/);
  await slack.deletes(summary);
  const again = await ann.sees(review, /4 more tasks/, { after: summary.ts });
  await ann.clicks(again, again.buttons.find((text) => text.startsWith('Show')) ?? '');
  await eventually('cards', async () => (await seen(/^\*Photo of a shelf/)).length === 25);
});
