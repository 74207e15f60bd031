import { expect, test } from 'vitest';
import type { ChannelId, WorkspaceId } from '../../src/domain/terms.ts';
import { createLostChannels } from '../../src/store/channels.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const workspace = asId<WorkspaceId>('T1');
const channels = ['C1', 'C2', 'C3'].map((id) => asId<ChannelId>(id));
const paced = { everyMs: 30_000, apartMs: 1_500 };

test('channels are checked in turn, and two checks are apart, whichever process makes them', async () => {
  const [one, other] = [createLostChannels(redis.first), createLostChannels(redis.second)];
  const checks = async (process: typeof one, at: number) =>
    process.nextToCheck(workspace, channels, at, paced);
  expect(await checks(one, 100_000)).toBe('C1');
  expect(await checks(one, 101_499)).toBeUndefined();
  expect(await checks(other, 101_499)).toBeUndefined();
  expect(await checks(other, 101_500)).toBe('C2');
  expect(await checks(one, 102_999)).toBeUndefined();
  expect(await checks(one, 103_000)).toBe('C3');
  expect(await checks(other, 129_999)).toBeUndefined();
  expect(await checks(other, 130_000)).toBe('C1');
});
