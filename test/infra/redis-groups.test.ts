import { expect, onTestFinished, test } from 'vitest';
import { shelf } from '../harness/acts.ts';
import { eventually } from '../harness/eventually.ts';
import { isReady, notReady } from '../harness/health.ts';
import { type RedisGroup, startRedisCluster } from '../harness/redis-cluster.ts';
import type { World } from '../harness/world.ts';
import { worldPerTest } from '../harness/worlds.ts';

// A job whose end was refused runs again once its lock has expired.
const { world, begin } = worldPerTest({ scenario: { campaigns: [shelf] }, timeouts: { jobLockMs: 3_000 } });

async function startedCluster(): Promise<RedisGroup> {
  const cluster = await startRedisCluster();
  onTestFinished(() => cluster.stop());
  return cluster;
}

async function reviewOne({ ann, marketplace }: World, proof: string): Promise<void> {
  const { task, card } = await world.taskWithCard(proof);
  await ann.clicks(card, 'OK');
  await marketplace.rated(task, 'OK');
  await card.untilText(/OK\* by @Ann/);
}

test('the bot works on a cluster of three nodes', async () => {
  const all = await begin({ env: { REDIS_URL: (await startedCluster()).url } });
  await reviewOne(all, 'first proof');
  // What comes at once is read and stored together.
  await Promise.all(
    ['2nd proof', '3rd proof', '4th proof', '5th proof'].map((proof) => reviewOne(all, proof)),
  );
  await all.ann.asks('/campaign list', /Photo of a shelf.*positions/s);
  await all.marketplace.write({ subject: 'A question' });
  await all.ann.sees('C01REVIEW', /A question/);
});

test('while the whole cluster is away, who clicks or submits is told in time; after that the bot recovers', async () => {
  const redis = await startedCluster();
  const { ann, ben, chloe, marketplace } = await begin({
    env: { REDIS_URL: redis.url },
    // With a job that is due within a second while all nodes go, BullMQ's worker of that queue may wait for ever for a new
    // connection (ioredis' Cluster.connect neither resolves nor rejects): the pace of production has none.
    intervals: { queuePaceMs: 15_000 },
  });
  const { task, card } = await world.taskWithCard('the shelf');
  const reason = await ben.opens(card, 'NOK', /Rate NOK/);
  await reason.fill('Reason for NOK', 'Another shelf');
  await eventually('/readyz to be well before', () => isReady(world));

  await Promise.all([0, 1, 2].map((index) => redis.kill(index)));
  const why = /^not ready\nredis: down. Redis (cannot be reached|does not answer)/;
  await eventually('/readyz to say so', () => notReady(world, why));
  // The first as well as later ones: ioredis keeps them in different places.
  for (const person of [ann, chloe]) {
    await person.clicks(card, 'OK');
    const told = await person.sees('C01REVIEW', /cannot reach its database/);
    expect(told.ephemeral).toBe(true);
  }
  const kept = await reason.submit();
  expect(Object.values(kept.errors ?? {})).toEqual([expect.stringContaining('cannot reach its database')]);
  // The sandbox counts a later answer as none. Slack gives 3 seconds: a busy machine may have two more.
  expect(kept.acked).toBe(true);

  await Promise.all([0, 1, 2].map((index) => redis.restart(index)));
  await eventually('/readyz to be well again', () => isReady(world));
  // What was said to have failed meanwhile is not done later.
  expect((await card.refresh()).text).not.toMatch(/OK\* by/);
  await reason.submit();
  await card.untilText(/NOK\* by @Ben/);
  await marketplace.rated(task, 'NOK');
});
