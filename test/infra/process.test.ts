import { expect, test } from 'vitest';
import { place, rates, setsThreads, shelf } from '../harness/acts.ts';
import { eventually } from '../harness/eventually.ts';
import { ask, isReady, notReady } from '../harness/health.ts';
import { transports } from '../harness/world.ts';
import { worldPerTest } from '../harness/worlds.ts';
import { botsPerTest } from './bots.ts';

const { world, begin, create } = worldPerTest({ scenario: { campaigns: [shelf] } });
const startProcess = botsPerTest();

const cards = async (pattern: RegExp) =>
  (await world.ann.reads(place)).filter(({ text, ephemeral }) => !ephemeral && pattern.test(text));

test('bad settings are named all at once, without their values, and end the bot with code 78', async () => {
  const settings = {
    SLACK_BOT_TOKEN: 'xoxp-secret-one',
    SLACK_APP_TOKEN: 'secret-two',
    MARKETPLACE_BASE_URL: 'secret-three',
    REVIEW_CHANNEL: '#secret-four',
    REDIS_URL: 'secret-five',
    PROOFDESK_ENCRYPTION_KEYS: 'secret-six',
    POLL_SECONDS: 'secret-seven',
    LOG_LEVEL: 'secret-eight',
    PORT: ' ',
  };
  const bot = await startProcess(settings);
  expect(await bot.exit).toBe(78);
  for (const name of Object.keys(settings))
    expect(bot.errors()).toMatch(new RegExp(`${name} (must be|is blank)`));
  expect(bot.errors()).toContain('REVIEW_CHANNEL needs MARKETPLACE_API_KEY');
  expect(bot.errors() + bot.output()).not.toContain('secret');
  expect(bot.errors()).not.toContain('    at ');
});

test.each([
  ['SLACK_BOT_TOKEN', 'xoxb-wrong', 'Reinstall the app'],
  ['SLACK_APP_TOKEN', 'xapp-wrong', 'Create an app-level token'],
])('a wrong %s ends the bot with code 78 and says what to do', async (name, value, todo) => {
  await create();
  const bot = await startProcess({ ...world.environment, [name]: value });
  expect(await bot.exit).toBe(78);
  expect(bot.errors()).toContain(`Slack does not accept ${name} (invalid_auth). ${todo}`);
  expect(bot.errors() + bot.output()).not.toContain(value);
});

test('a port in use ends the bot with code 78 and says what to do', async () => {
  await begin();
  const bot = await startProcess(world.environment);
  expect(await bot.exit).toBe(78);
  expect(bot.errors()).toMatch(/Port \d+ cannot be used .*Set PORT to a free port/);
});

test.each(transports)(
  'SIGTERM finishes what is in flight over %s, keeps what waits, and ends with code 0 in time',
  async (transport) => {
    await create({ transport, env: { UNDO_SECONDS: '5', LOG_LEVEL: 'trace' } });
    const { ann, marketplace, environment } = world;
    const bot = await startProcess(environment);
    await bot.ready();
    expect(await ask(world.port, '/healthz')).toEqual({ status: 200, text: 'ok\n' });
    expect(await ask(world.port, '/readyz')).toEqual({
      status: 200,
      text: 'ready\nredis: ok\nslack connection: ok\nslack web api: ok\nslack channels: ok\nmarketplace: ok\n',
    });
    const two = { campaign_id: shelf.campaign_id, count: 2 };
    const [inFlight = '', waiting = ''] = await marketplace.submit(two);
    const both = () => cards(/Photo of a shelf/);
    await eventually('both cards', async () => (await both()).length === 2);
    const [first, second] = await both();
    if (!first || !second) throw new Error('no cards');

    await marketplace.delays('rate_task', 3_000);
    await ann.clicks(first, 'OK');
    await eventually('the rating to be under way', async () =>
      (await marketplace.requests()).some(({ path }) => path.includes('rate_task')),
    );
    await ann.clicks(second, 'OK', /unless undone/);
    bot.child.kill('SIGTERM');
    expect(await bot.exit).toBe(0);
    const rated = (await marketplace.state()).tasks.filter(({ task_rating }) => task_rating === 'OK');
    expect(rated).toHaveLength(1);
    await first.untilText(/:white_check_mark: \*OK\* by @Ann/);
    expect(bot.output()).toContain('bot stopped');
    for (const secret of ['xoxb-sandbox', 'xapp-sandbox', 'sandbox-signing-secret', 'employer-demo-key']) {
      expect(bot.output() + bot.errors()).not.toContain(secret);
    }

    const next = await startProcess(environment);
    await next.ready();
    await second.untilText(/:white_check_mark: \*OK\* by @Ann/);
    for (const task of [inFlight, waiting]) expect((await marketplace.task(task)).task_rating).toBe('OK');
    const sent = (await marketplace.requests()).filter(
      ({ path, applied }) => applied && path.includes('rate_task'),
    );
    expect(sent).toHaveLength(2);
    next.child.kill('SIGTERM');
    expect(await next.exit).toBe(0);
  },
);

test('told to stop, the bot goes on taking clicks and replies over HTTP until a load balancer has noticed', async () => {
  await create({ transport: 'http' });
  const { ann } = world;
  const bot = await startProcess(world.environment);
  await bot.ready();
  await setsThreads(ann, place, true);
  const { card } = await world.taskWithCard('the last shelf');
  bot.child.kill('SIGTERM');
  await eventually('it to say so', () => notReady(world, /Stopping/));
  await Promise.all([
    ann.says(place, 'note seen in time', card),
    ann.asks('/proofdesk help', /\/proofdesk subscribe/),
  ]);
  expect(await bot.exit).toBe(0);
  await startProcess(world.environment);
  await card.untilText(/seen in time/);
});

test.each(transports)(
  'when a process is killed before it sends a NOK that came over %s, another one sends it',
  async (transport) => {
    await create({ transport, env: { UNDO_SECONDS: '3', LOG_LEVEL: 'debug' } });
    const bot = await startProcess(world.environment);
    await bot.ready();
    const { task, card } = await world.taskWithCard('a blurred shelf');
    await rates(world.ann, card, 'NOK', 'It is blurred');
    await card.untilText(/\*NOK\* by @Ann.*unless undone/);
    bot.child.kill('SIGKILL');
    await bot.exit;
    await startProcess(world.environment);
    await world.marketplace.rated(task, 'NOK');
    expect(bot.output()).not.toContain('rateTask');
  },
);

test('SIGTERM ends the bot while it still waits for Slack', async () => {
  await create();
  await world.slack.fault({ match: { method: 'auth.test' }, kind: '500', times: 0 });
  const bot = await startProcess(world.environment);
  await eventually('it to wait', () => notReady(world, /Slack cannot be reached \(http_500\); trying again/));
  expect(await ask(world.port, '/healthz')).toMatchObject({ status: 200 });
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
});

test.each(['auth.test', 'apps.connections.open'])(
  'SIGTERM ends the bot at once while Slack does not answer %s',
  async (method) => {
    await create();
    const fault = { match: { method }, kind: 'latency', delayMs: 60_000 } as const;
    await world.slack.fault({ ...fault, times: 0 });
    const bot = await startProcess(world.environment);
    await eventually('it to ask', async () =>
      (await world.slack.requests()).some((request) => request.method === method),
    );
    const askedAt = performance.now();
    bot.child.kill('SIGTERM');
    expect(await bot.exit).toBe(0);
    expect(performance.now() - askedAt).toBeLessThan(5_000);
  },
);

test('a process killed over its cards holds up no click in another process, and new cards for seconds only', async () => {
  await create({ env: { UNDO_SECONDS: '60' } });
  const { ann, marketplace, slack } = world;
  const shown = (count: number, timeoutMs?: number) =>
    eventually(
      `${count} cards`,
      async () => {
        const found = await cards(/Photo of a shelf/);
        return found.length === count && found;
      },
      timeoutMs,
    );
  const held = (method: string, count: number) =>
    eventually(`${count} calls of ${method} under way`, async () => {
      const calls = await slack.requests({ method });
      return calls.filter(({ fault }) => fault === 'latency').length === count;
    });
  const bot = await startProcess(world.environment);
  await bot.ready();
  await marketplace.submit({ campaign_id: shelf.campaign_id, count: 5 });
  const [last, ...others] = await shown(5);
  for (const method of ['chat.update', 'chat.postMessage']) await slack.delays(method, 600_000, 0);
  await marketplace.submit({ campaign_id: shelf.campaign_id });
  await held('chat.postMessage', 1);
  for (const card of others) await ann.clicks(card, 'OK');
  await held('chat.update', 4);
  bot.child.kill('SIGKILL');
  await bot.exit;
  await slack.clearFaults();
  await world.startBot();
  if (last) await ann.clicks(last, 'OK');
  await last?.untilText(/OK\* by @Ann/);
  await marketplace.submit({ campaign_id: shelf.campaign_id });
  await shown(7, 25_000);
});

test('a wrong password for Redis ends the bot with code 78 and says what to do', async () => {
  await create();
  await world.redis.isSet('requirepass', 'the-password');
  const address = world.redis.url.replace('//', '//:wrong-password@');
  const bot = await startProcess({ ...world.environment, REDIS_URL: address });
  expect(await bot.exit).toBe(78);
  expect(bot.errors()).toMatch(/Redis does not accept the user name or password in REDIS_URL/);
  expect(bot.errors() + bot.output()).not.toContain('wrong-password');
});

test('data that a newer version has stored end the bot with code 78, which says what to do', async () => {
  await create();
  await world.redis.alsoHas('proofdesk:data-version', '2');
  const bot = await startProcess(world.environment);
  expect(await bot.exit).toBe(78);
  expect(bot.errors()).toMatch(
    /A newer version of Proofdesk has stored its data.*Start that version, or restore/,
  );
  expect(await world.redis.mentions('T0SANDBOX')).toEqual([]);
});

test('the bot waits for a Redis that is not there yet', async () => {
  await create();
  await world.redis.kill();
  const bot = await startProcess(world.environment);
  await eventually('it to wait', () => notReady(world, /Redis cannot be reached/));
  await world.redis.restart();
  await bot.ready();
  expect(await isReady(world)).toBe(true);
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
});
