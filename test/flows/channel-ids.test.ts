import { beforeEach, expect, test } from 'vitest';
import { place as review, shelf, survey } from '../harness/acts.ts';
import { worldPerTest } from '../harness/worlds.ts';

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
const { ann, marketplace, slack } = world;
// The account's cards go to #review, those of the campaign of shelves to #shelves.
beforeEach(async () => {
  await begin();
  await ann.asks('/proofdesk subscribe shelf', /New tasks of \*Photo of a shelf\*/, shelves);
});

const { campaign_id } = survey;
const count = async (channel: string, pattern: RegExp) => (await world.posts(pattern, channel)).length;

test.each(['is told', 'is not told'])(
  'a channel that gets another id keeps its subscription and its cards, once each, when Proofdesk %s',
  async (how) => {
    const [rated = ''] = await world.submit('shelf zero');
    await ann.clicks(await ann.sees(shelves, /shelf zero/), 'OK');
    await marketplace.rated(rated, 'OK');
    const before = await world.card('shelf one', {}, shelves);
    if (how === 'is not told')
      await slack.fault({ match: { delivery: 'channel_id_changed' }, kind: 'lost', times: 0 });
    await slack.channelPatch(shelves, { id: renamed });
    await world.card('shelf two', {}, renamed);
    const card = await ann.sees(renamed, /shelf one/);
    expect(card.ts).toBe(before.ts);
    await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);
    await world.settled();
    expect(await count(renamed, /shelf (zero|one|two)/)).toBe(1);
    expect(await count(renamed, /by @Ann/)).toBe(2);
    expect(await count(review, /shelf|continue here/)).toBe(0);
    expect(await count('D01ANN', /./)).toBe(0);
  },
);

test('a channel that gets another id still gets the account and its inbox when it is the one of the settings, also after a restart', async () => {
  await world.card('an answer', { campaign_id });
  await slack.channelPatch(review, { id: renamed });
  await world.card('another answer', { campaign_id }, renamed);
  await world.stopBots();
  await world.submit('a third answer', { campaign_id });
  await marketplace.write({ subject: 'A letter' });
  await world.startBot();
  await ann.sees(renamed, /a third answer/);
  await ann.sees(renamed, /A letter/);
  expect(await count(renamed, /an answer|another answer|a third answer/)).toBe(3);
});
