import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { programPath } from '../harness/programs.ts';
import { createWorld, startWorld, transports, type World, type WorldOptions } from '../harness/world.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
const scenario = { campaigns: [shelf] };
const place = 'C01REVIEW';

let world: World | undefined;
const children = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await world?.close();
  world = undefined;
});

async function begin(options: WorldOptions = {}): Promise<World> {
  world = await startWorld({ scenario, ...options });
  return world;
}

/** The bot as a process of its own, as `npm start` runs it. */
async function startProcess(environment: Readonly<Record<string, string | undefined>>) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [await programPath('main')], {
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let output = '';
  let errors = '';
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString();
  });
  child.stderr.on('data', (data: Buffer) => {
    errors += data.toString();
  });
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return {
    child,
    exit,
    output: () => output,
    errors: () => errors,
    ready: () => eventually('the bot to be ready', () => output.includes('the bot is ready'), 20_000),
  };
}

async function ask(port: number, path: string): Promise<{ status: number; text: string } | undefined> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
  return answer && { status: answer.status, text: await answer.text() };
}

const isReady = async ({ port }: World) => (await ask(port, '/readyz'))?.status === 200;
const notReady = async ({ port }: World, why: RegExp) => {
  const answer = await ask(port, '/readyz');
  return answer?.status === 503 && why.test(answer.text);
};

const cards = async ({ ann }: World, pattern: RegExp) =>
  (await ann.reads(place)).filter(({ text, ephemeral }) => !ephemeral && pattern.test(text));

describe('the process', () => {
  test('bad settings are named all at once, without their values, and end it with code 78', async () => {
    const bot = await startProcess({
      SLACK_BOT_TOKEN: 'xoxp-secret-one',
      SLACK_APP_TOKEN: 'secret-two',
      MARKETPLACE_BASE_URL: 'secret-three',
      REVIEW_CHANNEL: '#secret-four',
      REDIS_URL: 'secret-five',
      PROOFDESK_ENCRYPTION_KEYS: 'secret-six',
      POLL_SECONDS: 'secret-seven',
      LOG_LEVEL: 'secret-eight',
    });
    expect(await bot.exit).toBe(78);
    for (const name of [
      'SLACK_BOT_TOKEN must be',
      'SLACK_APP_TOKEN must be',
      'MARKETPLACE_BASE_URL must be',
      'REVIEW_CHANNEL must be',
      'REVIEW_CHANNEL needs MARKETPLACE_API_KEY',
      'REDIS_URL must be',
      'PROOFDESK_ENCRYPTION_KEYS must be 32 bytes',
      'POLL_SECONDS must be a whole number',
      'LOG_LEVEL must be one of',
    ]) {
      expect(bot.errors()).toContain(name);
    }
    expect(bot.errors() + bot.output()).not.toContain('secret');
    expect(bot.errors()).not.toContain('    at ');
  });

  test.each([
    [
      'SLACK_BOT_TOKEN',
      'xoxb-wrong',
      /Slack does not accept SLACK_BOT_TOKEN \(invalid_auth\)\. Install the app/,
    ],
    [
      'SLACK_APP_TOKEN',
      'xapp-wrong',
      /Slack does not accept SLACK_APP_TOKEN \(invalid_auth\)\. Make an app-level token/,
    ],
  ])('a wrong %s ends it with code 78 and says what to do', async (name, value, sentence) => {
    world = await createWorld({ scenario });
    const bot = await startProcess({ ...world.environment, [name]: value });
    expect(await bot.exit).toBe(78);
    expect(bot.errors()).toMatch(sentence);
    expect(bot.errors() + bot.output()).not.toContain(value);
  });

  test('a port in use ends it with code 78 and says what to do', async () => {
    world = await startWorld({ scenario });
    const bot = await startProcess(world.environment);
    expect(await bot.exit).toBe(78);
    expect(bot.errors()).toMatch(/Port \d+ cannot be used .*Set PORT to a free one/);
  });

  test.each(transports)(
    'SIGTERM finishes what is in flight over %s, keeps what waits, and ends with code 0 in time',
    async (transport) => {
      world = await createWorld({ scenario, transport, env: { UNDO_SECONDS: '3', LOG_LEVEL: 'trace' } });
      const { ann, marketplace, environment } = world;
      const bot = await startProcess(environment);
      await bot.ready();
      expect(await ask(world.port, '/healthz')).toEqual({ status: 200, text: 'ok\n' });
      expect(await ask(world.port, '/readyz')).toEqual({ status: 200, text: 'ready\n' });
      const [inFlight = '', waiting = ''] = await marketplace.submit({
        campaign_id: shelf.campaign_id,
        count: 2,
      });
      await eventually(
        'both cards',
        async () => (await cards(world as World, /Photo of a shelf/)).length === 2,
      );
      const [first, second] = await cards(world, /Photo of a shelf/);
      if (!first || !second) throw new Error('no cards');

      await marketplace.fault({ match: { path: 'rate_task' }, kind: 'latency', delayMs: 2_000 });
      await ann.clicks(first, 'OK');
      await eventually('the rating to be under way', async () =>
        (await marketplace.requests()).some(({ path }) => path.includes('rate_task')),
      );
      await ann.clicks(second, 'OK');
      await second.untilText(/on its way/);
      const asked = Date.now();
      bot.child.kill('SIGTERM');
      expect(await bot.exit).toBe(0);
      expect(Date.now() - asked).toBeLessThan(10_000);
      const rated = (await marketplace.state()).tasks.filter(({ task_rating }) => task_rating === 'OK');
      expect(rated).toHaveLength(1);
      await first.untilText(/:white_check_mark: \*OK\* by @Ann/);
      expect(bot.output()).toContain('the bot has stopped');
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
    60_000,
  );

  test('SIGTERM ends it while it still waits for Slack', async () => {
    world = await createWorld({ scenario });
    await world.slack.fault({ match: { method: 'auth.test' }, kind: '500', times: 0 });
    const bot = await startProcess(world.environment);
    await eventually(
      'it to wait',
      () => notReady(world as World, /Slack cannot be reached \(http_500\); trying again/),
      20_000,
    );
    expect(await ask(world.port, '/healthz')).toMatchObject({ status: 200 });
    bot.child.kill('SIGTERM');
    expect(await bot.exit).toBe(0);
  });

  test('a wrong password for Redis ends it with code 78 and says what to do', async () => {
    world = await createWorld({ scenario });
    const redis = new Redis(world.redis.url);
    await redis.config('SET', 'requirepass', 'the-password');
    redis.disconnect();
    const address = world.redis.url.replace('//', '//:wrong-password@');
    const bot = await startProcess({ ...world.environment, REDIS_URL: address });
    expect(await bot.exit).toBe(78);
    expect(bot.errors()).toMatch(/Redis does not accept the user name or password in REDIS_URL/);
    expect(bot.errors() + bot.output()).not.toContain('wrong-password');
  });

  test('it waits for a Redis that is not there yet', async () => {
    world = await createWorld({ scenario });
    await world.redis.kill();
    const bot = await startProcess(world.environment);
    await eventually('it to wait', () => notReady(world as World, /Redis cannot be reached/), 20_000);
    await world.redis.restart();
    await bot.ready();
    expect(await isReady(world)).toBe(true);
    bot.child.kill('SIGTERM');
    expect(await bot.exit).toBe(0);
  });
});

describe.each(transports)('while it runs, over %s', (transport) => {
  test('a revoked token is said by /readyz, nothing is lost, and all goes on when it is valid again', async () => {
    const { ann, slack, marketplace } = await begin({ transport });
    const running = world as World;
    const [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['before'] });
    const card = await ann.sees(place, /before/);
    await slack.settings({ tokenRevoked: true });
    await ann.clicks(card, 'OK');
    await eventually('the rating', async () => (await marketplace.task(task)).task_rating === 'OK');
    await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['meanwhile'] });
    await eventually('/readyz to say so', () =>
      notReady(running, /Slack does not accept SLACK_BOT_TOKEN any more \(token_revoked\)/),
    );
    await slack.disconnect({ hard: true });

    await slack.settings({ tokenRevoked: false });
    await eventually('readiness', () => isReady(running), 30_000);
    await ann.sees(place, /meanwhile/, { timeoutMs: 20_000 });
    await card.untilText(/:white_check_mark: \*OK\* by @Ann/, 20_000);
    expect(await cards(running, /meanwhile/)).toHaveLength(1);
    const [next] = await cards(running, /meanwhile/);
    if (next) await ann.clicks(next, 'OK');
    await next?.untilText(/:white_check_mark: \*OK\* by @Ann/);
  }, 60_000);

  test('a marketplace that does not answer is told once; decisions are kept, and sent when it answers again', async () => {
    const { ann, marketplace } = await begin({ transport });
    const running = world as World;
    const [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['before'] });
    const card = await ann.sees(place, /before/);
    await marketplace.fault({ kind: '500', times: 0 });
    const told = await ann.sees(place, /New tasks and messages cannot be seen at present/, {
      timeoutMs: 25_000,
    });
    expect(told.text).toContain('The marketplace does not answer. It is asked again all the time');
    expect(told.text).toContain('Decisions made here meanwhile are kept');
    await ann.clicks(card, 'OK');
    await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['meanwhile'] });
    await card.untilText(/\*OK\* by @Ann/);

    await marketplace.clearFaults();
    await ann.sees(place, /New tasks and messages can be seen again/, { timeoutMs: 25_000 });
    await ann.sees(place, /meanwhile/);
    await card.untilText(/:white_check_mark: \*OK\* by @Ann/, 25_000);
    expect((await marketplace.task(task)).task_rating).toBe('OK');
    expect(await cards(running, /cannot be seen at present/)).toHaveLength(1);
    expect(await cards(running, /can be seen again/)).toHaveLength(1);
  }, 90_000);
});

describe('while it runs', () => {
  test('a decision that cannot be sent says so on its card, and that it is sent by itself', async () => {
    const { ann, marketplace } = await begin();
    await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['before'] });
    const card = await ann.sees(place, /before/);
    await marketplace.fault({ match: { path: 'rate_task' }, kind: '429', retryAfter: 3, times: 0 });
    await ann.clicks(card, 'OK');
    await card.untilText(
      /kept here and not sent yet\. The marketplace asks for a pause\. It is sent by itself/,
      25_000,
    );
    expect(card.buttons).toEqual(['Undo']);
    await marketplace.clearFaults();
    await card.untilText(/:white_check_mark: \*OK\* by @Ann/, 25_000);
  }, 60_000);

  test('the socket is opened again, also when Slack cannot be reached at that moment', async () => {
    const { ann, slack } = await begin();
    const running = world as World;
    await slack.fault({ match: { method: 'apps.connections.open' }, kind: '500', times: 2 });
    await slack.disconnect();
    await eventually('/readyz to say so', () => notReady(running, /Slack cannot be reached \(http_500\)/));
    await eventually('readiness', () => isReady(running), 20_000);
    await slack.sockets(1);
    await ann.types(place, '/proofdesk');
    await ann.sees(place, /\/proofdesk subscribe/);
  });

  test.each(['drop-before', 'html'] as const)(
    'the socket survives %s when it is opened again',
    async (kind) => {
      const { ann, slack } = await begin();
      await slack.fault({ match: { method: 'apps.connections.open' }, kind, times: 2 });
      await slack.disconnect({ hard: true });
      await slack.sockets(0);
      await slack.sockets(1, 20_000);
      await ann.types(place, '/proofdesk');
      await ann.sees(place, /\/proofdesk subscribe/);
    },
  );

  test('over HTTP Slack’s challenge is answered, and what Slack has not signed is refused', async () => {
    const { ann, slack, port } = await begin({ transport: 'http' });
    expect(await slack.verify()).toMatchObject({ ok: true });
    await slack.settings({ signingSecret: 'somebody-else' });
    await ann.types(place, '/proofdesk').catch(() => undefined);
    const forged = await fetch(`http://127.0.0.1:${port}/slack/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'command=%2Fproofdesk&text=disconnect&user_id=U01ANN&team_id=T0SANDBOX',
    });
    expect(forged.status).toBe(401);
    expect(await ann.reads(place)).toEqual([]);
  });

  test('there is nothing at other addresses', async () => {
    const { port } = await begin();
    expect(await ask(port, '/anything')).toMatchObject({ status: 404 });
  });
});
