import { expect, onTestFinished, test } from 'vitest';
import { place, rates, shelf } from '../harness/acts.ts';
import { createRedisClock, type ShiftedClock } from '../harness/clock.ts';
import { ask } from '../harness/health.ts';
import { passes, type Scrape, scrape } from '../harness/metrics.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const { world, begin } = worldPerTest({
  scenario: { campaigns: [shelf] },
  env: { METRICS: 'on' },
  timeouts: { firstRetryMs: 50, requeueAfterMs: 100 },
});

let clock: ShiftedClock;

/** Starts a world whose clock can be set ahead. */
async function beginWithClock(more: { pollSeconds?: number } = {}): Promise<void> {
  clock = createRedisClock();
  onTestFinished(clock.remove);
  await begin({ redisClock: clock, ...more });
}

/** Lets time pass while no bot runs. @param minutes since the test began */
async function minutesPass(minutes: number): Promise<void> {
  await world.stopBots();
  clock.shift(minutes * 60_000);
  await world.startBot();
}

const ackSeconds = 'proofdesk_slack_ack_seconds';
/** The value that the rule of each alert compares. */
const compared = {
  ProofdeskAway: (now) => (now.find('proofdesk_paused').length > 0 ? undefined : 1),
  ProofdeskAcksLate: (now) =>
    1 - now.sum(`${ackSeconds}_bucket`, { le: '1' }) / now.sum(`${ackSeconds}_count`),
  ProofdeskSlackAway: (now) => now.max('proofdesk_paused', { dependency: 'slack' }),
  ProofdeskMarketplaceAway: (now) => now.max('proofdesk_paused', { dependency: 'marketplace' }),
  ProofdeskPollsLate: latePoll,
  ProofdeskCardsLate: (now) => now.max('proofdesk_tasks', { state: 'card_late' }),
  ProofdeskDecisionsLate: (now) => now.quantile(0.9, 'proofdesk_decision_to_marketplace_seconds'),
  ProofdeskJobsFail: (now) => now.sum('proofdesk_jobs', { state: /^(failing|failed)$/ }),
  ProofdeskRedisFull: (now) => now.max('proofdesk_redis_memory_ratio'),
} satisfies Record<string, (now: Scrape) => number | undefined>;

const marketplaceFails = () => world.marketplace.fault({ kind: '500', times: 0 });

/** Returns how long the last poll is overdue (s). */
function latePoll(now: Scrape): number | undefined {
  const age = now.max('proofdesk_last_poll_age_seconds');
  return age === undefined ? undefined : age - now.sum('proofdesk_poll_interval_seconds');
}

test('nobody is answered at /metrics unless METRICS is on', async () => {
  await begin({ env: { METRICS: 'off' } });
  expect((await ask(world.port, '/metrics'))?.status).toBe(404);
});

test('a scrape tells what happened from a submission to a rating, and how things are, and names nobody', async () => {
  const { ann, marketplace, port } = await begin();
  const { task, card } = await world.taskWithCard('first shelf');
  await world.card('second shelf');
  await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);
  await marketplace.rated(task, 'OK');
  const metrics = await eventually('the counts', async () => {
    const now = await scrape(port);
    return now.max('proofdesk_tasks', { state: 'open' }) === 1 &&
      now.sum('proofdesk_decision_to_marketplace_seconds_count') === 1
      ? now
      : undefined;
  });
  expect(metrics.sum('proofdesk_submission_to_card_seconds_count')).toBe(2);
  expect(metrics.sum('proofdesk_slack_ack_seconds_count')).toBeGreaterThanOrEqual(1);
  const posts = { method: 'chat.postMessage', result: 'ok' };
  expect(metrics.sum('proofdesk_slack_calls_total', posts)).toBeGreaterThanOrEqual(2);
  const ratings = { endpoint: 'rateTask', result: 'ok' };
  expect(metrics.sum('proofdesk_marketplace_call_seconds_count', ratings)).toBe(1);
  // An empty list is no refusal.
  expect(metrics.find('proofdesk_marketplace_call_seconds_count', { result: 'refused' })).toEqual([]);
  expect(metrics.max('proofdesk_oldest_waiting_seconds')).toBeLessThan(600);
  expect(metrics.max('proofdesk_last_poll_age_seconds')).toBeLessThan(600);
  expect(metrics.max('proofdesk_paused')).toBe(0);
  expect(metrics.find('proofdesk_jobs', { queue: 'polls' }).length).toBeGreaterThan(3);
  // There is no limit.
  expect(metrics.find('proofdesk_redis_memory_ratio')).toEqual([]);
  expect(metrics.text).not.toMatch(/T0SANDBOX|C0\d|U0\d|c0ffee01|shelf|default/);
});

/** By alert and what it says of it: what happens. */
const faults: readonly (readonly [keyof typeof compared, string, () => unknown])[] = [
  ['ProofdeskAway', 'while Redis does not answer', () => world.redis.pause()],
  [
    'ProofdeskAcksLate',
    'when a form is answered late',
    async () => {
      const form = await world.ann.opens(await world.card('a shelf'), 'NOK', /Rate NOK/);
      await form.fill('Reason for NOK', 'Another shelf');
      world.redis.pause();
      await form.submit();
    },
  ],
  [
    'ProofdeskSlackAway',
    'while Slack answers 500',
    async () => {
      await world.slack.fault({ match: {}, kind: '500', times: 0 });
      await world.submit('a shelf', { count: 5 });
    },
  ],
  ['ProofdeskMarketplaceAway', 'while the marketplace answers 500', () => marketplaceFails()],
  [
    'ProofdeskMarketplaceAway',
    'while the marketplace rejects the key',
    () => world.marketplace.fault({ kind: 'error', error: 'API KEY WRONG', times: 0 }),
  ],
  [
    'ProofdeskPollsLate',
    'when polls fail for ten minutes',
    async () => {
      await world.card('a shelf');
      await marketplaceFails();
      await minutesPass(10);
    },
  ],
  [
    'ProofdeskCardsLate',
    'when a card cannot be posted for two minutes',
    async () => {
      await world.card('a shelf');
      await world.slack.fault({ match: { method: 'chat.postMessage' }, kind: '500', times: 0 });
      await world.submit('another shelf');
      await world.slack.request(({ status }) => status === 500);
      await minutesPass(2);
    },
  ],
  [
    'ProofdeskDecisionsLate',
    'when a rating reaches the marketplace after five minutes',
    async () => {
      const { task, card } = await world.taskWithCard('a shelf');
      await world.marketplace.fault({ match: { path: 'rate_task' }, kind: '500', times: 0 });
      await world.ann.clicks(card, 'OK', /OK\* by @Ann/);
      await minutesPass(5);
      await world.marketplace.clearFaults();
      await world.marketplace.rated(task, 'OK');
    },
  ],
  [
    'ProofdeskJobsFail',
    'when Slack refuses a card',
    async () => {
      await world.slack.refuses('chat.postMessage', 'msg_blocks_too_long', 0);
      await world.submit('a shelf');
    },
  ],
  ['ProofdeskRedisFull', 'when Redis uses 85 % of its memory', () => world.redis.isNearlyFull()],
];

test.each(faults)('%s fires %s', async (alert, _, happens) => {
  await beginWithClock();
  const isPassed = async () => passes(alert, compared[alert](await scrape(world.port)));
  expect(await isPassed(), 'before the fault').toBe(false);
  await happens();
  await eventually(`${alert} to fire`, isPassed).finally(world.redis.resume);
});

test('ProofdeskPollsLate is quiet for an account that is followed no longer, and has a task to be decided', async () => {
  await beginWithClock();
  await world.card('a shelf');
  await eventually('the first poll', async () => latePoll(await scrape(world.port)) !== undefined);
  await world.ann.asks('/proofdesk unsubscribe', /are no longer posted here/);
  await minutesPass(10);
  const metrics = await scrape(world.port);
  expect(metrics.max('proofdesk_tasks', { state: 'open' })).toBe(1);
  expect(passes('ProofdeskPollsLate', latePoll(metrics))).toBe(false);
});

test('ProofdeskPollsLate waits for as long as POLL_SECONDS says', async () => {
  await beginWithClock({ pollSeconds: 3_600 });
  const lateBy = async () => latePoll(await scrape(world.port));
  await eventually('the first poll', async () => (await lateBy()) !== undefined);
  await marketplaceFails();
  await minutesPass(30);
  expect(passes('ProofdeskPollsLate', await lateBy())).toBe(false);
  await minutesPass(70);
  expect(passes('ProofdeskPollsLate', await lateBy())).toBe(true);
});

test('while Redis is nearly full, Home says so and new tasks wait; what is here is rated, and new tasks come once it has room', async () => {
  const { ann, ben, marketplace, redis } = await begin();
  const { task, card } = await world.taskWithCard('here already');
  const other = await world.taskWithCard('here too');
  const hasRoom = await redis.isNearlyFull();
  await ann.opensHome();
  const full = /Proofdesk’s storage is almost full, so new tasks wait at the marketplace/;
  await ann.home(full);
  await world.submit('comes later');
  await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);
  await marketplace.rated(task, 'OK');
  await rates(ben, other.card, 'NOK', 'Another shelf');
  await marketplace.rated(other.task, 'NOK');
  await marketplace.polls();
  expect(await world.posts(/comes later/)).toEqual([]);
  await hasRoom();
  await ann.sees(place, /comes later/);
  await (await ann.home(/Reviewing/)).until(({ text }) => !full.test(text));
});
