import { expect, test } from 'vitest';
import { connects, place, shelf } from '../harness/acts.ts';
import { ask, isDegraded, isReady, notReady } from '../harness/health.ts';
import { eventually, worldPerTest } from '../harness/worlds.ts';

const inbox = 'C02INBOX';

/** Ten minutes of a bot whose first pause is a second are six seconds here. */
const timeouts = { firstRetryMs: 10, requeueAfterMs: 200, lateArrivalMs: 100 };
const tenMinutes = 600 * timeouts.firstRetryMs;
const { world, begin } = worldPerTest({ scenario: { campaigns: [shelf] }, timeouts });

/** Waits until so many calls to Slack have failed. */
async function failedCalls(count: number): Promise<void> {
  await eventually(
    `${count} failed calls to Slack`,
    async () => (await world.slack.requests({ status: 500 })).length >= count,
  );
}

const stopSlack = () => world.slack.fault({ match: {}, kind: '500', times: 0 });
const refused = async () =>
  (await world.marketplace.requests()).filter(({ status }) => status === 500).length;

test('after ten minutes in which Slack answers 500 to at most 30 calls, cards appear and become right by themselves', async () => {
  const { ann, slack } = await begin();
  const card = await world.card('before');
  // That she may rate is known from before.
  const earlier = await world.card('earlier');
  await ann.clicks(earlier, 'OK');
  await earlier.untilText(/:white_check_mark: \*OK\* by @Ann/);
  await stopSlack();
  await ann.clicks(card, 'OK');
  await world.submit('meanwhile', { count: 12 });
  await failedCalls(8);
  await eventually('/readyz to say so', () =>
    isDegraded(world, /slack web api: degraded\. Slack cannot be called \(http_500\)/),
  );
  await new Promise((resolve) => setTimeout(resolve, tenMinutes));
  expect((await slack.requests({ status: 500 })).length).toBeLessThanOrEqual(30);
  await slack.clearFaults();

  await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
  await eventually('all cards', async () => (await world.posts(/meanwhile/)).length === 12);
  const told = await ann.sees(place, /Slack wasn’t accepting messages from .* to/);
  expect(told.text).toContain('Everything that was late is being posted now.');
  await eventually('readiness', () => isReady(world));
  expect(await world.posts(/meanwhile/)).toHaveLength(12);
  expect(await world.posts(/Slack wasn’t accepting/)).toHaveLength(1);
  // The last job is taken off the list of failing work only after what it did can be seen.
  await eventually('nothing on the list', async () => {
    await ann.types(place, '/proofdesk failed');
    return (await ann.reads(place)).some(({ text }) => /Nothing has failed/.test(text));
  });
});

test('a short outage of Slack is told to nobody', async () => {
  const { ann, slack } = await begin({ intervals: { noticeAfterMs: 60_000 } });
  await stopSlack();
  await world.submit('meanwhile');
  await failedCalls(4);
  await slack.clearFaults();
  await ann.sees(place, /meanwhile/);
  await eventually('readiness', () => isReady(world));
  expect(await world.posts(/Slack wasn’t accepting/)).toEqual([]);
});

test('the end of an outage of the marketplace is told once, and what was due happens', async () => {
  // Somebody decides before people are told.
  const { ann, marketplace } = await begin({ intervals: { noticeAfterMs: 3_000 } });
  const { task, card } = await world.taskWithCard('before');
  const another = await world.taskWithCard('another');
  await marketplace.fault({ kind: '500', times: 0 });
  await ann.clicks(card, 'OK');
  const told = await ann.sees(place, /cannot be fetched right now/);
  expect(told.text).toContain('The marketplace isn’t answering. Proofdesk keeps trying');
  expect(told.text).toContain('1 rating is waiting to be sent. Nothing is lost');
  await ann.clicks(another.card, 'OK', /OK\* by @Ann/);
  await eventually('/readyz to say so', () =>
    isDegraded(world, /marketplace: degraded\. The marketplace isn’t answering/),
  );
  await world.submit('late proof', { count: 3 });
  const before = await refused();
  await eventually(
    'two more polls that fail, and nobody is told',
    async () => (await refused()) > before + 1,
  );
  await marketplace.clearFaults();

  await ann.sees(place, /are coming in again after an outage from .* to/);
  for (const one of [task, another.task]) await marketplace.rated(one, 'OK');
  await eventually('the cards', async () => (await world.posts(/late proof/)).length === 3);
  await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
  expect(await world.posts(/cannot be fetched right now/)).toHaveLength(1);
  expect(await world.posts(/are coming in again/)).toHaveLength(1);
  await eventually('readiness', () => isReady(world));
});

test('ten minutes without the marketplace cost at most 30 requests', async () => {
  const { ann, marketplace } = await begin();
  const { task, card } = await world.taskWithCard('before');
  await marketplace.fault({ kind: '500', times: 0 });
  await ann.clicks(card, 'OK');
  await eventually('the first', async () => (await refused()) > 0);
  await new Promise((resolve) => setTimeout(resolve, tenMinutes));
  expect(await refused()).toBeLessThanOrEqual(30);
  await marketplace.clearFaults();
  await marketplace.rated(task, 'OK');
});

test('a key that is revoked while another account works never makes the bot not ready', async () => {
  const other = { ...shelf, campaign_id: 'decade02', title: 'A survey', key: 'other-employer-demo-key' };
  const { ben, marketplace, port } = await begin({ scenario: { campaigns: [shelf, other] } });
  await (await connects(ben, other.key, 'Other', inbox)).untilText(/You are connected/);
  await ben.asks('/proofdesk subscribe', /will be posted in this channel/, inbox);
  const states: (number | undefined)[] = [];
  await marketplace.fault({ match: { key: other.key }, kind: 'error', error: 'API KEY WRONG', times: 0 });
  await eventually('/readyz to say so', async () => {
    states.push((await ask(port, '/readyz'))?.status);
    return isDegraded(world, /marketplace: degraded\. The marketplace rejects an account \(API_KEY_WRONG\)/);
  });
  const said = (await ask(port, '/readyz'))?.text ?? '';
  expect(said).not.toMatch(/T0SANDBOX|C0\d|survey|a-f0-9{16}/);
  await world.card('works');
  await ben.sees(inbox, /does not accept the account’s key/);
  expect(new Set(states)).toEqual(new Set([200]));
  await marketplace.clearFaults();
  await ben.sees(inbox, /are coming in again/);
  await eventually('readiness', () => isReady(world));
});

test('what was still to be done when its queue was lost is done after the start', async () => {
  const { ann, marketplace, redis } = await begin();
  const { task, card } = await world.taskWithCard('before');
  await world.slack.fault({ match: { method: 'chat.update' }, kind: '500', times: 0 });
  await ann.clicks(card, 'OK');
  await marketplace.rated(task, 'OK');
  await world.stopBots();
  for (const queue of ['queue:answers', 'queue:cards']) await redis.loses(queue);
  await world.slack.clearFaults();
  await world.startBot();
  await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
});

test('of an inbox that was empty at first, everything that comes during an outage is announced', async () => {
  const { ann, marketplace } = await begin({ scenario: { campaigns: [shelf], messages: [] } });
  // The poll that finds a task has read the empty inbox.
  await world.card('the shelf');
  await marketplace.fault({ kind: '500', times: 0 });
  for (let number = 1; number <= 8; number++) await marketplace.write({ subject: `Question no. ${number}.` });
  await marketplace.clearFaults();
  for (let number = 1; number <= 8; number++)
    await ann.sees(place, new RegExp(`Question no\\. ${number}\\.`));
  expect(await world.posts(/Question no\./)).toHaveLength(8);
});

test('a revoked token is said by /readyz, nothing is lost, and all goes on when it is valid again', async () => {
  const { ann, slack, marketplace } = await begin();
  const { task, card } = await world.taskWithCard('before');
  // What Slack said of Ann counts while it cannot be asked.
  await ann.asks('/campaign list', /1 campaign\*?\./);
  await slack.settings({ tokenRevoked: true });
  await ann.clicks(card, 'OK');
  await marketplace.rated(task, 'OK');
  await world.submit('meanwhile');
  await eventually('/readyz to say so', () =>
    isDegraded(world, /Slack does not accept SLACK_BOT_TOKEN \(token_revoked\)/),
  );
  await slack.disconnect({ hard: true });

  await slack.settings({ tokenRevoked: false });
  await eventually('readiness', () => isReady(world));
  const next = await ann.sees(place, /meanwhile/);
  await card.untilText(/:white_check_mark: \*OK\* by @Ann/);
  expect(await world.posts(/meanwhile/)).toHaveLength(1);
  await ann.clicks(next, 'OK', /:white_check_mark: \*OK\* by @Ann/);
});

test.each([
  ['500', /Slack cannot be reached \(http_500\)/],
  ['drop-before', /Slack cannot be reached/],
  ['html', /Slack cannot be reached/],
  ['error', /Socket Mode is turned off for this app \(link_disabled\)\. Turn it on under/],
] as const)(
  'the socket is opened again, also when Slack cannot be reached or refuses it at that moment: %s',
  async (kind, said) => {
    const { ann, slack } = await begin();
    const match = { method: 'apps.connections.open' };
    await slack.fault({ match, kind, error: 'link_disabled', times: 2 });
    await slack.disconnect({ hard: kind !== '500' });
    await eventually('/readyz to say so', () => notReady(world, said));
    await slack.sockets(1);
    await eventually('readiness', () => isReady(world));
    await ann.asks('/proofdesk', /\/proofdesk subscribe/);
  },
);
