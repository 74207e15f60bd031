import { readFile } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
import { shelf } from '../harness/acts.ts';
import { runDoctor } from '../harness/doctor.ts';
import { worldPerTest } from '../harness/worlds.ts';
import { botsPerTest } from './bots.ts';

const { world, create } = worldPerTest({ scenario: { campaigns: [shelf] }, env: { UNDO_SECONDS: '1' } });
const startBot = botsPerTest();
beforeEach(() => create());

/** The environment of a bot that connects to Redis as a user with these rights. */
const asUser = async (...rights: string[]) => ({
  ...world.environment,
  REDIS_URL: await world.redis.hasUser(...rights),
});

/** The rights that docs/operating.md lists. */
async function leastRights(): Promise<string[]> {
  const [, rights = ''] =
    /ACL SETUSER proofdesk on >\S+ (.+)/.exec(await readFile('docs/operating.md', 'utf8')) ?? [];
  return rights.split(' ');
}

test('a Redis that lets the bot’s user run some commands only serves a bot that has the rights in docs/operating.md, which include neither INFO nor CONFIG', async () => {
  const environment = await asUser(...(await leastRights()));
  for (const command of ['info', 'config']) expect(await world.redis.lets(command, 'get', 'x')).toBe(false);
  expect(await world.redis.lets('set', 'proofdesk:x', 'y')).toBe(true);
  // For the desk.
  expect(await world.redis.lets('publish', 'proofdesk:x', 'y')).toBe(true);
  const { ann, marketplace } = world;
  const bot = await startBot(environment);
  await bot.ready();
  const { task, card } = await world.taskWithCard('a shelf');
  await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);
  await marketplace.rated(task, 'OK');
  await ann.types('C01REVIEW', '/review');
  await ann.types('C01REVIEW', '/proofdesk find shelf');
  await ann.types('C01REVIEW', '/proofdesk audit');
  await ann.opensHome();
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
  expect(bot.output()).not.toContain('NOPERM');
  // What a user may try without the right to it, and do without.
  expect(await world.redis.denied()).toEqual(['info']);
});

test('a Redis that lets the bot’s user run some commands only is checked by npm run doctor as far as possible', async () => {
  const { output, wrong, code } = await runDoctor(await asUser(...(await leastRights())));
  expect(wrong).toEqual([]);
  expect(code).toBe(0);
  expect(output).toMatch(
    /note {3}Redis: it answers, but does not let the user of REDIS_URL run INFO\. Check yourself:/,
  );
  expect(output).toMatch(/note {3}Redis power cut: it does not report appendfsync/);
  expect(output).toMatch(/ok {5}PROOFDESK_ENCRYPTION_KEYS/);
});

test.each(['EVAL', 'SET', 'TIME', 'EXEC'])('npm run doctor names %s where it is missing', async (command) => {
  const environment = await asUser('~*', '&*', '+@all', `-${command.toLowerCase()}`);
  const text = `it does not let the user of REDIS_URL run ${command}.`;
  const { output, code } = await runDoctor(environment);
  expect(code).toBe(1);
  expect(output).toContain(`WRONG  Redis: ${text}`);
  for (const line of [/ok {5}SLACK_BOT_TOKEN/, /ok {5}MARKETPLACE_BASE_URL/]) expect(output).toMatch(line);
  expect(output).not.toContain('    at ');
  const bot = await startBot(environment);
  expect(await bot.exit).toBe(78);
  expect(bot.errors()).toContain(text);
});
