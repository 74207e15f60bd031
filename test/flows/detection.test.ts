import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { pixel, place, proofFile, shelf, survey } from '../harness/acts.ts';
import { readsAudit } from '../harness/audit-file.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const { world, begin, create } = worldPerTest({ scenario: { campaigns: [shelf] } });

/** The API requests that a path names, since the log was emptied. */
const asked = (path = '') => world.marketplace.calls(path);

/** Waits until so many looks are over, and nothing of them is under way any more. */
async function looks(count: number): Promise<void> {
  const lists = async () => (await asked('list_extend')).length;
  const before = await lists();
  await eventually(
    'polls',
    async () => (await lists()) >= before + count && (await idleSince()) !== undefined,
  );
}

/** Returns every request so far, when no look is under way: each has asked for the campaigns and the inbox. */
async function idleSince() {
  const all = await asked();
  const count = (path: string) => all.filter((request) => request.path.includes(path)).length;
  return count('list_extend') === count('messages/list') ? all : undefined;
}

test.each([1, 1_000])('an idle look costs two requests with %i campaigns', async (count) => {
  const tasks = { OK: 2, NOTREVIEWED: 1, REVISE: 1 };
  await begin({
    scenario: { campaigns: [{ title: 'Small job', repeat: count, status: 'RUNNING', tasks }] },
  });
  await looks(2);
  const before = await eventually('no look to be under way', idleSince);
  await looks(3);
  const requests = (await eventually('no look to be under way', idleSince)).slice(before.length);
  const lists = requests.filter(({ path }) => path.includes('list_extend')).length;
  expect(lists).toBeGreaterThanOrEqual(3);
  expect(requests.length).toBe(2 * lists);
  expect(new Set(requests.map(({ path }) => path)).size).toBe(2);
  expect(await asked('results_csv')).toEqual([]);
});

test('results are read where counts have changed, compressed, and details asked once a task', async () => {
  const other = { campaign_id: 'decade02', title: 'Survey', status: 'RUNNING', tasks: { NOTRATED: 2 } };
  const { ann, marketplace } = await begin({ scenario: { campaigns: [shelf, other] } });
  await eventually('the first cards', async () => (await world.posts(/Survey/)).length === 2);
  await looks(1);
  await marketplace.clearRequests();
  const [task = ''] = await world.submit('a new one'.repeat(500));
  await ann.sees(place, /a new one/);
  const read = await asked('results_csv');
  expect(read.map(({ path }) => path)).toEqual(['/campaign_hg/results_csv/c0ffee01']);
  expect(read[0]?.encoding).toMatch(/gzip|br|deflate/);
  await looks(3);
  expect((await asked('get_task_info')).map(({ path }) => path)).toEqual([
    `/campaign_hg/get_task_info/${task}`,
  ]);
});

test('a task that was sent back and corrected elsewhere while nobody looked gets a card of what waits now', async () => {
  const { ann, marketplace } = await begin({ intervals: { sweepMs: 3_000 } });
  const { task, card } = await world.taskWithCard('blurred');
  await looks(2);
  await world.stopBots();
  // The rating and all counts are as before.
  // The marketplace's datetimes have a resolution of one second.
  const second = Math.floor(Date.now() / 1_000);
  await eventually('the next second', () => Math.floor(Date.now() / 1_000) > second);
  await marketplace.rate(task, 'REVISE', 'Hold it still');
  await marketplace.correct(task, ['sharp']);
  await world.startBot();
  const next = await ann.sees(place, /sharp/);
  expect(next.text).toMatch(/blurred/);
  await card.untilText(/the worker has corrected this task/);
  expect(card.buttons).toEqual([]);
  await ann.clicks(next, 'OK', /OK\* by/);
});

test('a restart posts nothing twice', async () => {
  const { ann, marketplace } = await begin();
  await world.submit('one', { count: 3 });
  await marketplace.write({ subject: 'A letter' });
  await ann.sees(place, /A letter/);
  await eventually('the cards', async () => (await world.posts(/one/)).length === 3);
  await world.stopBots();
  await marketplace.clearRequests();
  await world.startBot();
  await looks(3);
  expect(await world.posts(/one/)).toHaveLength(3);
  expect(await world.posts(/A letter/)).toHaveLength(1);
  expect(await asked('get_task_info')).toEqual([]);
  expect(await asked('results_csv')).toEqual([]);
});

test('a task that the marketplace reviews first is no card until it can be rated', async () => {
  const { ann, marketplace } = await begin({ transport: 'http' });
  const [task = ''] = await world.submit('under review', { rating: 'NOTREVIEWED' });
  await looks(3);
  expect(await world.posts(/under review/)).toEqual([]);
  await marketplace.rate(task, 'NOTRATED');
  const card = await ann.sees(place, /under review/);
  expect(card.buttons).toEqual(expect.arrayContaining(['OK', 'REVISE', 'NOK']));
});

test('a rating made elsewhere is shown, and takes the buttons away', async () => {
  const { ben, marketplace } = await begin({ transport: 'http' });
  const { task, card } = await world.taskWithCard('elsewhere');
  await marketplace.rate(task, 'NOK', 'Not <!here> the shelf');
  await card.untilText(/\*NOK\*, rated outside of Slack, seen .*“Not <!here> the shelf”/);
  expect(card.pings).not.toContain('@here');
  expect(card.buttons).toEqual([]);
  await ben.clicksOldButton(card, 'OK');
  await ben.sees(place, /already rated \*NOK\* outside of Slack, seen .*\. Your OK was not sent/);
});

test('many ratings made elsewhere at once do not delay the card of a new task', async () => {
  const { marketplace } = await begin({ env: { OPEN_CARDS: '0' } });
  const rated = await marketplace.submit({ campaign_id: shelf.campaign_id, count: 60 });
  await eventually('60 cards', async () => (await world.posts(/Finished/)).length === 60, 60_000);
  await marketplace.delays('get_task_info', 500, 0);
  await marketplace.clearRequests();
  for (const task of rated) await marketplace.rate(task, 'OK');
  const confirming = async () =>
    (await asked('get_task_info')).filter(({ path }) => rated.some((id) => path.includes(id)));
  await eventually('the first is confirmed', async () => (await confirming()).length > 0);
  await world.card('a new shelf');
  expect((await confirming()).length).toBeLessThan(60);
  await eventually('all are shown', async () => (await world.posts(/rated outside of Slack/)).length === 60);
});

test('a task that is corrected twice before Slack takes an update: each earlier card links to the latest one', async () => {
  const { ann, marketplace, slack } = await begin();
  const { task, card: first } = await world.taskWithCard('blurred');
  /** How often the bot has seen a rating that was made on the website. */
  const ratingsSeen = async () =>
    (await readsAudit(world)).filter(({ what }) => what === 'rated elsewhere').length;
  await slack.fault({ match: { method: 'chat.update' }, kind: '429', times: 0, retryAfter: 1 });

  await marketplace.rate(task, 'REVISE', 'sharper, please');
  await eventually('the first rating', async () => (await ratingsSeen()) === 1);
  await marketplace.correct(task, ['still a bit dark']);
  const second = await ann.sees(place, /still a bit dark/);
  await marketplace.rate(task, 'REVISE', 'lighter, please');
  await eventually('the second rating', async () => (await ratingsSeen()) === 2);
  await marketplace.correct(task, ['sharp and light']);
  const third = await ann.sees(place, /sharp and light/);

  await slack.clearFaults();
  for (const card of [first, second]) {
    await card.untilText(/its newer card/);
    expect(card.buttons).toEqual([]);
  }
  expect((await third.refresh()).buttons).toContain('OK');
});

test('a card shows every slot, cuts what is long, and shows all of it on request', async () => {
  const { ann, marketplace } = await begin();
  const long = `${'<b>&"word" '.repeat(400)}the end`;
  await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['slot one', long, 'slot three'] });
  const card = await ann.sees(place, /slot one/);
  expect(card.text).toMatch(/Proof 1 of 3/);
  expect(card.text).toMatch(/Proof 3 of 3\*\n```slot three/);
  expect(card.text).not.toContain('the end');
  const modal = await ann.opens(card, 'Full proof', /Full proof/);
  expect(modal.text).toContain('the end');
  expect(modal.text).toContain('slot one');
});

test('images are shown from bytes that Slack holds, other files are named', async () => {
  const { slack } = await begin();
  const card = await world.card('see the files', {
    files: [
      proofFile('shelf <1>.png'),
      proofFile('receipt.pdf', Buffer.alloc(12_345, 1)),
      { ...proofFile('broken.jpg'), broken: true },
    ],
  });
  expect(card.pictures).toEqual(['Proof file 1: shelf <1>.png']);
  expect(card.text).toContain('Files: receipt.pdf (12 KB) · broken.jpg (');
  const [image] = (card.blocks as { accessory?: { slack_file?: { id: string } } }[]).flatMap(
    ({ accessory }) => (accessory?.slack_file ? [accessory] : []),
  );
  const bytes = await fetch(`${world.slackUrl}/_sandbox/files/${image?.slack_file?.id}`);
  expect(Buffer.from(await bytes.arrayBuffer()).toString('base64')).toBe(pixel);
  expect(JSON.stringify(await slack.requests({ direction: 'in' }))).not.toContain('image_url');
});

test('a card that Slack refuses without a reason is posted without its image, which follows', async () => {
  const { slack } = await begin();
  await slack.refuses('chat.postMessage', 'invalid_blocks', 1);
  const card = await world.card('picky', { files: [proofFile('shelf.png')] });
  expect(card.text).toContain('shelf.png');
  await card.until(({ pictures }) => pictures.length > 0);
  await looks(2);
  expect(await world.posts(/picky/)).toHaveLength(1);
});

test('a worker’s IP is on no card where it is no evidence, and shown without its last part elsewhere', async () => {
  await begin();
  const card = await world.card('where', { ip: '203.0.113.77', country: 'France' });
  expect(card.text).not.toContain('203.0.113');
  expect(card.text).toContain('France');
  const details = await world.ann.picks(card, 'Details…', /IP address: 203\.0\.113\.…/);
  expect(card.sent() + details.sent()).not.toContain('203.0.113.77');
});

test('a status is told once it was listed twice in a row', async () => {
  const { ann, marketplace } = await begin();
  // The poll that finds a task knows the statuses.
  await world.card('the shelf');
  await marketplace.clearRequests();
  await marketplace.patchCampaign(shelf.campaign_id, { status: 'FINISHED' });
  await ann.sees(place, /Photo of a shelf\*? has finished/);
  const lists = (await marketplace.requests()).filter(({ path }) =>
    path.includes('/campaigns_b/list_extend'),
  );
  expect(lists.length).toBeGreaterThan(1);
});

const withSurvey = { scenario: { campaigns: [shelf, survey] } };
const inbox = 'C02INBOX';
const { campaign_id } = survey;
const unreadable = (campaign: string, times = 0) =>
  world.marketplace.refuses(`results_csv/${campaign}`, 'SYSTEM ERROR', times);

test('a first look goes on without a campaign that cannot be read, whose tasks follow when it can', async () => {
  const { ann, marketplace } = await create(withSurvey);
  await world.submit('a shelf', { count: 2 });
  await world.submit('an answer', { campaign_id, count: 3 });
  await marketplace.write({ subject: 'A letter' });
  const fault = await unreadable(survey.campaign_id);
  await world.startBot();
  await ann.sees(place, /A letter/);
  await eventually('the cards', async () => (await world.posts(/a shelf/)).length === 2);
  await world.card('a later one');
  const tries = (await asked('results_csv/decade02')).length;
  await eventually('another try', async () => (await asked('results_csv/decade02')).length > tries);

  await marketplace.clearFaults(fault);
  await eventually('the rest', async () => (await world.posts(/an answer/)).length === 3);
  await world.card('one more answer', { campaign_id });
});

test('a first look waits for the campaigns while not one of them can be read', async () => {
  const { ann } = await create(withSurvey);
  await world.submit('a shelf');
  await world.submit('an answer', { campaign_id });
  // Both at their first read, neither at the next: one that could be read alone would be the first look.
  await unreadable(shelf.campaign_id, 1);
  await unreadable(survey.campaign_id, 1);
  await world.startBot();
  await ann.sees(place, /a shelf/);
  await ann.sees(place, /an answer/);
});

test('a first look brings a campaign’s own channel what waits there already, as far as it has room', async () => {
  const { ann } = await create({ ...withSurvey, env: { OPEN_CARDS: '5' } });
  await world.submit('an answer', { campaign_id, finished_datetime: '2026-01-05 10:00:00', count: 12 });
  await world.submit('a shelf', { count: 4 });
  await world.startBot();
  const whole = await ann.sees(place, /\*7 more tasks wait/);
  await ann.sees(place, /\*4 more tasks wait/);
  // A card that is not posted yet moves to the other channel.
  await eventually('the cards here', async () => (await world.posts(/an answer/)).length === 5);
  await ann.types(inbox, '/proofdesk subscribe survey');
  await eventually('the cards', async () => (await world.posts(/an answer/, inbox)).length === 5);
  const own = await ann.sees(inbox, /\*2 more tasks wait/);
  await whole.untilText(/no more tasks are counted here/);
  expect(await world.posts(/an answer/)).toHaveLength(5);
  expect(await world.posts(/```a shelf/)).toHaveLength(0);

  // What had a channel of its own belongs to the account's channel again.
  await ann.types(inbox, '/proofdesk unsubscribe');
  await own.untilText(/no more tasks are counted here/);
  await ann.sees(place, /\*2 more tasks wait/);
  const lists = async () => (await asked('list_extend')).length;
  await eventually('three looks in a row that update nothing', async () => {
    await world.slack.clearRequests();
    const idle = (await lists()) + 3;
    await eventually('idle looks', async () => (await lists()) >= idle);
    return (await world.slack.requests({ method: 'chat.update' })).length === 0;
  });
});

test('a count that is posted while its campaign moves to another channel says so there', async () => {
  const { ann, slack } = await create({ ...withSurvey, env: { OPEN_CARDS: '1' } });
  await world.submit('an answer', { campaign_id, count: 3 });
  await slack.fault({ match: { method: 'chat.postMessage' }, kind: 'latency', delayMs: 3_000, times: 2 });
  await world.startBot();
  const posts = () => slack.requests({ method: 'chat.postMessage' });
  await eventually('both posts', async () => (await posts()).length === 2);
  await ann.types(inbox, '/proofdesk subscribe survey');
  await ann.sees(inbox, /more task/);
  await ann.sees(place, /no more tasks are counted here/);
});

test('the inbox is looked at although the campaigns cannot be listed', async () => {
  const { ann, marketplace } = await begin();
  await marketplace.refuses('list_extend', 'SYSTEM ERROR', 0);
  await marketplace.write({ subject: 'A letter' });
  await ann.sees(place, /A letter/);
});

test('the budget of bytes counts what was read first, and a campaign that was never read waits for it', async () => {
  // One of these results is what may be read in a minute, and of the next one about five seconds.
  const { ann, marketplace } = await create({
    ...withSurvey,
    rateLimits: { csvBytesPerMinute: 300_000 * (60 / 65) },
  });
  // Nearly as long on the wire as its random bytes.
  const long = randomBytes(300_000).toString('base64');
  await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['large one', long] });
  await world.startBot();
  await ann.sees(place, /large one/);
  const [first] = await asked('results_csv/c0ffee01');
  await world.card('an answer', { campaign_id });
  const [second] = await asked('results_csv/decade02');
  expect(Date.parse(second?.at ?? '') - Date.parse(first?.at ?? '')).toBeGreaterThan(4_500);
});
