import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createRateLimits } from '../src/limits.ts';
import { createResponseUrls, createTriggers } from '../src/tokens.ts';

describe('what expires', () => {
  test('response URLs after 30 minutes', () => {
    let now = 0;
    const urls = createResponseUrls(
      'T0SANDBOX',
      () => 'http://x',
      () => now,
    );
    const path = urls.issue({ channel: 'C1', user: 'U1' }).replace('http://x/', '');
    now = 30 * 60_000;
    expect(urls.use(path)).toMatchObject({ channel: 'C1' });
    now += 1;
    expect(urls.use(path)).toBe('expired_url');
    expect(urls.use('commands/unknown')).toBe('not_found');
  });

  test('trigger ids after 3 seconds, also when they were forgotten', () => {
    let now = 0;
    const triggers = createTriggers(() => now);
    const id = triggers.issue({ user: 'U1', viewId: undefined });
    now = 3000;
    expect(triggers.check(id)).toMatchObject({ user: 'U1' });
    now = 3001;
    expect(triggers.check(id)).toBe('expired_trigger_id');
    now = 70_000;
    triggers.issue({ user: 'U1', viewId: undefined });
    expect(triggers.check(id)).toBe('expired_trigger_id');
  });
});

test('rate limits refill steadily', () => {
  let now = 0;
  const limits = createRateLimits(
    () => 'on',
    () => now,
  );
  const post = () => limits.take('chat.postMessage', 'posting', 'C1');
  expect([post(), post(), post(), post()]).toEqual([undefined, undefined, undefined, 1]);
  now = 1000;
  expect([post(), post()]).toEqual([undefined, 1]);
  const update = () => limits.take('chat.update', 'tier3', 'C1');
  for (let n = 0; n < 50; n += 1) expect(update()).toBeUndefined();
  expect(update()).toBe(2);
});

describe('the command line', () => {
  const MAIN = 'sandbox/slack/src/main.ts';
  const tsx = ['--import', 'tsx', MAIN];

  test('says when it is ready, and ends cleanly', async () => {
    const child = spawn(process.execPath, [...tsx, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const url = /ready at (http:\S+)/.exec(String(line))?.[1] ?? '';
    const state = (await (await fetch(`${url}/_sandbox/state`)).json()) as {
      settings: Record<string, unknown>;
      users: { id: string }[];
    };
    expect(state.settings).toMatchObject({
      rateLimits: 'on',
      signingSecret: expect.not.stringContaining('signing'),
    });
    expect(state.users.map(({ id }) => id)).toEqual(['U01ANN', 'U02BEN', 'U03CHLOE', 'U0BOT']);
    expect((await fetch(url)).status).toBeOneOf([200, 503]);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('wrong arguments end with status 2 and a sentence', async () => {
    const run = promisify(execFile);
    await expect(run(process.execPath, [...tsx, '--port', 'x'])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"x" is no port.'),
    });
    await expect(run(process.execPath, [...tsx, '--shout'])).rejects.toMatchObject({ code: 2 });
  });
});
