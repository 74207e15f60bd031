import { beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { worldPerTest } from '../harness/worlds.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const survey = { campaign_id: 'decade02', title: 'Survey of shops', status: 'RUNNING' } as const;
const review = 'C01REVIEW';
const shelves = 'C05SHELVES';
const renamed = 'C07SHARED';

const channels = [
  { id: review, name: 'review' },
  { id: shelves, name: 'shelves', is_private: true },
];
const { world, begin } = worldPerTest({
  scenario: { campaigns: [shelf, survey] },
  workspace: { channels },
});
// The account's cards go to #review, those of the campaign of shelves to #shelves.
beforeEach(async () => {
  await begin();
  await world.ann.asks('/proofdesk subscribe shelf', /New tasks of \*Photo of a shelf\*/, shelves);
});

const submit = (proof: string, { campaign_id }: { campaign_id: string } = shelf) =>
  world.marketplace.submit({ campaign_id, proof: [proof] });

/** Returns how many messages like this Ann sees in a channel. */
async function count(channel: string, pattern: RegExp): Promise<number> {
  const seen = await world.ann.reads(channel);
  return seen.filter(({ text }) => pattern.test(text)).length;
}

describe('a channel that gets another id', () => {
  test('keeps its subscription and its cards, once each', async () => {
    const { ann, slack } = world;
    const [rated = ''] = await submit('shelf zero');
    await ann.clicks(await ann.sees(shelves, /shelf zero/), 'OK');
    await eventually('the rating', async () => {
      const { task_rating } = await world.marketplace.task(rated);
      return task_rating === 'OK';
    });
    await submit('shelf one');
    const before = await ann.sees(shelves, /shelf one/);
    await slack.channelPatch(shelves, { id: renamed });
    await submit('shelf two');
    await ann.sees(renamed, /shelf two/);
    const card = await ann.sees(renamed, /shelf one/);
    expect(card.ts).toBe(before.ts);
    await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);
    await world.settled();
    expect(await count(renamed, /shelf (zero|one|two)/)).toBe(1);
    expect(await count(renamed, /by @Ann/)).toBe(2);
    expect(await count(review, /shelf|continue here/)).toBe(0);
    expect(await count('D01ANN', /./)).toBe(0);
  });

  test('still gets the account and its inbox when it is the one of the settings, also after a restart', async () => {
    const { ann, marketplace, slack } = world;
    await submit('an answer', survey);
    await ann.sees(review, /an answer/);
    await slack.channelPatch(review, { id: renamed });
    await submit('another answer', survey);
    await ann.sees(renamed, /another answer/);
    await world.stopBots();
    await submit('a third answer', survey);
    await marketplace.write({ subject: 'A letter' });
    await world.startBot();
    await ann.sees(renamed, /a third answer/);
    await ann.sees(renamed, /A letter/);
    expect(await count(renamed, /an answer|another answer|a third answer/)).toBe(3);
  });
});
