import { expect, test } from 'vitest';
import { opensFromDetails, proofFile, place as review, shelf } from '../harness/acts.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const direct = 'D01ANN';

const { world, begin } = worldPerTest({ scenario: { campaigns: [shelf] } });

const notAllowed = /Needs attention.*Proofdesk is not allowed to post in #review/s;

test.each([
  ['read-only', { posting: 'read_only' }, /Proofdesk is not allowed to post in #review/],
  ['for replies only', { posting: 'thread_only' }, /Proofdesk is not allowed to post in #review/],
  ['restricted', { posting: 'restricted' }, /Proofdesk is not allowed to post in #review/],
  [
    'archived',
    { archived: true },
    /#review is archived, so new tasks cannot be posted there.*Unarchive it, or type `\/proofdesk subscribe` in another channel/s,
  ],
] as const)(
  'a channel that becomes %s is told to its subscriber once, and its cards follow',
  async (_, patch, told) => {
    const { ann, slack } = await begin({ env: { REVIEW_CHANNEL: undefined } });
    await ann.asks('/proofdesk subscribe', /will be posted in this channel/);
    await slack.channelPatch(review, patch);
    await world.submit('the first');
    await world.submit('the second');
    const notice = await ann.sees(direct, told);
    expect(notice.text).toContain('Nothing is lost');
    await ann.looksAtHome('archived' in patch ? /Needs attention.*#review is archived/s : notAllowed);
    const refused = async () => (await slack.requests({ method: 'chat.postMessage', ok: false })).length;
    const before = await refused();
    await eventually('another try', async () => (await refused()) > before);

    await slack.channelPatch(review, { posting: null, archived: false });
    await ann.sees(review, /the first/);
    await ann.sees(review, /the second/);
    await world.settled();
    expect((await ann.reads(direct)).map(({ text }) => text)).toEqual([notice.text]);
    for (const proof of [/the first/, /the second/]) expect(await world.posts(proof)).toHaveLength(1);
  },
);

test('a channel that takes no posts is tried once per pause, however many tasks wait for it', async () => {
  const { slack } = await begin({ env: { OPEN_CARDS: '0' }, timeouts: { firstRetryMs: 100 } });
  await slack.channelPatch(review, { posting: 'read_only' });
  await world.submit('waits', { count: 40 });
  const refused = async () =>
    (await slack.requests({ method: 'chat.postMessage', error: 'restricted_action_read_only_channel' }))
      .length;
  await eventually('the first', async () => (await refused()) > 0);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  // Those of the four jobs that ran when it began, and those after pauses of 100, 200, 400, 800 and 1,600 ms.
  expect(await refused()).toBeLessThanOrEqual(4 + 5);

  await slack.channelPatch(review, { posting: null });
  await eventually('all cards', async () => (await world.posts(/waits/)).length === 40);
});

test('a file is not posted where nobody may reply, which is said, and cards still are', async () => {
  const { ann, slack } = await begin();
  await slack.channelPatch(review, { posting: 'non_threadable' });
  const card = await world.card('with a receipt', { files: [proofFile('receipt.pdf', 'a receipt')] });
  const form = await opensFromDetails(ann, card, 'Files…', /Files of this task/);
  await form.clicks(
    'Post in thread',
    /Slack rejected the file \(`restricted_action_non_threadable_channel`\)\. Open it on the website/,
  );
  await world.card('another one');
  expect((await ann.reads(direct)).map(({ text }) => text)).toEqual([]);
});

test('whoever decides on a card that is too old to be changed is told what it would say', async () => {
  const { ann, slack } = await begin();
  const card = await world.card('an old one');
  await slack.refuses('chat.update', 'edit_window_closed', 0);
  await ann.clicks(card, 'OK');
  const told = await ann.sees(
    review,
    /This card of .*Photo of a shelf.* is too old for Slack to be changed. It would now say:\n:white_check_mark: \*OK\* by @Ann/,
  );
  expect(told.ephemeral).toBe(true);
  await ann.asks('/proofdesk failed', /Nothing has failed/);
});
