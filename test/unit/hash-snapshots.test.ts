import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  changeVersion,
  createHashSnapshots,
  newVersion,
  versionKeyOf,
} from '../../src/store/hash-snapshots.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const hash = 'a hash of accounts';

/** Two processes that read the hash. */
const readers = () =>
  [redis.first, redis.second].map((one) => createHashSnapshots(one, ([, text]) => text.split(' '))) as [
    ReturnType<typeof createHashSnapshots>,
    ReturnType<typeof createHashSnapshots>,
  ];

const writeScript = `
if ARGV[2] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end
${changeVersion('KEYS[1]', 'KEYS[2]', 'ARGV[3]')}`;

const write = (field: string, text: string) =>
  redis.first.eval(writeScript, 2, hash, versionKeyOf(hash), field, text, newVersion());

/** How often the whole hash was read while something ran. */
async function readsDuring(run: () => Promise<unknown>): Promise<number> {
  const count = async () =>
    Number(/cmdstat_hgetall:calls=(\d+)/.exec(await redis.first.info('commandstats'))?.[1] ?? 0);
  const before = await count();
  await run();
  return (await count()) - before;
}

beforeEach(async () => {
  await redis.first.del(hash, versionKeyOf(hash));
});

afterEach(() => vi.restoreAllMocks());

test('every process sees each write at once, and reads the hash once for each', async () => {
  const [here, there] = readers();
  vi.spyOn(performance, 'now').mockReturnValue(0);
  await write('f1', 'a1 c1');
  await write('f2', 'a2 c1');
  const reads = await readsDuring(async () => {
    for (let times = 0; times < 5; times += 1) {
      expect(await here(hash, 'a1')).toEqual([['f1', 'a1 c1']]);
      expect(await there(hash, 'c1')).toHaveLength(2);
    }
  });
  expect(reads).toBe(2);
  await write('f1', '');
  for (const read of [here, there]) expect(await read(hash, 'a1')).toEqual([]);
  await write('f2', '');
  for (const read of [here, there]) expect(await read(hash, 'c1')).toEqual([]);
  expect(await redis.first.exists(versionKeyOf(hash))).toBe(0);
});

test('an older copy of Redis, or one without the hash, is not taken for what was read before', async () => {
  const [here] = readers();
  await write('f1', 'a1');
  const version = (await redis.first.get(versionKeyOf(hash))) ?? '';
  await write('f1', 'a2');
  expect(await here(hash, 'a2')).toHaveLength(1);
  await redis.first.del(hash);
  expect(await here(hash, 'a2')).toEqual([]);
  await redis.first.hset(hash, 'f1', 'a1');
  await redis.first.set(versionKeyOf(hash), version);
  expect(await here(hash, 'a1')).toHaveLength(1);
  expect(await here(hash, 'a2')).toEqual([]);
});
