import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { place as review, shelf, survey } from '../harness/acts.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const inbox = 'C02INBOX';

const { world, begin, create } = worldPerTest({ scenario: { campaigns: [shelf, survey] } });

const { campaign_id } = survey;
const unreadable = (campaign: string, times = 0) =>
  world.marketplace.refuses(`results_csv/${campaign}`, 'SYSTEM ERROR', times);
const asked = (path: string) => world.marketplace.calls(path);

test('a first look goes on without a campaign that cannot be read, whose tasks follow when it can', async () => {
  const { ann, marketplace } = await create();
  await world.submit('a shelf', { count: 2 });
  await world.submit('an answer', { campaign_id, count: 3 });
  await marketplace.write({ subject: 'A letter' });
  const fault = await unreadable(survey.campaign_id);
  await world.startBot();
  await ann.sees(review, /A letter/);
  await eventually('the cards', async () => (await world.posts(/a shelf/)).length === 2);
  await world.card('a later one');
  const tries = (await asked('results_csv/decade02')).length;
  await eventually('another try', async () => (await asked('results_csv/decade02')).length > tries);

  await marketplace.clearFaults(fault);
  await eventually('the rest', async () => (await world.posts(/an answer/)).length === 3);
  await world.card('one more answer', { campaign_id });
});

test('a first look waits for the campaigns while not one of them can be read', async () => {
  const { ann } = await create();
  await world.submit('a shelf');
  await world.submit('an answer', { campaign_id });
  // Both at their first read, neither at the next: one that could be read alone would be the first look.
  await unreadable(shelf.campaign_id, 1);
  await unreadable(survey.campaign_id, 1);
  await world.startBot();
  await ann.sees(review, /a shelf/);
  await ann.sees(review, /an answer/);
});

test('a first look brings a campaign’s own channel what waits there already, as far as it has room', async () => {
  const { ann } = await create({ env: { OPEN_CARDS: '5' } });
  await world.submit('an answer', { campaign_id, finished_datetime: '2026-01-05 10:00:00', count: 12 });
  await world.submit('a shelf', { count: 4 });
  await world.startBot();
  const whole = await ann.sees(review, /\*7 more tasks wait/);
  await ann.sees(review, /\*4 more tasks wait/);
  // A card that is not posted yet moves to the other channel.
  await eventually('the cards here', async () => (await world.posts(/an answer/)).length === 5);
  await ann.types(inbox, '/proofdesk subscribe survey');
  await eventually('the cards', async () => (await world.posts(/an answer/, inbox)).length === 5);
  const own = await ann.sees(inbox, /\*2 more tasks wait/);
  await whole.untilText(/no more tasks are waiting here/);
  expect(await world.posts(/an answer/)).toHaveLength(5);
  expect(await world.posts(/```a shelf/)).toHaveLength(0);

  // What had a channel of its own belongs to the account's channel again.
  await ann.types(inbox, '/proofdesk unsubscribe');
  await own.untilText(/no more tasks are waiting here/);
  await ann.sees(review, /\*2 more tasks wait/);
  const lists = async () => (await asked('list_extend')).length;
  await eventually('three looks in a row that update nothing', async () => {
    await world.slack.clearRequests();
    const idle = (await lists()) + 3;
    await eventually('idle looks', async () => (await lists()) >= idle);
    return (await world.slack.requests({ method: 'chat.update' })).length === 0;
  });
});

test('a count that is posted while its campaign moves to another channel says so there', async () => {
  const { ann, slack } = await create({ env: { OPEN_CARDS: '1' } });
  await world.submit('an answer', { campaign_id, count: 3 });
  await slack.fault({ match: { method: 'chat.postMessage' }, kind: 'latency', delayMs: 3_000, times: 2 });
  await world.startBot();
  const posts = () => slack.requests({ method: 'chat.postMessage' });
  await eventually('both posts', async () => (await posts()).length === 2);
  await ann.types(inbox, '/proofdesk subscribe survey');
  await ann.sees(inbox, /more task/);
  await ann.sees(review, /no more tasks are waiting here/);
});

test('the inbox is looked at although the campaigns cannot be listed', async () => {
  const { ann, marketplace } = await begin({ scenario: { campaigns: [shelf] } });
  await marketplace.refuses('list_extend', 'SYSTEM ERROR', 0);
  await marketplace.write({ subject: 'A letter' });
  await ann.sees(review, /A letter/);
});

test('the budget of bytes counts what was read first, and a campaign that was never read waits for it', async () => {
  // One of these results is what may be read in a minute, and of the next one about five seconds.
  const { ann, marketplace } = await create({ rateLimits: { csvBytesPerMinute: 300_000 * (60 / 65) } });
  // Nearly as long on the wire as its random bytes.
  const long = randomBytes(300_000).toString('base64');
  await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['large one', long] });
  await world.startBot();
  await ann.sees(review, /large one/);
  const [first] = await asked('results_csv/c0ffee01');
  await world.card('an answer', { campaign_id });
  const [second] = await asked('results_csv/decade02');
  expect(Date.parse(second?.at ?? '') - Date.parse(first?.at ?? '')).toBeGreaterThan(4_500);
});
