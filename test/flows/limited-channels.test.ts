import type { SandboxFile } from '@proofdesk/marketplace-sandbox/testing';
import { expect, test } from 'vitest';
import { opensFromDetails } from '../harness/acts.ts';
import { eventually } from '../harness/eventually.ts';
import { worldPerTest } from '../harness/worlds.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const review = 'C01REVIEW';
const direct = 'D01ANN';

const { world, begin } = worldPerTest();

const submit = (proof: string, files: SandboxFile[] = []) =>
  world.marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof], files });

test.each([
  ['read_only', /#review is read-only, so new tasks cannot be posted there/],
  ['thread_only', /#review allows only thread replies, so new tasks cannot be posted there/],
  ['restricted', /Proofdesk is not allowed to post in #review/],
] as const)(
  'a channel that becomes %s is told to its subscriber once, and its cards follow',
  async (posting, told) => {
    await begin({ scenario: { campaigns: [shelf] }, env: { REVIEW_CHANNEL: undefined } });
    const { ann, slack } = world;
    await ann.asks('/proofdesk subscribe', /will be posted in this channel/);
    await slack.channelPatch(review, { posting });
    await submit('the first');
    await submit('the second');
    const notice = await ann.sees(direct, told);
    expect(notice.text).toContain('Nothing is lost');
    await ann.opensHome();
    await ann.home(/Needs attention.*Proofdesk is not allowed to post in #review/s);

    await slack.channelPatch(review, { posting: null });
    await ann.sees(review, /the first/);
    await ann.sees(review, /the second/);
    await world.settled();
    expect((await ann.reads(direct)).map(({ text }) => text)).toEqual([notice.text]);
  },
);

test('a channel that takes no posts is tried once per pause, however many tasks wait for it', async () => {
  await begin({
    scenario: { campaigns: [shelf] },
    env: { OPEN_CARDS: '0' },
    timeouts: { firstRetryMs: 100 },
  });
  const { ann, slack } = world;
  await slack.channelPatch(review, { posting: 'read_only' });
  await world.marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['waits'], count: 40 });
  const refused = async () =>
    (await slack.requests({ method: 'chat.postMessage', error: 'restricted_action_read_only_channel' }))
      .length;
  await eventually('the first', async () => (await refused()) > 0);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  // Those of the four jobs that ran when it began, and those after pauses of 100, 200, 400, 800 and 1,600 ms.
  expect(await refused()).toBeLessThanOrEqual(4 + 5);

  await slack.channelPatch(review, { posting: null });
  await eventually('all cards', async () => {
    return (await ann.reads(review)).filter(({ text }) => /waits/.test(text)).length === 40;
  });
});

test('a file is not posted where nobody may reply, which is said, and cards still are', async () => {
  await begin({ scenario: { campaigns: [shelf] } });
  const { ann, slack } = world;
  await slack.channelPatch(review, { posting: 'non_threadable' });
  const base64 = Buffer.from('a receipt').toString('base64');
  await submit('with a receipt', [{ filename: 'receipt.pdf', content_type: 'application/pdf', base64 }]);
  const card = await ann.sees(review, /with a receipt/);
  const files = await opensFromDetails(ann, card, 'Files…', /Files of this task/);
  await files.clicks(
    'Post in thread',
    /This channel allows no replies, so the file cannot be posted in the card’s thread/,
  );
  await submit('another one');
  await ann.sees(review, /another one/);
  expect((await ann.reads(direct)).map(({ text }) => text)).toEqual([]);
});

test('whoever decides on a card that is too old to be changed is told what it would say', async () => {
  await begin({ scenario: { campaigns: [shelf] } });
  const { ann, slack } = world;
  await submit('an old one');
  const card = await ann.sees(review, /an old one/);
  await slack.refuses('chat.update', 'edit_window_closed', 0);
  await ann.clicks(card, 'OK');
  const told = await ann.sees(
    review,
    /This card of .*Photo of a shelf.* is too old for Slack to be changed. It would now say:\n:white_check_mark: \*OK\* by @Ann/,
  );
  expect(told.ephemeral).toBe(true);
  await ann.asks('/proofdesk failed', /Nothing has failed/);
});
