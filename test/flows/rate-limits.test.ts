import { expect, test } from 'vitest';
import { place, proofFile, shelf } from '../harness/acts.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const receipt = { campaign_id: 'c0ffee02', title: 'Transcribe a receipt', status: 'RUNNING' } as const;

const { world, begin } = worldPerTest({ scenario: { campaigns: [shelf] } });
const elsewhere = 'C02INBOX';

/** Waits until Home counts so many tasks that wait. */
const counted = (tasks: number) =>
  eventually(`Home to count ${tasks} tasks`, async () => {
    return (await world.ann.looksAtHome(/Reviewing/)).text.includes(`${tasks} tasks* wait`);
  });

test('of twelve cards that wait for one channel, a 429 meets the first alone', async () => {
  const { ann, marketplace, slack } = await begin({
    scenario: { campaigns: [{ ...shelf, available_positions: 100 }, receipt] },
  });
  await ann.asks(`/proofdesk subscribe ${receipt.campaign_id}`, /will be posted in this channel/, elsewhere);
  const refused = async () =>
    (await slack.requests({ method: 'chat.postMessage', status: 429 })).filter(
      ({ args }) => args?.channel === place,
    ).length;

  const posts = { method: 'chat.postMessage', channel: place };
  await slack.fault({ match: posts, kind: '429', times: 0, retryAfter: 10 });
  await world.submit('held up');
  const began = Date.now();
  await slack.request(({ method, status }) => method === 'chat.postMessage' && status === 429);
  /** One, and one more each time that Slack's ten seconds are over. */
  const allowed = () => 1 + Math.floor((Date.now() - began) / 10_000);
  await world.submit('held up', { count: 11 });
  await counted(12);
  // Another kind of message for the same channel waits for the same limit.
  await marketplace.write({ subject: 'Held up as well' });
  await marketplace.polls(6);
  const { campaign_id } = receipt;
  await ann.clicks(await world.card('not held up', { campaign_id }, elsewhere), 'OK');
  await ann.sees(elsewhere, /OK\* by @Ann/);
  await ann.asks('/proofdesk help', /connect/);
  expect(await refused()).toBeLessThanOrEqual(allowed());

  const atMost = allowed() + 1;
  await slack.clearFaults();
  await eventually('the twelve', async () => (await world.posts(/held up/)).length === 12, 60_000);
  expect(await refused()).toBeLessThanOrEqual(atMost);
});

test('in a burst the details of a task are read when its card is about to be posted, not before', async () => {
  const { marketplace, slack } = await begin({
    scenario: { campaigns: [{ ...shelf, available_positions: 100 }] },
    rateLimits: { channelMs: 1_000 },
    env: { OPEN_CARDS: '0' },
  });
  await world.card('the first');
  await world.submit('one of many', { count: 60 });
  const posted = async () => (await slack.requests({ method: 'chat.postMessage', ok: true })).length;
  const detailed = async () => (await marketplace.calls('get_task_info')).length;
  await counted(61);
  await eventually('the fourth card', async () => (await posted()) >= 4);
  // Those posted, those whose place comes within the next five seconds, and one or two between these two requests.
  expect(await detailed()).toBeLessThanOrEqual((await posted()) + 7);
});

test('while Slack limits the update of a card that nobody clicked, others like it wait, and clicked cards do not', async () => {
  const { ann, marketplace, slack } = await begin({
    scenario: { campaigns: [shelf, receipt] },
    timeouts: { requeueAfterMs: 100 },
  });
  await ann.asks(`/proofdesk subscribe ${receipt.campaign_id}`, /will be posted in this channel/, elsewhere);
  const { campaign_id } = receipt;
  const first = await world.taskWithCard('in one channel');
  const second = await world.taskWithCard('in another channel', { campaign_id }, elsewhere);
  const clicked = await world.taskWithCard('clicked there', { campaign_id }, elsewhere);

  const updates = { method: 'chat.update', channel: place };
  await slack.fault({ match: updates, kind: '429', times: 0, retryAfter: 60 });
  await marketplace.rate(first.task, 'OK');
  await slack.request(({ method, status }) => method === 'chat.update' && status === 429);
  await marketplace.rate(second.task, 'OK');
  await marketplace.polls(5);
  await ann.clicks(clicked.card, 'OK', /OK\* by @Ann/);
  expect(await slack.requests({ method: 'chat.update', status: 429 })).toHaveLength(1);
  expect((await ann.sees(elsewhere, /in another channel/)).buttons).toContain('OK');
});

test('an image that Slack limits is waited for: the card comes with it, and cards without one do not wait', async () => {
  const { ann, slack } = await begin();
  await slack.fault({ match: { method: 'files.getUploadURLExternal' }, kind: '429', retryAfter: 6 });
  await world.submit('with an image', { files: [proofFile('shelf.png', 'a very small picture')] });
  await slack.request(({ status }) => status === 429);
  await world.card('without');
  expect(await world.posts(/with an image/)).toEqual([]);
  const card = await ann.sees(place, /with an image/);
  expect(card.pictures).toHaveLength(1);
});
