import { afterEach, expect, test } from 'vitest';
import { parseRedisAddress } from '../../src/store/redis-address.ts';
import { eventually } from '../harness/eventually.ts';
import { type RedisGroup, startRedisCluster, startRedisSentinels } from '../harness/redis-cluster.ts';
import { startWorld, type World } from '../harness/world.ts';

const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;

let group: RedisGroup | undefined;
let world: World | undefined;
afterEach(async () => {
  await world?.close();
  await group?.stop();
  world = undefined;
  group = undefined;
});

async function begin(redis: RedisGroup): Promise<World> {
  group = redis;
  world = await startWorld({ scenario: { campaigns: [shelf] }, env: { REDIS_URL: redis.url } });
  return world;
}

async function reviewOne({ ann, marketplace }: World, proof: string): Promise<void> {
  const [task = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id, proof: [proof] });
  const card = await ann.sees('C01REVIEW', new RegExp(proof), { timeoutMs: 20_000 });
  await ann.clicks(card, 'OK');
  await eventually('the rating', async () => (await marketplace.task(task)).task_rating === 'OK', 20_000);
  await card.untilText(/OK\* by @Ann/, 20_000);
}

test('the bot works on a cluster of three nodes', async () => {
  const all = await begin(await startRedisCluster());
  await reviewOne(all, 'first proof');
  await all.ann.types('C01REVIEW', '/campaign list');
  await all.ann.sees('C01REVIEW', /Photo of a shelf.*positions/s);
  await all.marketplace.write({ subject: 'A question' });
  await all.ann.sees('C01REVIEW', /A question/);
}, 60_000);

test('the bot follows the sentinels to the new master when the old one dies', async () => {
  const redis = await startRedisSentinels();
  const all = await begin(redis);
  await reviewOne(all, 'before');
  await redis.kill(0);
  await reviewOne(all, 'after');
}, 60_000);

test('an address of neither kind is refused without being repeated', () => {
  expect(() => parseRedisAddress('redis+sentinel://:secret@localhost:26379')).toThrow(/^REDIS_URL must be/);
  expect(parseRedisAddress('rediss+sentinel://bot:pa%3Ass@a:1,[::1]:2/reviews/3')).toEqual({
    kind: 'sentinel',
    sentinels: [
      { host: 'a', port: 1 },
      { host: '::1', port: 2 },
    ],
    name: 'reviews',
    db: 3,
    username: 'bot',
    password: 'pa:ss',
    tls: true,
  });
});
