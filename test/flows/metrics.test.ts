import { afterEach, expect, test } from 'vitest';
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

let clock: ShiftedClock | undefined;
afterEach(() => {
  clock?.remove();
  clock = undefined;
});

/** Starts a world whose clock can be set ahead. */
async function beginWithClock(more: { pollSeconds?: number } = {}): Promise<ShiftedClock> {
  clock = createRedisClock();
  await begin({ redisClock: clock, ...more });
  return clock;
}

/** Lets time pass while no bot runs. @param minutes since the test began */
async function minutesPass(minutes: number): Promise<void> {
  await world.stopBots();
  clock?.shift(minutes * 60_000);
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

/** Expects that an alert is quiet. Returns what waits until it fires. */
async function quiet(alert: keyof typeof compared) {
  const isPassed = async () => passes(alert, compared[alert](await scrape(world.port)));
  expect(await isPassed(), `${alert} before the fault`).toBe(false);
  return { fires: () => eventually(`${alert} to fire`, isPassed) };
}

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

test('ProofdeskAway fires while Redis does not answer', async () => {
  await begin();
  const alert = await quiet('ProofdeskAway');
  world.redis.pause();
  try {
    await alert.fires();
  } finally {
    world.redis.resume();
  }
});

test('ProofdeskAcksLate fires when a form is answered late', async () => {
  await begin();
  const alert = await quiet('ProofdeskAcksLate');
  const card = await world.card('a shelf');
  const form = await world.ann.opens(card, 'NOK', /Rate NOK/);
  await form.fill('Reason for NOK', 'Another shelf');
  world.redis.pause();
  try {
    await form.submit();
    await alert.fires();
  } finally {
    world.redis.resume();
  }
});

test('ProofdeskSlackAway fires while Slack answers 500', async () => {
  const { marketplace, slack } = await begin();
  const alert = await quiet('ProofdeskSlackAway');
  await slack.fault({ match: {}, kind: '500', times: 0 });
  await marketplace.submit({ campaign_id: shelf.campaign_id, count: 5 });
  await alert.fires();
});

test.each([
  ['answers 500', { kind: '500' }],
  ['rejects the key', { kind: 'error', error: 'API KEY WRONG' }],
] as const)('ProofdeskMarketplaceAway fires while the marketplace %s', async (_, fault) => {
  const { marketplace } = await begin();
  const alert = await quiet('ProofdeskMarketplaceAway');
  await marketplace.fault({ ...fault, times: 0 });
  await alert.fires();
});

test('ProofdeskPollsLate fires when polls fail for ten minutes', async () => {
  await beginWithClock();
  await world.card('a shelf');
  const alert = await quiet('ProofdeskPollsLate');
  await world.marketplace.fault({ kind: '500', times: 0 });
  await minutesPass(10);
  await alert.fires();
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
  await world.marketplace.fault({ kind: '500', times: 0 });
  await minutesPass(30);
  expect(passes('ProofdeskPollsLate', await lateBy())).toBe(false);
  await minutesPass(70);
  expect(passes('ProofdeskPollsLate', await lateBy())).toBe(true);
});

test('ProofdeskCardsLate fires when a card cannot be posted for two minutes', async () => {
  await beginWithClock();
  await world.card('a shelf');
  const alert = await quiet('ProofdeskCardsLate');
  await world.slack.fault({ match: { method: 'chat.postMessage' }, kind: '500', times: 0 });
  await world.marketplace.submit({ campaign_id: shelf.campaign_id });
  await world.slack.request(({ status }) => status === 500);
  await minutesPass(2);
  await alert.fires();
});

test('ProofdeskDecisionsLate fires when a rating reaches the marketplace after five minutes', async () => {
  await beginWithClock();
  const { marketplace } = world;
  const { task, card } = await world.taskWithCard('a shelf');
  const alert = await quiet('ProofdeskDecisionsLate');
  await marketplace.fault({ match: { path: 'rate_task' }, kind: '500', times: 0 });
  await world.ann.clicks(card, 'OK', /OK\* by @Ann/);
  await minutesPass(5);
  await marketplace.clearFaults();
  await marketplace.rated(task, 'OK');
  await alert.fires();
});

test('ProofdeskJobsFail fires when Slack refuses a card', async () => {
  const { marketplace, slack } = await begin();
  const alert = await quiet('ProofdeskJobsFail');
  await slack.refuses('chat.postMessage', 'msg_blocks_too_long', 0);
  await marketplace.submit({ campaign_id: shelf.campaign_id });
  await alert.fires();
});

test('ProofdeskRedisFull fires when Redis uses 85 % of its memory', async () => {
  await begin();
  const alert = await quiet('ProofdeskRedisFull');
  await world.redis.isNearlyFull();
  await alert.fires();
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
