import { WebAPIRateLimitedError } from '@slack/web-api';
import { expect, test, vi } from 'vitest';
import type { AccountId, ChannelId, MemberId, WorkspaceId } from '../../src/domain/terms.ts';
import { Paused } from '../../src/jobs/queue.ts';
import { takeFromLimit } from '../../src/kit/budgets.ts';
import { createPacedViews } from '../../src/kit/modals.ts';
import { createLogger } from '../../src/logger.ts';
import { createCallSlack, createSlackPause } from '../../src/slack/client.ts';
import { SlackError } from '../../src/slack/slack-error.ts';
import {
  createRateLimiter,
  defaultRateLimits,
  type Pauses,
  type RateLimits,
} from '../../src/store/pauses.ts';
import { createMemberLimits, memberLimits } from '../../src/store/rights.ts';
import { asId } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

/** Long enough for a busy machine. */
const limits: RateLimits = {
  channelMs: 20_000,
  workspaceMs: 5_000,
  limitedMs: 3_000,
  csvBytesPerMinute: 6_000,
};
const workspace = asId<WorkspaceId>('T1');
const [c1, c2] = [asId<ChannelId>('C1'), asId<ChannelId>('C2')];
const post = (channel: ChannelId) => ({ workspace, method: 'chat.postMessage', channel });
const update = (channel: ChannelId) => ({ workspace, method: 'chat.update', channel });
const background = (channel: ChannelId) => ({ ...update(channel), isBackground: true });

const redis = twoRedisClients();

function expectWithin(wait: number, least: number, most: number): void {
  expect(wait).toBeGreaterThan(least);
  expect(wait).toBeLessThanOrEqual(most);
}

/** As two processes have it. */
const two = (other: Partial<RateLimits> = {}) =>
  [
    createRateLimiter(redis.first, { ...limits, ...other }),
    createRateLimiter(redis.second, { ...limits, ...other }),
  ] as const;

test('of posts at once in a channel, one is made, and the others are told when the next may be, whichever process asks', async () => {
  const [here, there] = two();
  const waits = await Promise.all([here, there, here].map((limiter) => limiter.acquire(post(c1))));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(1);
  for (const wait of waits.filter((one) => one > 0)) expect(wait).toBeGreaterThan(15_000);
  // Whoever was told to wait holds up nobody.
  expect(Math.max(...waits)).toBeLessThanOrEqual(limits.channelMs);
});

test('posts in other channels are the workspace’s time apart', async () => {
  const [here, there] = two();
  expect(await here.acquire(post(c1))).toBe(0);
  expectWithin(await there.acquire(post(c2)), 0, limits.workspaceMs);
});

test('what Slack limits in a channel waits there alone, for all processes and as long as Slack has asked', async () => {
  const [here, there] = two({ limitedMs: 1 });
  await here.blockFor(update(c1), 60_000);
  expect(await there.acquire(update(c1))).toBeGreaterThan(50_000);
  expect(await there.acquire(post(c1))).toBe(0);
  await expect.poll(() => there.acquire(update(c2))).toBe(0);
  // A shorter wait does not end a longer one.
  await here.blockFor(update(c1), 10);
  expect(await here.acquire(update(c1))).toBeGreaterThan(50_000);
});

test('calls of a method that was never limited wait for nobody, and are paced once it is', async () => {
  const [here, there] = two();
  for (let n = 0; n < 5; n += 1) expect(await here.acquire(update(c1))).toBe(0);
  await here.blockFor(update(c1), 1);
  expectWithin(await there.acquire(update(c2)), 0, limits.limitedMs);
});

test('modals are paced at half the distance: Slack takes twice as many of their calls', async () => {
  const [here, there] = two();
  const opens = { workspace, method: 'views.open' };
  await here.blockFor(opens, 1);
  expectWithin(await there.acquire(opens), 0, limits.limitedMs / 2);
});

test('a call that somebody waits for gets the next turn, however many background calls ask before it comes back', async () => {
  const [here, there] = two({ limitedMs: 400 });
  await here.blockFor(update(c1), 1);
  const wait = await here.acquire(update(c1));
  expect(wait).toBeGreaterThan(0);
  const until = performance.now() + wait + 100;
  while (performance.now() < until) expect(await there.acquire(background(c2))).toBeGreaterThan(0);
  expect(await here.acquire(update(c1))).toBe(0);
});

test('background calls wait in all channels while Slack limits one, and leave the first turn to the others', async () => {
  const [here, there] = two({ limitedMs: 200 });
  await here.blockFor(background(c1), 86_400_000);
  expectWithin(await there.acquire(background(c2)), 50_000, 60_000);
  await expect.poll(() => there.acquire(update(c2))).toBe(0);
  await here.blockFor(update(c1), 1);
  await expect.poll(() => there.acquire({ ...update(c2), method: 'chat.delete' })).toBe(0);
  expect(await there.acquire({ ...background(c2), method: 'chat.delete' })).toBe(0);
});

test('results beyond the bytes of a minute wait, for each account by itself', async () => {
  const [here, there] = two();
  const ref = { workspace, account: asId<AccountId>('a1') };
  // Those of a minute may be read at once.
  expect(await here.acquireCsv(ref, 4_000)).toBe(0);
  expect(await there.acquireCsv(ref, 2_000)).toBe(0);
  expect(await here.acquireCsv(ref, 6_000)).toBeLessThanOrEqual(1);
  const wait = await there.acquireCsv(ref, 3_000);
  expect(wait).toBeGreaterThan(50_000);
  expect(wait).toBeLessThanOrEqual(60_000);
  expect((await here.acquireCsv(ref, 1)) - wait).toBeGreaterThan(25_000);
  expect(await here.acquireCsv({ workspace, account: asId('a2') }, 1)).toBe(0);
});

test('results of 16 MB a minute are read, those of one minute at once', async () => {
  const limiter = createRateLimiter(redis.first, defaultRateLimits);
  const account = { workspace, account: asId<AccountId>('a1') };
  expect(await limiter.acquireCsv(account, 16_000_000)).toBe(0);
  expect(await limiter.acquireCsv(account, 16_000_000)).toBeLessThanOrEqual(1);
  expect(await limiter.acquireCsv(account, 1)).toBeGreaterThan(50_000);
});

const [ann, ben] = [asId<MemberId>('U1'), asId<MemberId>('U2')];
const { atOnce, everyMs } = memberLimits.results;

test('what one member may ask for is counted by all processes together, and comes back with time', async () => {
  let now = 1_000_000;
  const first = createMemberLimits(redis.first, () => now);
  const second = createMemberLimits(redis.second, () => now);
  const ask = (index: number, member = ann) =>
    (index % 2 === 0 ? first : second).take(workspace, member, 'results');
  const waits = await Promise.all(Array.from({ length: 300 }, (_, index) => ask(index)));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(atOnce);
  expect(Math.max(...waits)).toBe(everyMs);
  // Nobody else is concerned, nor anything else that she does.
  expect(await ask(0, ben)).toBe(0);
  expect(await first.take(workspace, ann, 'files')).toBe(0);
  const asks = takeFromLimit(
    onlyModules({ people: { limits: first } }),
    { workspace, member: ann },
    'results',
  );
  const told = 'You requested a lot of results. They’re on their way. Wait 10 seconds, then try again.';
  await expect(asks).rejects.toThrow(told);

  now += everyMs - 1;
  expect(await ask(0)).toBe(1);
  now += 1;
  expect(await ask(0)).toBe(0);
  expect(await ask(1)).toBe(everyMs);
  now += 100 * everyMs;
  const later = await Promise.all(Array.from({ length: atOnce + 1 }, (_, index) => ask(index)));
  expect(later.filter((wait) => wait === 0)).toHaveLength(atOnce);
});

function calls(some: Partial<RateLimits>) {
  const enter = async () => ({ waitMs: 0, release: async () => undefined });
  const limits = { channelMs: 1, workspaceMs: 1, limitedMs: 1, csvBytesPerMinute: 1, ...some };
  return createCallSlack(createRateLimiter(redis.first, limits), { enter } as unknown as Pauses);
}

test('a post waits for its turn if that is soon', async () => {
  const callSlackOf = calls({ channelMs: 400 });
  const times: number[] = [];
  for (let n = 0; n < 2; n += 1)
    await callSlackOf(workspace)(post(c1), async () => times.push(performance.now()));
  const [first = 0, second = 0] = times;
  expect(second - first).toBeGreaterThan(300);
});

test('an update that Slack has limited is left to its line, where another card may be more urgent', async () => {
  const callSlackOf = calls({ limitedMs: 1_000 });
  const limited = new SlackError('chat.update', new WebAPIRateLimitedError(1));
  const first = callSlackOf(workspace)(update(c1), () => Promise.reject(limited));
  await expect(first).rejects.toMatchObject({ call: 'chat.update', waitMs: 1_000 });
  const run = vi.fn(async () => undefined);
  await expect(callSlackOf(workspace)(update(c1), run)).rejects.toThrow(Paused);
  expect(run).not.toHaveBeenCalled();
});

test('a view that Slack keeps limiting is tried four times', async () => {
  const updateModal = vi.fn(() => Promise.reject(new SlackError('', new WebAPIRateLimitedError(0.001))));
  const rateLimiter = { acquire: async () => 1, blockFor: async () => undefined };
  const modules = onlyModules({ slack: { rateLimiter, messengerOf: () => ({ updateModal }) } });
  const views = createPacedViews(modules);
  await expect(views.update(workspace, 'V1', () => ({}) as never)).rejects.toThrow(SlackError);
  expect(updateModal).toHaveBeenCalledTimes(4);
});

test('a job that needs two limited calls makes both, instead of the first one again and again', async () => {
  const callSlackOf = calls({ limitedMs: 300 });
  const limited = new SlackError('chat.update', new WebAPIRateLimitedError(0.001));
  await expect(callSlackOf(workspace)(update(c1), () => Promise.reject(limited))).rejects.toThrow(Paused);
  const run = vi.fn(async () => undefined);
  // As a card is updated, and then the one before it, which has to link to it.
  const job = async () => {
    const callSlack = callSlackOf(workspace, { isBackground: true });
    await callSlack(update(c1), run);
    await callSlack(update(c1), run);
  };
  await vi.waitFor(job, { timeout: 5_000, interval: 100 });
  expect(run).toHaveBeenCalledTimes(2);
});

test('a call that would wait for long is left to another time', async () => {
  const callSlackOf = calls({ channelMs: 10_000 });
  const run = vi.fn(async () => undefined);
  await callSlackOf(workspace)(post(c1), run);
  const busy = await callSlackOf(workspace)(post(c1), run).catch((error: unknown) => error);
  expect(busy).toBeInstanceOf(Paused);
  expect((busy as Paused).waitMs).toBeGreaterThan(2_000);
  expect(run).toHaveBeenCalledTimes(1);
});

test('the log names the workspace whose jobs pause, and which works again', async () => {
  const lines: string[] = [];
  const logger = createLogger('info', [], { write: (line: string) => void lines.push(line) });
  const succeed = vi.fn(async () => ({ code: 'no_answer', since: 1 }));
  const pauses = { fail: async () => true, succeed } as unknown as Pauses;
  const { record } = createSlackPause({ workspace, pauses, logger, now: Date.now });
  await record(new SlackError('chat.update', new Error('no answer')), 0, 'chat.update');
  await record(undefined, 0, 'chat.update');
  succeed.mockRejectedValue(new Error('Command timed out'));
  await record(undefined, 0, 'chat.update');
  const told = [/pause their calls/, /works again/, /not recorded/].map((what) =>
    expect.stringMatching(new RegExp(`"workspace":"T1".*${what.source}`)),
  );
  expect(lines).toEqual(told);
});
