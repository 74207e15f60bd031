import { expect, test } from 'vitest';
import { connects, place as review, shelf, survey } from '../harness/acts.ts';
import { eventually, story, type World, worldPerTest } from '../harness/worlds.ts';

const inbox = 'C02INBOX';
const direct = 'D01ANN';

/** The shared account from the start, and no channel that gets anything. */
const { world, begin, create } = worldPerTest({
  scenario: { campaigns: [shelf, survey] },
  env: { REVIEW_CHANNEL: undefined },
});

const { campaign_id } = survey;
const subscribed = /will be posted in this channel/;
/** #review has the account from the start. */
const withChannel = { env: { REVIEW_CHANNEL: review } };

test('a channel gets an account or a campaign, until it is unsubscribed', async () => {
  const { ann, marketplace } = await begin({ transport: 'http' });
  const told = await ann.asks(
    '/proofdesk subscribe',
    /New tasks of your account will be posted in this channel/,
  );
  expect(told.ephemeral).toBe(true);
  await ann.asks('/proofdesk subscribe', /This channel already gets those tasks/);
  await ann.asks(
    '/proofdesk subscribe survey',
    /New tasks of \*Survey of shops\* will be posted in this channel/,
    inbox,
  );

  await world.submit('a shelf');
  await world.submit('an answer', { campaign_id });
  await marketplace.write({ subject: 'Hello there' });
  const card = await ann.sees(review, /a shelf/);
  await ann.sees(inbox, /an answer/);
  await ann.sees(review, /Hello there/);
  expect(await world.posts(/an answer/)).toEqual([]);

  await ann.asks('/proofdesk unsubscribe', /New tasks, digests and inbox messages are no longer posted here/);
  await world.submit('a later shelf');
  await marketplace.write({ subject: 'A later letter' });
  await world.card('a later answer', { campaign_id }, inbox);
  await world.marketplace.polls(2);
  expect(await world.posts(/later (shelf|letter)/)).toEqual([]);
  await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);

  await ann.asks('/proofdesk unsubscribe', /are no longer posted here/, inbox);
  await ann.asks('/proofdesk unsubscribe', /isn’t subscribed to anything/, inbox);
});

test('a channel without the bot gets none: that is said, and nothing is looked at', async () => {
  const { ann } = await begin();
  await ann.asks('/proofdesk subscribe', /Proofdesk isn’t in this channel.*\/invite @Proofdesk/, 'C03RANDOM');
  expect(await world.marketplace.requests()).toEqual([]);
});

test('a campaign that is not known, or not alone of its name, is told so', async () => {
  const { ann } = await begin();
  const none = await ann.asks('/proofdesk subscribe <!channel>', /Your account has no campaign with the id/);
  expect(none.pings).toEqual([]);
  const several = await ann.asks('/proofdesk subscribe s', /Several campaigns match “s”/);
  expect(several.text).toContain('/proofdesk subscribe c0ffee01');
  await ann.asks('/proofdesk subscribe decade02', /New tasks of \*Survey of shops\*/);
});

test.each([
  ['archived', (slack: World['slack']) => slack.channelPatch(review, { archived: true })],
  ['deleted', (slack: World['slack']) => slack.deletesChannel(review)],
  ['left by the bot', (slack: World['slack']) => slack.channelPatch(review, { botIsMember: false })],
])('nobody is told of a channel that is %s: the new one gets the tasks', async (_, leave) => {
  const { ann, slack } = await begin({ workspace: { manifest: null } });
  await ann.asks('/proofdesk subscribe', subscribed);
  await world.card('first');
  // The event never comes.
  for (const delivery of ['channel_archive', 'channel_deleted', 'channel_left', 'member_left_channel'])
    await slack.fault({ match: { delivery }, kind: 'lost', times: 0 });
  await leave(slack);
  const told = await ann.asks(
    '/proofdesk subscribe',
    /New tasks of your account will be posted in this channel/,
    inbox,
  );
  expect(told.text).not.toMatch(/no longer posted in/);
  await ann.sees(inbox, /first/);
});

test('subscribing the same channel again after it was unarchived unseen brings its cards', async () => {
  const { ann, slack } = await begin();
  await ann.asks('/proofdesk subscribe', subscribed);
  await world.marketplace.polls(2);
  await slack.channelPatch(review, { archived: true });
  await world.submit('meanwhile');
  await ann.sees(direct, /is archived/);
  await world.marketplace.polls(2);
  await slack.fault({ match: { delivery: 'channel_unarchive' }, kind: 'lost', times: 0 });
  await slack.channelPatch(review, { archived: false });
  await ann.asks('/proofdesk subscribe', /This channel already gets those tasks/);
  await ann.sees(review, /meanwhile/);
});

test('looking at an account begins again when what is subscribed already is subscribed, should Redis have lost it', async () => {
  const { ann, redis } = await begin(withChannel);
  await world.marketplace.polls(2);
  await redis.loses('polls');
  await redis.loses('polled-accounts');
  await ann.asks('/proofdesk subscribe', /This channel already gets those tasks/);
  await world.card('a shelf');
});

test('a channel shared with another company is not told that tasks were moved to it before an owner confirms it', async () => {
  const { ann, slack } = await begin(withChannel);
  await world.card('before');
  await slack.channelPatch(inbox, { shared: true });
  await ann.asks('/proofdesk subscribe', /another company/, inbox);
  await ann.sees(review, /moved new tasks/);
  expect(await world.posts(/moved new tasks/, inbox)).toEqual([]);
});

test('looking at an account goes on after unsubscribing until what was decided is sent', async () => {
  const others = { campaign_id: 'c0ffee09', title: 'Translate a page', key: 'other-employer-demo-key' };
  const { ann, ben, marketplace } = await begin({
    scenario: { campaigns: [shelf, { ...others, status: 'RUNNING' }] },
    env: { REVIEW_CHANNEL: review, UNDO_SECONDS: '2' },
  });
  const { task, card } = await world.taskWithCard('a shelf');
  await ann.asks('/proofdesk unsubscribe', /Cards already here stay, and their buttons still work/);
  await ann.clicks(card, 'OK');
  await marketplace.rated(task, 'OK');
  await card.untilText(/:white_check_mark: \*OK\* by @Ann/);

  await (await connects(ben, others.key, 'Other', inbox)).untilText(/You are connected/);
  await ben.asks('/proofdesk subscribe', subscribed, inbox);
  await eventually('looks at the account of Ben only', async () => {
    const asked = await marketplace.calls('list_extend');
    return asked.slice(-6).every(({ key }) => key === `${others.key.slice(0, 4)}…`);
  });
});

/** Stops the bot and starts it again, with another REVIEW_CHANNEL when one is given. */
async function restart(channel: string | undefined = world.environment.REVIEW_CHANNEL): Promise<void> {
  world.environment.REVIEW_CHANNEL = channel;
  await world.settled();
}

/** Subscribes a channel to what another one gets. */
const movesTo = (channel: string) => world.ann.asks('/proofdesk subscribe', subscribed, channel);

test('REVIEW_CHANNEL does not undo at a restart what people subscribed since, until the setting changes', async () => {
  await begin(withChannel);
  await world.card('one');
  await movesTo(inbox);
  await restart();
  await world.card('two', {}, inbox);
  expect(await world.posts(/two/)).toEqual([]);

  // Another value is new, and so is the former one when it comes back.
  await movesTo(review);
  await restart(inbox);
  await world.card('three', {}, inbox);
  await restart(review);
  await world.card('four');
  expect(await world.posts(/four/, inbox)).toEqual([]);
});

test('REVIEW_CHANNEL does not bring back at a restart what people unsubscribed', async () => {
  const { ann } = await begin(withChannel);
  await world.card('one');
  await ann.asks('/proofdesk unsubscribe', /New tasks, digests and inbox messages are no longer posted here/);
  await restart();
  await ann.asks('/proofdesk subscribe', subscribed);
});

test('REVIEW_CHANNEL is applied by two processes that start at once', async () => {
  await create(withChannel);
  await Promise.all([world.startBot(), world.startBot({ PORT: '0' })]);
  await world.card('one');
});

story('a channel can have a digest of an account in place of cards', {
  'a channel has the digest of an account: one message per campaign counts all that waits, without cards':
    async () => {
      await begin({ env: { REVIEW_CHANNEL: review, OPEN_CARDS: '2' } });
      await world.submit('a shelf', { count: 5 });
      await world.ann.sees(review, /3 more tasks waiting/);
      const digest = await world.ann.asks('/proofdesk subscribe digest', /\*5 tasks waiting\*/, inbox);
      await digest.untilText(/2 have cards in #/);
      expect(digest.buttons).toContain('Start review');
      const card = await eventually('a card', async () =>
        (await world.ann.reads(review)).find(({ buttons }) => buttons.includes('OK')),
      );
      await world.ann.clicks(card, 'OK');
      await digest.untilText(/\*4 tasks waiting\*/);
      // The cards stay in their one channel, which counts what waits beyond them as before.
      expect(await world.postsOf('card', inbox)).toEqual([]);
      await world.ann.sees(review, /2 more tasks waiting/);
      expect(await world.postsOf('queue', inbox)).toHaveLength(1);
    },

  'the list of subscriptions names it': async () => {
    await world.ann.asks('/proofdesk subscriptions', /Digest: all campaigns/);
  },

  'a digest that is ended says so, and counts no more': async () => {
    const [digest] = await world.postsOf('queue', inbox);
    await world.ann.types(inbox, '/proofdesk unsubscribe');
    await digest?.untilText(/no more tasks are counted here/);
    expect(digest?.buttons).toEqual([]);
  },
});

test('a channel of which Slack tells Proofdesk nothing can be subscribed, and gets its cards', async () => {
  const { ann, slack } = await begin();
  const match = { method: 'conversations.info' };
  await slack.fault({ match, kind: 'error', error: 'missing_scope', times: 0 });
  await ann.asks('/proofdesk subscribe', subscribed);
  await world.card('a shelf');
});
