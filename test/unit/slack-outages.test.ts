import { expect, test } from 'vitest';
import { createSlackOutages } from '../../src/store/pauses.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const workspace = asId<never>('T1');

test('cards that were made good before the end of an outage was noticed still count as late', async () => {
  const outages = createSlackOutages(redis.first);
  const late = (cards: number) => [{ channel: asId<never>('C1'), cards }];
  await outages.record(workspace, { since: 5 }, 'a1', late(3));
  await outages.record(workspace, { since: 6, until: 9 }, 'a1', late(2));
  await outages.record(workspace, { since: 6, until: 9 }, 'a2', []);
  expect(await outages.get(workspace)).toEqual({ since: 5, until: 9, late: { a1: late(3), a2: [] } });
});
