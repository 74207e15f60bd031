import { expect, test, vi } from 'vitest';
import { createCallSlack } from '../../src/call-slack.ts';
import type { ChannelId, WorkspaceId } from '../../src/domain/terms.ts';
import { Reschedule } from '../../src/jobs/runner.ts';
import type { Pauses } from '../../src/store/pauses.ts';
import { createRateLimiter } from '../../src/store/rate-limiter.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const workspace = asId<WorkspaceId>('T1');
const channel = asId<ChannelId>('C1');
const limits = { channelMs: 1_000, workspaceMs: 100, backgroundMs: 100, csvBytesPerMinute: 1 };
const redis = twoRedisClients();

/** Returns how a job asks for its slot, at a time that stands still unless the test moves it. */
function jobs() {
  const clock = { now: 1_000_000 };
  const pauses = {
    enter: async () => ({ waitMs: 0, release: async () => undefined }),
  } as unknown as Pauses;
  const callSlackOf = createCallSlack(
    createRateLimiter(redis.first, limits, () => clock.now),
    pauses,
  );
  /** The wait and slot of the job; undefined: it goes on to fetch what its post needs. */
  const reserve = async (slot?: number) => {
    try {
      await callSlackOf(workspace, slot).reservePost(channel, 2_000);
      return undefined;
    } catch (error) {
      if (!(error instanceof Reschedule)) throw error;
      return { delayMs: error.delayMs, slot: error.slot };
    }
  };
  return { clock, callSlackOf, reserve };
}

test('a job whose slot has just been reserved fetches nothing before it is its turn, however near the slot is', async () => {
  const { clock, reserve } = jobs();
  expect(await reserve()).toBeUndefined();
  const near = await reserve();
  expect(near).toEqual({ delayMs: 1, slot: clock.now + 1_000 });
  await reserve();
  const far = await reserve();
  expect(far).toEqual({ delayMs: 1_000, slot: clock.now + 3_000 });
  expect(await reserve(near?.slot)).toBeUndefined();
  expect(await reserve(far?.slot)).toEqual(far);
  clock.now += 1_000;
  expect(await reserve(far?.slot)).toBeUndefined();
});

test('of posts that are late, two are made at once and the others a second apart', async () => {
  const { clock, callSlackOf, reserve } = jobs();
  const slots: (number | undefined)[] = [clock.now];
  await reserve();
  for (let n = 0; n < 3; n += 1) slots.push((await reserve())?.slot);
  clock.now += 3_000;
  const post = vi.fn(async () => undefined);
  const delays: number[] = [];
  for (const slot of slots) {
    const made = callSlackOf(workspace, slot)({ method: 'chat.postMessage', channel }, post);
    await made.catch((error: unknown) => delays.push((error as Reschedule).delayMs));
  }
  expect(post).toHaveBeenCalledTimes(2);
  expect(delays).toEqual([1_000, 1_000]);
});
