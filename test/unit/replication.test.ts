import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRedis, openReplicationRedis } from '../../src/store/redis.ts';
import { createReplication, requiredReplicas } from '../../src/store/replication.ts';
import { eventually } from '../harness/eventually.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';

let primary: TestRedis;
let replica: TestRedis;
let store: Redis;
let waiting: Redis;
beforeAll(async () => {
  [primary, replica] = await Promise.all([startRedis(), startRedis()]);
  store = openRedis(primary.url);
  waiting = openReplicationRedis(primary.url);
  await store.config('SET', 'repl-diskless-sync-delay', '0');
  const follower = new Redis(replica.url);
  await follower.replicaof('127.0.0.1', primary.port);
  follower.disconnect();
  await eventually('the replica', async () => (await store.info('replication')).includes('state=online'));
});
afterAll(async () => {
  store.disconnect();
  waiting.disconnect();
  await Promise.all([primary.stop(), replica.stop()]);
});

test('what a replica has is confirmed, what is not there is not', async () => {
  const replication = createReplication(store, waiting, 1);
  await store.set('decision', 'OK');
  expect(await replication.confirm(async () => (await store.get('decision')) === 'OK')).toBe(true);
  expect(await replication.confirm(async () => (await store.get('decision')) === 'NOK')).toBe(false);
});

test('one wait serves all who ask at the same time', async () => {
  const replication = createReplication(store, waiting, 1);
  const waits = async () => Number(/cmdstat_wait:calls=(\d+)/.exec(await store.info('commandstats'))?.[1]);
  const before = await waits();
  const answers = await Promise.all(Array.from({ length: 200 }, () => replication.confirm(async () => true)));
  expect(answers.every(Boolean)).toBe(true);
  expect((await waits()) - before).toBeLessThan(10);
});

test('nothing is confirmed by fewer replicas than required, by one that hangs, or by another server', async () => {
  expect(await createReplication(store, waiting, 2).confirm(async () => true)).toBe(false);

  const elsewhere = openReplicationRedis(replica.url);
  elsewhere.on('error', () => undefined);
  expect(await createReplication(store, elsewhere, 0).confirm(async () => true)).toBe(false);
  elsewhere.disconnect();

  replica.pause();
  expect(await createReplication(store, waiting, 1).confirm(async () => true)).toBe(false);
  replica.resume();
  const again = createReplication(store, waiting, 1);
  await eventually('a replica that has it', () => again.confirm(async () => true));
});

test('with Sentinel one replica is required unless it is said otherwise, and a cluster refuses any', () => {
  expect(requiredReplicas('redis://localhost', undefined)).toBe(0);
  expect(requiredReplicas('redis://localhost', 2)).toBe(2);
  expect(requiredReplicas('redis+sentinel://a:1/name', undefined)).toBe(1);
  expect(requiredReplicas('redis+sentinel://a:1/name', 0)).toBe(0);
  expect(requiredReplicas('redis+cluster://a:1', undefined)).toBe(0);
  expect(() => requiredReplicas('redis+cluster://a:1', 1)).toThrow(/^REDIS_REPLICAS cannot be used/);
});
