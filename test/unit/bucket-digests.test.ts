import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { storeInBuckets } from '../../src/store/workers.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';

const server: TestRedis = await startRedis();
const redis = new Redis(server.url);
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const store = (wanted: ReadonlyMap<string, string>) =>
  storeInBuckets(redis, {
    key: 'hash',
    digestsKey: 'digests',
    size: wanted.size,
    texts: () => wanted,
  });

/** A hash of some hundred fields, so that there are several buckets. */
const base = new Map(Array.from({ length: 300 }, (_, index) => [`w${index}`, `text ${index}`]));

test('a hash has what is wanted, whatever it had and whatever was changed beside it', async () => {
  const change = fc.record({
    set: fc.dictionary(fc.constantFrom('w1', 'w2', 'w299', 'new', 'newer'), fc.constantFrom('a', 'b')),
    gone: fc.subarray(['w1', 'w3', 'new', 'w100']),
    /** Somebody else writes the hash, and removes the digests as they must. */
    beside: fc.option(fc.constantFrom('w1', 'w7', 'foreign')),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 4 }), async (changes) => {
      await redis.flushall();
      const wanted = new Map(base);
      await store(wanted);
      for (const { set, gone, beside } of changes) {
        for (const [field, text] of Object.entries(set)) wanted.set(field, text);
        for (const field of gone) wanted.delete(field);
        if (beside !== null) {
          await redis.hset('hash', beside, 'of somebody else');
          await redis.del('digests');
        }
        await store(wanted);
        expect(await redis.hgetall('hash')).toEqual(Object.fromEntries(wanted));
      }
    }),
    { numRuns: 40 },
  );
});

test('what has not changed is not read, and of what has only its bucket', async () => {
  await redis.flushall();
  const wanted = new Map(Array.from({ length: 5_000 }, (_, index) => [`w${index}`, `text ${index}`]));
  const readBytes = async () => Number(/total_net_output_bytes:(\d+)/.exec(await redis.info('stats'))?.[1]);
  const costOf = async () => {
    const before = await readBytes();
    await store(wanted);
    return (await readBytes()) - before;
  };
  await store(wanted);
  const whole = [...wanted].flat().join('').length;
  expect(await costOf()).toBeLessThan(whole / 4);
  wanted.set('w17', 'changed');
  expect(await costOf()).toBeLessThan(whole / 4);
  expect(await redis.hget('hash', 'w17')).toBe('changed');
});
