import { expect, test } from 'vitest';
import { createEventRetry, type EventRetryOptions } from '../../src/slack/events.ts';

type Logged = { level: string; what: string; message: string };

function begin(options: Partial<EventRetryOptions> = {}) {
  const log: Logged[] = [];
  const write = (level: string) => (fields: { what: string }, message: string) =>
    void log.push({ level, what: fields.what, message });
  const attempts: Promise<unknown>[] = [];
  const app = new AbortController();
  const track: EventRetryOptions['track'] = (work) => {
    attempts.push(work);
    return work;
  };
  const logger = { warn: write('warn'), error: write('error') } as unknown as EventRetryOptions['logger'];
  const retry = createEventRetry({ logger, track, signal: app.signal, firstRetryMs: 1, ...options });
  return { retry, log, attempts, stop: () => app.abort() };
}

/** Something that fails for as long as it is told to. */
function failing() {
  const seen: string[] = [];
  let isAway = true;
  return {
    seen,
    back() {
      isAway = false;
    },
    run: (name: string) => async () => {
      seen.push(`${name} ${isAway ? 'failed' : 'done'}`);
      if (isAway) throw new Error('Redis is away');
    },
    count: (entry: string) => seen.filter((each) => each === entry).length,
  };
}

test('what fails is tried again until it succeeds; its first failure alone is logged', async () => {
  const { retry, log, attempts } = begin();
  const redis = failing();
  const done = retry('C1', 'channel_left', redis.run('left'));
  await expect.poll(() => redis.count('left failed')).toBeGreaterThan(3);
  redis.back();
  await done;
  expect(redis.count('left done')).toBe(1);
  expect(attempts).toHaveLength(redis.seen.length);
  expect(log).toEqual([{ level: 'warn', what: 'channel_left', message: 'event failed, retrying' }]);
});

test('events about one channel keep their order, those about others do not wait for them', async () => {
  const { retry } = begin();
  const redis = failing();
  const order: string[] = [];
  const left = retry('C1', 'channel_left', async () => {
    await redis.run('left')();
    order.push('left');
  });
  const joined = retry('C1', 'member_joined_channel', async () => void order.push('joined'));
  await retry('C2', 'channel_left', async () => void order.push('other'));
  await expect.poll(() => redis.seen.length).toBeGreaterThan(1);
  expect(order).toEqual(['other']);
  redis.back();
  await Promise.all([left, joined]);
  expect(order).toEqual(['other', 'left', 'joined']);

  // Also after the first of them is done.
  let goOn = () => {};
  const slow = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const first = retry('C1', 'channel_left', async () => undefined);
  const second = retry('C1', 'member_joined_channel', () => slow.then(() => void order.push('second')));
  await first;
  const third = retry('C1', 'channel_left', async () => void order.push('third'));
  await retry('C2', 'channel_left', async () => undefined);
  goOn();
  await Promise.all([second, third]);
  expect(order.slice(3)).toEqual(['second', 'third']);
});

test('while too many wait, the next one is dropped and logged', async () => {
  const { retry, log } = begin({ limit: 2 });
  const redis = failing();
  const first = retry('C1', 'first', redis.run('first'));
  const second = retry('C2', 'second', redis.run('second'));
  const third = retry('C3', 'third', redis.run('third'));
  await third;
  const dropped = { level: 'error', what: 'third', message: 'event dropped, too many waiting' };
  expect(log.filter(({ level }) => level === 'error')).toEqual([dropped]);
  redis.back();
  await Promise.all([first, second]);
  expect(redis.seen).toEqual(expect.arrayContaining(['first done', 'second done']));
  await retry('C3', 'fourth', redis.run('fourth'));
  expect(redis.seen).not.toContain('third done');
  expect(redis.seen).toContain('fourth done');
});

test('a stop ends the waiting at once, also of what has not been tried yet', async () => {
  const { retry, stop } = begin({ firstRetryMs: 600_000 });
  const redis = failing();
  const left = retry('C1', 'channel_left', redis.run('left'));
  const joined = retry('C1', 'member_joined_channel', redis.run('joined'));
  await expect.poll(() => redis.seen).toEqual(['left failed']);
  stop();
  await Promise.all([left, joined]);
  await retry('C2', 'channel_left', redis.run('later'));
  expect(redis.seen).toEqual(['left failed']);
});
