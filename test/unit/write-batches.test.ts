import { expect, test } from 'vitest';
import { openRedis } from '../../src/store/redis.ts';
import { startRedis } from '../harness/redis.ts';

test('what is asked for at once reaches Redis in one piece, and is answered as ever', async () => {
  const server = await startRedis();
  const redis = openRedis(server.url);
  try {
    const reads = async () => Number(/total_reads_processed:(\d+)/.exec(await redis.info('stats'))?.[1]);
    await redis.set('known', 'value');
    const before = await reads();
    const ask = async (_: unknown, index: number) => {
      // Some of them a few microtasks later, as features ask.
      for (let step = 0; step < index % 5; step += 1) await Promise.resolve();
      return redis.get(index % 2 === 0 ? 'known' : 'unknown');
    };
    const answers = await Promise.all(Array.from({ length: 100 }, ask));
    expect(answers).toEqual(Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? 'value' : null)));
    // One for all of them, one for the question itself.
    expect((await reads()) - before).toBeLessThanOrEqual(4);
  } finally {
    redis.disconnect();
    await server.stop();
  }
});
