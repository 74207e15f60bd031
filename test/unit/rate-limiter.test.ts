import { describe, expect, test, vi } from 'vitest';
import type { AccountId, ChannelId, WorkspaceId } from '../../src/domain/terms.ts';
import { createRateLimiter, type RateLimits } from '../../src/store/rate-limiter.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

/** Long enough for places that are reserved one after the other by a busy machine to follow each other. */
const limits: RateLimits = {
  channelMs: 10_000,
  workspaceMs: 1_500,
  backgroundMs: 1_300,
  csvBytesPerMinute: 6_000,
};
const workspace = asId<WorkspaceId>('T1');
const [c1, c2] = [asId<ChannelId>('C1'), asId<ChannelId>('C2')];
const post = (channel: ChannelId) => ({ workspace, method: 'chat.postMessage', channel });
const update = (channel: ChannelId) => ({ workspace, method: 'chat.update', channel });

const redis = twoRedisClients();

/** As two processes have it. */
const paces = () =>
  [createRateLimiter(redis.first, limits), createRateLimiter(redis.second, limits)] as const;

/** The places that both processes are given when they ask at once, in order. */
async function placesOf(channels: readonly ChannelId[]): Promise<number[]> {
  const both = paces();
  const turns = await Promise.all(
    channels.map((channel, index) => both[index % 2 === 0 ? 0 : 1].acquire(post(channel))),
  );
  return turns.map(({ reserved }) => reserved ?? 0).sort((a, b) => a - b);
}

const gaps = (places: readonly number[]) =>
  places.slice(1).map((place, index) => place - (places[index] ?? 0));

describe('posts', () => {
  test('in one channel are a channel’s time apart, whichever process makes them', async () => {
    const places = await placesOf(Array.from({ length: 12 }, () => c1));
    expect(gaps(places)).toEqual(Array.from({ length: 11 }, () => limits.channelMs));
  });

  test('in many channels are the workspace’s time apart', async () => {
    const places = await placesOf(Array.from({ length: 12 }, (_, index) => asId<ChannelId>(`C${index}`)));
    expect(gaps(places)).toEqual(Array.from({ length: 11 }, () => limits.workspaceMs));
  });

  test('in a few channels keep both apart, and none waits for another that is far behind', async () => {
    const [here, there] = paces();
    for (let n = 0; n < 30; n++) await here.acquire(post(c1));
    expect((await there.acquire(post(c2))).waitMs).toBeLessThanOrEqual(2 * limits.workspaceMs);
    const places = await placesOf(Array.from({ length: 9 }, (_, index) => asId(`C${(index % 3) + 3}`)));
    for (const gap of gaps(places)) expect(gap).toBeGreaterThanOrEqual(limits.workspaceMs);
    expect((places.at(-1) ?? 0) - (places[0] ?? 0)).toBeLessThan(4 * limits.channelMs);
  });

  test('are made at the place that was waited for, unless that lies too far back', async () => {
    const [here, there] = paces();
    await here.acquire(post(c1));
    const { waitMs, reserved } = await here.acquire(post(c1));
    expect(waitMs).toBeGreaterThan(0);
    const back = await there.acquire(post(c1), reserved);
    expect(back.reserved).toBe(reserved);
    expect(back.waitMs).toBeLessThanOrEqual(waitMs);
    const lapsed = (await there.acquire(post(c1), (reserved ?? 0) - 60_000)).reserved ?? 0;
    expect(lapsed - (reserved ?? 0)).toBe(limits.channelMs);
  });
});

test('posts that are late do not go out all at once', async () => {
  let time = 1_000_000;
  const close: RateLimits = { ...limits, channelMs: 500, workspaceMs: 10 };
  const limiter = createRateLimiter(redis.first, close, () => time);
  const slots: (number | undefined)[] = [];
  for (let n = 0; n < 4; n += 1) slots.push((await limiter.reservePost(workspace, c1)).reserved);
  time += 2_000;
  const waits = async (some: readonly (number | undefined)[]) => {
    const found: number[] = [];
    for (const slot of some) found.push((await limiter.acquire(post(c1), slot)).waitMs);
    return found;
  };
  expect(await waits(slots)).toEqual([0, 0, 500, 500]);
  // Their slots stay theirs.
  time += 500;
  expect(await waits(slots.slice(2))).toEqual([0, 500]);
});

test('a slot that is reserved and not used yet counts as no post', async () => {
  const limiter = createRateLimiter(redis.first, { ...limits, channelMs: 500 }, () => 1_000_000);
  const { reserved } = await limiter.reservePost(workspace, c1);
  for (let n = 0; n < 5; n += 1)
    expect(await limiter.reservePost(workspace, c1, reserved)).toEqual({ waitMs: 0, reserved });
});

describe('what Slack has limited', () => {
  test('is held up for all processes, in that channel alone, and what was reserved before is void', async () => {
    const [here, there] = paces();
    const before = await here.acquire(post(c1));
    await here.blockFor(post(c1), 10_000);
    const again = await there.acquire(post(c1), before.reserved);
    expect(again.waitMs).toBeGreaterThan(9_000);
    const next = await there.acquire(post(c1));
    expect((next.reserved ?? 0) - (again.reserved ?? 0)).toBe(limits.channelMs);
    expect((await there.acquire(post(c2))).waitMs).toBeLessThanOrEqual(2 * limits.workspaceMs);
    expect((await there.acquire(update(c1))).waitMs).toBe(0);
    // A shorter wait does not end a longer one.
    await here.blockFor(post(c1), 10);
    expect((await here.acquire(post(c1))).waitMs).toBeGreaterThan(9_000);
  });

  test('is tried by one after the other when it is over; what was never limited waits for nobody', async () => {
    const [here, there] = paces();
    expect(await here.acquire(update(c1))).toEqual({ waitMs: 0 });
    expect(await there.acquire(update(c1))).toEqual({ waitMs: 0 });
    await here.blockFor(update(c1), 500);
    const waits = [
      (await here.acquire(update(c1))).waitMs,
      (await there.acquire(update(c1))).waitMs,
      (await here.acquire(update(c1))).waitMs,
    ];
    for (const gap of gaps(waits)) expect(gap).toBeGreaterThan(0);
    expect((await here.acquire(update(c2))).waitMs).toBe(0);
    await expect.poll(async () => (await there.acquire(update(c1))).waitMs).toBe(0);
  });

  test('costs one command a call again as soon as it is over', async () => {
    let now = 1_000_000;
    const limiter = createRateLimiter(redis.first, limits, () => now);
    await limiter.blockFor(update(c1), 500);
    const script = vi.spyOn(redis.first, 'eval');
    expect((await limiter.acquire(update(c1))).waitMs).toBe(500);
    expect(script).toHaveBeenCalledTimes(1);
    now += 500;
    expect(await limiter.acquire(update(c1))).toEqual({ waitMs: 0 });
    expect(script).toHaveBeenCalledTimes(1);
  });
});

describe('background calls', () => {
  const background = (channel: ChannelId) => ({ ...update(channel), isBackground: true });

  test('wait in all channels while Slack limits one, each for its own slot; calls for people do not', async () => {
    const [here, there] = paces();
    for (const channel of [c1, c2]) expect(await here.acquire(background(channel))).toEqual({ waitMs: 0 });
    await here.blockFor(background(c1), 60_000);
    const channels = Array.from({ length: 20 }, (_, index) => asId<ChannelId>(`C${index}`));
    const waits = await Promise.all(
      channels.map(
        async (channel, index) =>
          (await (index % 2 === 0 ? here : there).acquire(background(channel))).reserved ?? 0,
      ),
    );
    const between = gaps(waits.sort((a, b) => a - b));
    expect(Math.min(...between)).toBeGreaterThanOrEqual(60_000 / 50);
    expect(Math.max(...between)).toBeLessThan(2 * (60_000 / 50));
    expect((await there.acquire(update(c2))).waitMs).toBe(0);
    expect((await there.acquire(update(c1))).waitMs).toBeGreaterThan(0);
    expect((await there.acquire({ ...background(c2), method: 'chat.delete' })).waitMs).toBe(0);
  });

  test('wait a minute at most for a channel that Slack limits for a day', async () => {
    const [here, there] = paces();
    await here.blockFor(background(c1), 86_400_000);
    const wait = async (channel: ChannelId) => (await there.acquire(background(channel))).waitMs;
    expect(await wait(c2)).toBeLessThanOrEqual(60_000);
    expect(await wait(c1)).toBeGreaterThan(80_000_000);
  });

  test('are made once their slot has come, and wait behind the others if Slack limits them again', async () => {
    let now = 1_000_000;
    // Long, since Redis removes what has passed by its own clock.
    const limiter = createRateLimiter(redis.first, { ...limits, backgroundMs: 60_000 }, () => now);
    await limiter.blockFor(background(c1), 60_000);
    const first = (await limiter.acquire(background(c2))).reserved ?? 0;
    const second = (await limiter.acquire(background(c2))).reserved ?? 0;
    expect(first).toBe(now + 60_000);
    now = first;
    expect(await limiter.acquire(background(c2), first)).toEqual({ waitMs: 0 });
    expect((await limiter.acquire(background(c2), second)).waitMs).toBeGreaterThan(0);
    await limiter.blockFor(background(c2), 60_000);
    expect((await limiter.acquire(background(c2), first)).reserved).toBeGreaterThan(second);
    now += 3_600_000;
    expect(await limiter.acquire(background(c2), second)).toEqual({ waitMs: 0 });
  });
});

test('results beyond the bytes of a minute wait, for each account by itself', async () => {
  const [here, there] = paces();
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
