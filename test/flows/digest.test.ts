import { beforeAll, expect } from 'vitest';
import { place as review, shelf } from '../harness/acts.ts';
import { eventually, sharedWorld, story } from '../harness/worlds.ts';

const other = 'C02INBOX';

const world = sharedWorld({
  scenario: { campaigns: [{ ...shelf, available_positions: 100 }] },
  env: { OPEN_CARDS: '2' },
});
beforeAll(async () => {
  await world.submit('a shelf', { count: 5 });
  await world.ann.sees(review, /3 more tasks waiting/);
});

story('a channel can have a digest of an account in place of cards', {
  'a channel has the digest of an account: one message per campaign counts all that waits, without cards':
    async () => {
      const digest = await world.ann.asks('/proofdesk subscribe digest', /\*5 tasks waiting\*/, other);
      await digest.untilText(/2 have cards in #/);
      expect(digest.buttons).toContain('Start review');
      const card = await eventually('a card', async () =>
        (await world.ann.reads(review)).find(({ buttons }) => buttons.includes('OK')),
      );
      await world.ann.clicks(card, 'OK');
      await digest.untilText(/\*4 tasks waiting\*/);
      // The cards stay in their one channel, which counts what waits beyond them as before.
      expect(await world.postsOf('card', other)).toEqual([]);
      await world.ann.sees(review, /2 more tasks waiting/);
      expect(await world.postsOf('queue', other)).toHaveLength(1);
    },

  'the list of subscriptions names it, and where the cards are there is nothing to add': async () => {
    await world.ann.asks('/proofdesk subscriptions', /Digest: all campaigns/);
    await world.ann.asks('/proofdesk subscribe digest shelf', /A digest would add nothing/);
    await world.ann.asks(
      '/proofdesk subscribe digest',
      /This channel gets a count of the waiting tasks/,
      other,
    );
  },

  'a digest that is ended says so, and counts no more': async () => {
    const [digest] = await world.postsOf('queue', other);
    await world.ann.types(other, '/proofdesk unsubscribe');
    await digest?.untilText(/no more tasks are waiting here/);
    expect(digest?.buttons).toEqual([]);
  },
});
