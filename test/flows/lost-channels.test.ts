import { expect, test } from 'vitest';
import { place as review, shelf, survey } from '../harness/acts.ts';
import { eventually, type World, type WorldOptions, worldPerTest } from '../harness/worlds.ts';

const shelves = 'C05SHELVES';
const other = 'C06OTHER';
const direct = 'D01ANN';
const channels = [
  { id: review, name: 'review' },
  { id: shelves, name: 'shelves' },
  { id: other, name: 'other' },
];

const { world, begin: beginEmpty } = worldPerTest({
  scenario: { campaigns: [shelf, survey] },
  workspace: { channels },
});
const { ann, ben, marketplace, slack } = world;

/** The account's cards go to #review, those of the campaign of shelves to #shelves. */
async function begin(options: WorldOptions = {}): Promise<World> {
  await beginEmpty(options);
  await ann.asks('/proofdesk subscribe shelf', /New tasks of \*Photo of a shelf\*/, shelves);
  return world;
}

const { campaign_id } = survey;

/** Waits until so many more looks at a channel were answered. */
async function looksAt(channel: string, count = 2): Promise<void> {
  const asked = async () =>
    (await slack.requests({ method: 'conversations.info' })).filter(({ args }) => args?.channel === channel)
      .length;
  const before = await asked();
  await eventually('looks', async () => (await asked()) >= before + count);
}

test('when a campaign’s own channel goes because it was deleted, its cards continue in the account’s channel, once each, and are decided there', async () => {
  await begin();
  const [one = ''] = await world.submit('shelf one');
  await world.submit('shelf two');
  await world.submit('an answer', { campaign_id });
  await ann.sees(shelves, /shelf one/);
  await ann.sees(shelves, /shelf two/);
  await ann.sees(review, /an answer/);
  await ann.looksAtHome(/No tasks|tasks\* wait/);

  await slack.deletesChannel(shelves);
  const card = await ann.sees(review, /shelf one/);
  await ann.sees(review, /shelf two/);
  await ann.sees(review, /was deleted.*, so its tasks continue here/);
  await ann.sees(direct, /was deleted.* continue in #review/s);
  await ann.home(/Needs attention.*was deleted.*Its tasks continue in #review/s);
  await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);
  expect((await marketplace.task(one)).task_rating).toBe('OK');
  await world.card('shelf three');
  await world.settled();
  expect(await world.posts(/\*OK\* by @Ann/)).toHaveLength(1);
  for (const proof of [/shelf two/, /shelf three/, /an answer/, /continue here/])
    expect(await world.posts(proof)).toHaveLength(1);
  expect(await world.posts(/shelf one/)).toEqual([]);
  expect(await world.posts(/./, direct)).toHaveLength(1);
});

test('when a campaign’s own channel goes because it was archived, and comes back, cards that moved stay, and the old ones say where they are', async () => {
  await begin();
  const old = await world.card('shelf one', {}, shelves);
  await slack.channelPatch(shelves, { archived: true });
  const moved = await ann.sees(review, /shelf one/);
  await slack.channelPatch(shelves, { archived: false });
  const redrawn = await old.untilText(/continues in #review/);
  expect(redrawn.buttons).toEqual([]);
  await world.card('shelf two', {}, shelves);
  expect(await world.posts(/shelf one/)).toHaveLength(1);
  expect(await world.posts(/shelf one/, shelves)).toEqual([]);
  await ann.clicks(moved, 'OK', /:white_check_mark: \*OK\* by @Ann/);
});

test('when a campaign’s own channel goes for a moment only, its cards stay, and nobody is told', async () => {
  await begin({ intervals: { lostAfterMs: 4_000 } });
  const card = await world.card('shelf one', {}, shelves);
  await slack.channelPatch(shelves, { archived: true });
  await slack.channelPatch(shelves, { archived: false });
  await looksAt(shelves, 1);
  await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);
  expect(await world.posts(/./)).toEqual([]);
  expect(await world.posts(/./, direct)).toEqual([]);
});

test('when a campaign’s own channel goes because the bot was removed from it, a click on an old card still counts, once', async () => {
  await begin();
  const { task: one, card: old } = await world.taskWithCard('shelf one', {}, shelves);
  await slack.channelPatch(shelves, { botIsMember: false });
  const moved = await ann.sees(review, /shelf one/);
  await ann.clicks(old, 'OK');
  await moved.untilText(/:white_check_mark: \*OK\* by @Ann/);
  await ben.clicks(old, 'OK');
  expect((await marketplace.task(one)).task_rating).toBe('OK');
  await slack.channelPatch(shelves, { botIsMember: true });
  await old.untilText(/continues in #review/);
  expect(await marketplace.calls('rate_task')).toHaveLength(1);
});

test('a pending decision shows its result in the other channel', async () => {
  await begin();
  const { task: one, card: old } = await world.taskWithCard('shelf one', {}, shelves);
  await marketplace.patchCampaign(shelf.campaign_id, { status: 'PAUSED_ADMIN' });
  await ann.clicks(old, 'OK', /not sent yet/);
  await slack.channelPatch(shelves, { archived: true });
  const moved = await ann.sees(review, /\*OK\* by @Ann/);
  await marketplace.patchCampaign(shelf.campaign_id, { status: 'RUNNING' });
  await moved.untilText(/:white_check_mark: \*OK\* by @Ann/);
  expect((await marketplace.task(one)).task_rating).toBe('OK');
});

test('when nothing stands in for a lost channel because the account’s is shared with another company, cards wait, Home says so, and they come when they may', async () => {
  await begin({
    workspace: { channels: channels.map((one) => ({ ...one, is_ext_shared: one.id === review })) },
  });
  const old = await world.card('shelf one', {}, shelves);
  const home = await ann.looksAtHome(/1 task\* waiting/);
  expect(home.text).not.toContain('Needs attention');
  await slack.channelPatch(shelves, { archived: true });
  await ann.home(/Needs attention.*#shelves is archived.*proofdesk subscribe.*Nothing is lost/s);
  await world.submit('shelf two');
  await looksAt(shelves, 3);
  expect(await world.posts(/shelf (one|two)/)).toEqual([]);
  expect(await world.posts(/#shelves is archived/, direct)).toHaveLength(1);

  await ann.asks('/proofdesk subscribe shelf', /shelf one/, other);
  await ann.sees(other, /shelf two/);
  await eventually('Home', async () => !(await ann.home(/tasks\* wait/)).text.includes('Needs attention'));
  expect(await world.posts(/shelf/)).toEqual([]);
  await slack.channelPatch(shelves, { archived: false });
  await old.untilText(/continues in #other/);
});

test('when nothing stands in for a lost channel because it is the account’s, cards wait, stay when it is back, and follow when another is subscribed', async () => {
  await begin();
  await ann.types(review, '/proofdesk subscribe');
  const old = await world.card('an answer', { campaign_id });
  await marketplace.write({ subject: 'First letter' });
  await ann.sees(review, /First letter/);
  await slack.channelPatch(review, { botIsMember: false });
  await world.submit('meanwhile', { campaign_id });
  await looksAt(review);
  await slack.channelPatch(review, { botIsMember: true });
  await ann.sees(review, /meanwhile/);
  await ann.clicks(old, 'OK', /:white_check_mark: \*OK\* by @Ann/);
  expect(await world.posts(/First letter/)).toHaveLength(1);
  expect(await world.posts(/meanwhile|letter/, shelves)).toEqual([]);

  await slack.deletesChannel(review);
  await looksAt(review);
  await ann.asks('/proofdesk subscribe', /meanwhile/, other);
  // The inbox has a channel of its own: another one is chosen for it.
  const list = await ann.asks('/proofdesk subscriptions', /channel for \*?inbox messages\*? is/, other);
  const modal = await ann.opens(list, 'Change…', /Inbox messages/);
  await modal.select('Channel', other);
  await modal.submit();
  await marketplace.write({ subject: 'Second letter' });
  await ann.sees(other, /Second letter/);
  await world.card('later', { campaign_id }, other);
  expect(await world.posts(/meanwhile/, other)).toHaveLength(1);
});
