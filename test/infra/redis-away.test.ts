import { describe, expect, test } from 'vitest';
import { shelf } from '../harness/acts.ts';
import { eventually } from '../harness/eventually.ts';
import { isReady, notReady } from '../harness/health.ts';
import { transports } from '../harness/world.ts';
import { worldPerTest } from '../harness/worlds.ts';

const { world, begin } = worldPerTest();

describe.each(transports)('Redis away, over %s', (transport) => {
  test('who clicks is told, /readyz says so, and it recovers by itself with nothing lost', async () => {
    const { ann, ben, marketplace, redis, slack } = await begin({
      transport,
      scenario: { campaigns: [shelf] },
      env: { UNDO_SECONDS: '3' },
      timeouts: { marketplaceMs: 2_000 },
    });
    const { task: first, card: one } = await world.taskWithCard('one');
    const { task: second, card: two } = await world.taskWithCard('two');
    const gone = await world.card('deleted');
    expect(await isReady(world)).toBe(true);

    // A decision that waits to be sent when Redis goes.
    await ann.clicks(one, 'OK', /OK\* by @Ann/);
    await redis.kill();

    await eventually('/readyz to say so', () => notReady(world, /redis: down/));
    expect((await ben.clicks(two, 'OK')).acked).toBe(true);
    await slack.deletes(gone);
    const told = await ben.sees('C01REVIEW', /Redis/);
    expect(told.ephemeral).toBe(true);
    expect(told.text).toMatch(/cannot reach its database/);
    await ben.types('C01REVIEW', '/proofdesk workers');
    await eventually('the command to be answered', async () => {
      const answers = (await ben.reads('C01REVIEW')).filter(({ ephemeral }) => ephemeral);
      return answers.length > 1;
    });
    const [third = ''] = await marketplace.submit({ campaign_id: shelf.campaign_id, proof: ['three'] });

    await redis.restart();
    await eventually('/readyz to be well again', () => isReady(world));
    const rating = async (task: string) => (await marketplace.task(task)).task_rating;
    await eventually('the decision made before', async () => (await rating(first)) === 'OK');
    await one.until(
      ({ text, buttons }) => /OK\* by @Ann/.test(text) && !buttons.some((name) => name.startsWith('Undo')),
    );

    // The card of an open task that somebody deleted meanwhile.
    await ben.sees('C01REVIEW', /deleted/, { after: gone.ts });
    const three = await ben.sees('C01REVIEW', /three/);
    await ben.clicks(two, 'OK');
    await ben.clicks(three, 'OK');
    await eventually('the decisions made after', async () => {
      const after = await Promise.all([rating(second), rating(third)]);
      return after.every((each) => each === 'OK');
    });
  });
});

test('a Redis that stands still counts as away, who clicks or submits is told in time, and it recovers', async () => {
  const { ann, ben, marketplace, redis } = await begin({ scenario: { campaigns: [shelf] } });
  const { task: first, card: one } = await world.taskWithCard('one');
  const { task: second, card: two } = await world.taskWithCard('two');
  const reason = await ben.opens(two, 'NOK', /Rate NOK/);
  await reason.fill('Reason for NOK', 'Another shelf');
  expect(await isReady(world)).toBe(true);

  redis.pause();
  const why = /^not ready\nredis: down\. Redis does not answer\. Work resumes once it does\.\n/;
  expect(await notReady(world, why)).toBe(true);
  await ann.clicks(one, 'OK');
  await ann.sees('C01REVIEW', /cannot reach its database/);
  const kept = await reason.submit();
  expect(Object.values(kept.errors ?? {})).toEqual([expect.stringContaining('cannot reach its database')]);
  // The sandbox counts a later answer as none. Slack gives 3 seconds: a busy machine may have two more.
  expect(kept.acked).toBe(true);

  redis.resume();
  await eventually('/readyz to be well again', () => isReady(world));
  await ann.clicks(one, 'OK');
  await reason.submit();
  await one.untilText(/OK\* by @Ann/);
  await two.untilText(/NOK\* by @Ben/);
  await eventually('both ratings', async () => {
    const ratings = await Promise.all([first, second].map((task) => marketplace.task(task)));
    return ratings.map(({ task_rating }) => task_rating).join() === 'OK,NOK';
  });
});
