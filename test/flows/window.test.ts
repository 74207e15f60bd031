import type { Seen } from '@proofdesk/slack-sandbox/testing';
import { expect, test } from 'vitest';
import { aReview, place, paidShelf as shelf, survey as usualSurvey } from '../harness/acts.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const survey = { ...usualSurvey, title: 'Short survey', available_positions: 100 } as const;
const surveys = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...survey,
    campaign_id: `decade0${index}`,
    title: `Survey number ${index}`,
  }));
const elsewhere = 'C02INBOX';

const { world, begin, create } = worldPerTest();

const cards = () => world.postsOf('card');
const openCards = async () => (await cards()).filter(({ buttons }) => buttons.includes('OK'));
const taskOf = ({ raw }: Seen) => String(raw.metadata?.event_payload.task);
const openTasks = async () => (await openCards()).map(taskOf).sort();
/** The messages that count what waits. */
const queues = () => world.postsOf('queue');

const cardOf = (task: string | undefined) =>
  eventually('the card', async () => (await cards()).find((card) => taskOf(card) === task));

/** Submits tasks a minute apart, the oldest first. */
async function submit(campaign_id: string, minutes: readonly number[]): Promise<string[]> {
  const tasks: string[] = [];
  for (const minute of minutes) {
    const finished_datetime = `2026-02-01 10:${String(minute).padStart(2, '0')}:00`;
    tasks.push(...(await world.submit(`proof ${minute}.`, { campaign_id, finished_datetime })));
  }
  return tasks;
}

test('a channel with room for three cards has those of the oldest tasks, and counts the rest by campaign', async () => {
  const { ann, marketplace, slack } = await create({
    scenario: { campaigns: [shelf, survey] },
    env: { OPEN_CARDS: '3', UNDO_SECONDS: '1' },
    transport: 'http',
  });
  const shelves = await submit(shelf.campaign_id, [0, 2, 4, 6, 8, 10, 12, 14]);
  const [answer = ''] = await submit(survey.campaign_id, [1, 20]);
  await world.startBot();

  const queue = await ann.sees(place, /Photo of a shelf\*: \*6 more tasks waiting\*, the oldest since/);
  await ann.sees(place, /Short survey\*: \*1 more task waiting/);
  await eventually('three cards', async () => (await cards()).length === 3);
  expect(new Set(await openTasks())).toEqual(new Set([shelves[0], answer, shelves[1]]));
  expect(queue.buttons).toContain('Start review');
  expect(await queues()).toHaveLength(2);

  // When one is decided, the next follows; when that is undone, nothing is taken back.
  await world.setUndo(120);
  const first = await cardOf(shelves[0]);
  await ann.clicks(first, 'OK');
  await cardOf(shelves[2]);
  await first.until(({ buttons }) => buttons.some((name) => name.startsWith('Undo')));
  await queue.untilText(/5 more tasks wait/);
  await ann.clicks(first, 'Undo');
  await first.until(({ buttons }) => buttons.includes('OK'));
  expect(new Set(await openTasks())).toEqual(new Set([shelves[0], answer, shelves[1], shelves[2]]));
  // There is no room for another one: three are open again after this.
  await marketplace.rate(answer, 'OK');
  await eventually('three open cards', async () => (await openCards()).length === 3);
  expect(await cards()).toHaveLength(4);
  expect(await queues()).toHaveLength(2);
  await world.setUndo(1);

  // What a focus review decides has no card; the next follow when the review has ended.
  const review = await ann.opens(queue, 'Start review', aReview);
  for (const minute of [0, 2, 4, 6, 8]) {
    await review.until(({ text }) => text.includes(`proof ${minute}.`));
    await review.submit();
  }
  await review.untilText(/proof 10\./);
  await queue.untilText(/3 more tasks wait/);
  expect(new Set((await cards()).map(taskOf))).toEqual(new Set([shelves[0], answer, shelves[1], shelves[2]]));
  await review.close({ all: true });
  await eventually('the next three', async () => (await openCards()).length === 3);
  expect(await openTasks()).toEqual(shelves.slice(5).sort());
  await queue.untilText(/no more tasks are counted here/);
  expect(queue.buttons).toEqual([]);
  for (const task of shelves.slice(0, 5)) await marketplace.rated(task, 'OK');
  expect((await cards()).map(taskOf)).not.toContain(shelves[3]);

  // A task that comes back keeps its card, and its correction waits for no room.
  const [back = ''] = shelves.slice(5);
  await submit(shelf.campaign_id, [30, 31]);
  const card = await cardOf(back);
  await marketplace.rate(back, 'REVISE', 'sharper, please');
  await card.untilText(/REVISE/);
  await eventually('the next', async () => (await openCards()).length === 3);
  await marketplace.correct(back, ['much sharper']);
  await ann.sees(place, /much sharper/);
  expect(await openCards()).toHaveLength(4);

  // A message that counts what waits comes back when somebody deletes it.
  await queue.untilText(/more task/);
  await slack.deletes(queue);
  const again = await eventually('the message again', async () =>
    (await queues()).find(({ ts, text }) => text.includes(shelf.title) && ts !== queue.ts),
  );
  expect(again.text).toMatch(/more tasks? waits?/);

  // It says that nothing waits when no task is left, with a card or without.
  await eventually('no open card', async () => {
    const open = await openTasks();
    for (const task of open)
      if ((await world.ratingOf(task)) === 'NOTRATED') await marketplace.rate(task, 'OK');
    return open.length === 0;
  });
  await again.untilText(/no more tasks are counted here/);
});

test('a correction whose campaign has moved has its card in the new channel at once; the earlier one links to it', async () => {
  const { ann, marketplace } = await begin({ scenario: { campaigns: [survey] }, env: { OPEN_CARDS: '1' } });
  const [task = ''] = await submit(survey.campaign_id, [0]);
  const card = await cardOf(task);
  await marketplace.rate(task, 'REVISE', 'longer, please');
  await card.untilText(/REVISE/);
  await ann.asks(`/proofdesk subscribe ${survey.campaign_id}`, /will be posted in this channel/, elsewhere);
  // These fill the window there.
  await submit(survey.campaign_id, [1, 2]);
  await eventually('a card there', async () => (await world.postsOf('card', elsewhere)).length === 1);
  await marketplace.correct(task, ['much longer']);
  await ann.sees(elsewhere, /much longer/);
  await card.untilText(/its newer card/);
});

test('two bots post 20 cards as shipped, and count the rest once, whatever step they die at and whatever answer is lost', async () => {
  const deaths = new Map<string, number>();
  await create({
    scenario: { campaigns: [shelf] },
    timeouts: { firstRetryMs: 50, lateArrivalMs: 300, requeueAfterMs: 300 },
    // Whichever of the two comes to a step first dies there; both have the same work.
    faults(passing) {
      deaths.set(passing, (deaths.get(passing) ?? 0) + 1);
      if (deaths.get(passing) === 1) throw new Error('as if the process had died here');
    },
  });
  await world.marketplace.submit({ campaign_id: shelf.campaign_id, count: 45 });
  await world.slack.fault({ match: { method: 'chat.postMessage' }, kind: 'drop-after', times: 8 });
  await Promise.all([world.startBot(), world.startBot({ PORT: '0' })]);
  const queue = await world.ann.sees(place, /25 more tasks waiting/);
  await eventually('20 cards', async () => (await openCards()).length === 20);
  const some = (await openTasks()).slice(0, 4);
  await Promise.all(some.map((task) => world.marketplace.rate(task, 'OK')));
  await queue.untilText(/21 more tasks wait/);
  await eventually('20 open cards again', async () => (await openCards()).length === 20);
  expect(await cards()).toHaveLength(24);
  expect(new Set((await cards()).map(taskOf)).size).toBe(24);
  expect(await queues()).toHaveLength(1);
  expect([...deaths.keys()]).toEqual(
    expect.arrayContaining(['attempt stored, not posted', 'posted, not recorded']),
  );
});

test('a reviewer of 30 tasks of six campaigns gets at most 33 messages', async () => {
  const campaigns = surveys(6);
  const { ann, marketplace } = await create({ scenario: { campaigns }, transport: 'http' });
  const seen = async () => [...(await ann.reads(place)), ...(await ann.reads('D01ANN'))].length;
  for (const minute of [1, 2, 3, 4, 5])
    for (const { campaign_id } of campaigns) await submit(campaign_id, [minute]);
  await world.startBot();
  await eventually('as many cards as there is room for', async () => (await openCards()).length === 20);
  await world.settled();
  const rated = new Set<string>();
  await eventually('all tasks to be rated', async () => {
    for (const card of await openCards()) {
      if (!rated.has(taskOf(card))) await ann.clicks(card, 'OK');
      rated.add(taskOf(card));
    }
    const { tasks } = await marketplace.state();
    return tasks.every(({ task_rating }) => task_rating === 'OK');
  });
  await world.settled();
  const count = await seen();
  expect(count).toBeGreaterThanOrEqual(30);
  expect(count).toBeLessThanOrEqual(33);
});

/** How many campaigns have a message of their own in a channel. */
const ownMessages = 2;
const campaigns = surveys(ownMessages + 5);
const countOf = ({ text }: Seen) => Number(/\*(\d+)(?: more)? tasks? waiting/.exec(text)?.[1] ?? 0);
const counting = async (channel: string) =>
  (await world.postsOf('queue', channel)).filter((message) => countOf(message) > 0);
const isOfOthers = ({ text }: Seen) => /other campaigns?\*/.test(text);
const sum = (messages: readonly Seen[]) => messages.reduce((total, message) => total + countOf(message), 0);
const waiting = async () =>
  (await world.marketplace.state()).tasks.filter(({ task_rating }) => task_rating === 'NOTRATED').length;

/** Waits until each task that waits has a card or is counted in one message, in as many messages as there may be. */
const areCountedOnce = (inOthers: number) =>
  eventually(`${inOthers} campaigns counted together`, async () => {
    const all = await counting(place);
    const others = all.filter(isOfOthers);
    const text = others.map((message) => message.text).join();
    const isSaid =
      inOthers === 0 ? others.length === 0 : new RegExp(`\\*${inOthers} other campaign`).test(text);
    const isEach = sum(all) + (await openCards()).length === (await waiting());
    return isSaid && isEach && all.length <= ownMessages + 1 && all;
  });

/** Rates all tasks of some campaigns at the marketplace. */
async function ratesAll(from: number, to: number): Promise<void> {
  const done = campaigns.slice(from, to).map(({ campaign_id }) => campaign_id);
  for (const { task_id, campaign_id } of (await world.marketplace.state()).tasks)
    if (done.includes(campaign_id)) await world.marketplace.rate(task_id, 'OK');
}

const startsReviewOf = (others: Seen | undefined) =>
  world.ben.opens(others as Seen, 'Start review', /Task 1 · /);

test('a channel has two messages of campaigns, what is due first, and one more that counts the others', async () => {
  await create({ scenario: { campaigns }, env: { OPEN_CARDS: '1' } });
  for (const [index, { campaign_id }] of campaigns.entries()) await submit(campaign_id, [index, index]);
  await world.startBot();
  const all = await areCountedOnce(5);
  expect(all).toHaveLength(ownMessages + 1);
  const others = all.find(isOfOthers);
  expect(countOf(others as Seen)).toBe(10);
  // The oldest have their own.
  expect(all.some(({ text }) => text.includes('Survey number 1*'))).toBe(true);
  expect(all.some(({ text }) => text.includes(`Survey number ${ownMessages + 4}*`))).toBe(false);
  expect(others?.buttons).toEqual(['Start review', 'Select…']);
  await startsReviewOf(others);

  // A place that is free goes to the next campaign.
  await ratesAll(1, 4);
  expect(await areCountedOnce(2)).toHaveLength(ownMessages + 1);

  // A digest has the same limit.
  await world.ann.types(elsewhere, '/proofdesk subscribe digest');
  const digests = await eventually('the digests', async () => {
    const counted = await counting(elsewhere);
    return sum(counted) === (await waiting()) && counted;
  });
  expect(digests).toHaveLength(ownMessages + 1);
  const inDigest = digests.find(isOfOthers);
  expect(inDigest?.text).toMatch(/2 other campaigns\*: \*4 tasks waiting/);
  await startsReviewOf(inDigest);
  expect(await counting(place)).toHaveLength(ownMessages + 1);

  // Once no campaign is left for it, the message says so, and counts nothing twice.
  await ratesAll(5, 7);
  await areCountedOnce(0);
  const [none] = (await world.postsOf('queue')).filter(({ text }) => /Other campaigns\*/.test(text));
  expect(none?.text).toContain('no more tasks are counted here');
});

test('what was deleted while nobody heard of it comes back if it is still wanted: a card of an open task, and a message that counts', async () => {
  const { ann, marketplace, slack } = await create({
    scenario: { campaigns: [shelf] },
    env: { OPEN_CARDS: '2' },
    intervals: { sweepMs: 1_000 },
  });
  // The oldest have the cards.
  const finished_datetime = '2026-01-05 10:00:00';
  await world.submit('stays here', { finished_datetime });
  await world.submit('deleted unseen', { finished_datetime });
  await marketplace.submit({ campaign_id: shelf.campaign_id, count: 4 });
  await world.startBot();
  // Slack gives up on an event after minutes; here it never arrives at all.
  await slack.fault({ match: { delivery: 'message' }, kind: 'lost', times: 0 });
  await ann.sees(place, /4 more tasks/);
  const kept = await ann.sees(place, /stays here/);
  const card = await ann.sees(place, /deleted unseen/);
  await slack.deletes(card);
  const again = await ann.sees(place, /deleted unseen/, { after: card.ts });
  // What is rated does not come back.
  await ann.clicks(again, 'OK', /:white_check_mark: \*OK\* by @Ann/);
  await slack.deletes(again);
  const looks = async () => (await slack.requests({ method: 'chat.getPermalink' })).length;
  const before = await looks();
  await eventually('more sweeps', async () => (await looks()) >= before + 6);
  expect(await world.posts(/\*OK\* by @Ann/)).toEqual([]);
  expect((await world.posts(/stays here/)).map(({ ts }) => ts)).toEqual([kept.ts]);

  const summary = await ann.sees(place, /3 more tasks/);
  await slack.deletes(summary);
  const newer = await ann.sees(place, /3 more tasks/, { after: summary.ts });
  expect(newer.buttons).toContain('Start review');
});
