import { afterAll, beforeAll, expect, test } from 'vitest';
import { shelf } from '../harness/acts.ts';
import { eventually } from '../harness/eventually.ts';
import { isReady } from '../harness/health.ts';
import { type SentinelGroup, startSentinelGroup } from '../harness/sentinel.ts';
import { startWorld, type World } from '../harness/world.ts';

/** From the loss of the primary until decisions are accepted again. */
const servingAgainMs = 60_000;

let group: SentinelGroup;
let world: World;
beforeAll(async () => {
  group = await startSentinelGroup({ downAfterMs: 1_500 });
  world = await startWorld({
    scenario: { campaigns: [shelf] },
    env: { REDIS_URL: group.url, UNDO_SECONDS: '1' },
    timeouts: { marketplaceMs: 2_000 },
  });
});
afterAll(async () => {
  await world?.close();
  await group?.stop();
});

const rating = async (task: string) => (await world.marketplace.task(task)).task_rating;

/** How many times a rating was sent for a task. */
async function timesSent(task: string): Promise<number> {
  const requests = await world.marketplace.requests();
  return requests.filter(
    ({ path, form }) => path.includes('rate_task') && JSON.stringify(form).includes(task),
  ).length;
}

test.each(['killed', 'hung'])(
  'when the primary is %s, the bot serves from the next one within a minute, and nothing is sent twice',
  async (how) => {
    const { ann, ben } = world;
    await group.whole();
    const before = await world.taskWithCard(`before it was ${how}`);
    const after = await world.taskWithCard(`after it was ${how}`);
    await ann.clicks(before.card, 'OK', /OK\* by @Ann/);
    const lost = await group.primary();
    const lostAt = Date.now();
    if (how === 'killed') await group.kill(lost);
    else group.pause(lost);

    await eventually('another primary', async () => (await group.primary()) !== lost, servingAgainMs);
    await eventually('/readyz to be well again', () => isReady(world), servingAgainMs);
    await ben.clicks(after.card, 'OK');
    await after.card.untilText(/OK\* by @Ben/, servingAgainMs);
    const areRated = async () => (await rating(before.task)) === 'OK' && (await rating(after.task)) === 'OK';
    await eventually('both ratings', areRated, servingAgainMs);
    expect(Date.now() - lostAt).toBeLessThan(servingAgainMs);
    if (how === 'killed') await group.restart(lost);
    else group.resume(lost);
    await before.card.until(({ buttons }) => !buttons.some((name) => name.startsWith('Undo')));
    expect([await timesSent(before.task), await timesSent(after.task)]).toEqual([1, 1]);
  },
  120_000,
);
