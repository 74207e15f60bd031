import { afterEach, expect, test } from 'vitest';
import { shelf } from '../harness/acts.ts';
import { eventually } from '../harness/eventually.ts';
import { ask, isReady, notReady } from '../harness/health.ts';
import { sharedWorld } from '../harness/worlds.ts';

// A job whose end was refused runs again once its lock has expired.
const world = sharedWorld({ scenario: { campaigns: [shelf] }, timeouts: { jobLockMs: 3_000 } });
/** Ends the refusal that is under way. */
let end: () => Promise<unknown> = async () => undefined;
afterEach(() => end());

test.each([
  { code: 'OOM', why: 'its memory is full' },
  { code: 'NOREPLICAS', why: 'its replicas are missing' },
  { code: 'READONLY', why: 'it is a replica, which takes no changes' },
  { code: 'MISCONF', why: 'it cannot write to its disk' },
] as const)(
  'while Redis refuses writes ($code), the bot is not ready, takes nothing and says so; after that it goes on',
  async ({ code, why }) => {
    const { ann, ben, chloe, marketplace, port, redis } = world;
    const { task: first, card: one } = await world.taskWithCard(`one ${code}`);
    const { task: second, card: two } = await world.taskWithCard(`two ${code}`);
    const reason = await ben.opens(two, 'NOK', /Rate NOK/);
    await reason.fill('Reason for NOK', 'Another shelf');
    expect(await isReady(world)).toBe(true);

    const began = performance.now();
    end = await redis.refusesWrites(code);
    await eventually('/readyz to say so', () => notReady(world, new RegExp(`${why} \\(${code}\\)`)));
    expect((await ann.clicks(one, 'OK')).acked).toBe(true);
    const notTaken = new RegExp(`because ${why} \\(${code}\\)\\. This may not have been saved`);
    expect((await ann.sees('C01REVIEW', notTaken)).ephemeral).toBe(true);
    const kept = await reason.submit();
    expect(Object.values(kept.errors ?? {})).toEqual([expect.stringMatching(notTaken)]);
    expect((await chloe.asks('/proofdesk workers', notTaken)).ephemeral).toBe(true);
    expect((await one.refresh()).buttons).toContain('OK');
    const waiting = { campaign_id: shelf.campaign_id, proof: [`three ${code}`] };
    const [third = ''] = await marketplace.submit(waiting);
    expect((await ask(port, '/readyz'))?.status).toBe(503);

    // No worker asks again and again: without a pause, a Redis without memory refuses 30,000 commands per second.
    const refused = await eventually('more tries', async () => {
      const count = await redis.refused(code);
      return count >= 15 && count;
    });
    expect(refused).toBeLessThan((500 * (performance.now() - began)) / 1_000);
    const from = world.log.length;
    await end();
    await eventually('/readyz to be well again', () => isReady(world));
    // Nothing that was refused is done later.
    const rating = async (task: string) => (await marketplace.task(task)).task_rating;
    expect([await rating(first), await rating(second)]).toEqual(['NOTRATED', 'NOTRATED']);
    await ann.clicks(one, 'OK');
    await reason.submit();
    const three = await ben.sees('C01REVIEW', new RegExp(`three ${code}`));
    await ben.clicks(three, 'OK');
    await eventually(
      'all three ratings',
      async () => [await rating(first), await rating(second), await rating(third)].join() === 'OK,NOK,OK',
    );
    expect(world.log.length - from).toBeLessThan(2_000);
  },
);
