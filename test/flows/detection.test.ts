import { expect, test } from 'vitest';
import { pixel, place, proofFile, shelf } from '../harness/acts.ts';
import { readsAudit } from '../harness/audit-file.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const { world, begin } = worldPerTest({ scenario: { campaigns: [shelf] } });

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

test('counts that cancel out are found by the sweep', async () => {
  const { ann, marketplace } = await begin({ intervals: { sweepMs: 3_000 } });
  const { task: first, card } = await world.taskWithCard('first');
  await looks(2);
  // REVISE is in none of the counts that the list gives: one leaves, another comes, and the counts are as before.
  await Promise.all([marketplace.rate(first, 'REVISE', 'Hold it still'), world.submit('second')]);
  await ann.sees(place, /second/);
  await card.untilText(/\*REVISE\*, rated outside of Slack.*Hold it still/);
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

test('a status is told once it was listed twice in a row and the other list agrees', async () => {
  const { ann, marketplace } = await begin();
  // The poll that finds a task knows the statuses.
  await world.card('the shelf');
  await marketplace.clearRequests();
  await marketplace.patchCampaign(shelf.campaign_id, { status: 'FINISHED' });
  await ann.sees(place, /Photo of a shelf\*? has finished/);
  /** The lists that the bot has read, in order: `polled` by polls, `proof` to confirm a status. */
  const lists = (await marketplace.requests()).flatMap(({ path }) => {
    if (path.includes('/campaigns_b/list_extend')) return ['polled'];
    return path.includes('/campaigns_b/list') ? ['proof'] : [];
  });
  expect(lists.slice(0, 3)).toEqual(['polled', 'polled', 'proof']);
});
