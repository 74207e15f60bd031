import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { isReady } from '../harness/health.ts';
import { type SentinelGroup, startSentinelGroup } from '../harness/sentinel.ts';
import { startWorld, type World } from '../harness/world.ts';

const campaign = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
/** From the loss of the primary until decisions are accepted again. */
const servingAgainMs = 15_000;

let group: SentinelGroup;
let world: World;
beforeAll(async () => {
  group = await startSentinelGroup({ downAfterMs: 1_500 });
  world = await startWorld({
    scenario: { campaigns: [campaign] },
    env: { REDIS_URL: group.url, UNDO_SECONDS: '1' },
    // After a failover, what may be on its way to the marketplace is waited for this long.
    timeouts: { marketplaceMs: 2_000 },
  });
});
afterAll(async () => {
  await world?.close();
  await group?.stop();
});

async function taskWithCard(proof: string) {
  const { ann, marketplace } = world;
  const [task = ''] = await marketplace.submit({ campaign_id: campaign.campaign_id, proof: [proof] });
  return { task, card: await ann.sees('C01REVIEW', new RegExp(proof)) };
}

const rating = async (task: string) => (await world.marketplace.task(task)).task_rating;

/** How many times a rating was sent for a task. */
async function timesSent(task: string): Promise<number> {
  const requests = await world.marketplace.requests();
  return requests.filter(
    ({ path, form }) => path.includes('rate_task') && JSON.stringify(form).includes(task),
  ).length;
}

test('a decision that no replica has is not shown, is called not safe yet, and is sent once a replica has it', async () => {
  const { ann, ben } = world;
  const ok = await taskWithCard('stored once');
  const nok = await taskWithCard('refused once');
  await ben.clicks(nok.card, 'NOK');
  const reason = await ben.modal(/Refuse this task/);
  await reason.fill('Why is it refused?', 'Another shelf');
  for (const port of await group.replicas()) group.pause(port);

  await ann.clicks(ok.card, 'OK');
  const told = await ann.sees('C01REVIEW', /Not safe yet: your \*OK\*/);
  expect(told.ephemeral).toBe(true);
  expect((await reason.submit()).acked).toBe(true);
  // What was typed can be copied, in case it has to be typed again.
  await ben.sees('C01REVIEW', /Not safe yet: your \*NOK\*.*Another shelf/s);
  expect((await ok.card.refresh()).text).not.toMatch(/OK\* by/);
  expect((await nok.card.refresh()).text).not.toMatch(/NOK\* by/);
  expect([await rating(ok.task), await rating(nok.task)]).toEqual(['NOTRATED', 'NOTRATED']);

  for (const port of await group.replicas()) group.resume(port);
  await ok.card.untilText(/OK\* by @Ann/);
  await nok.card.untilText(/NOK\* by @Ben/);
  await eventually(
    'the ratings',
    async () => [await rating(ok.task), await rating(nok.task)].join() === 'OK,NOK',
  );
  expect([await timesSent(ok.task), await timesSent(nok.task)]).toEqual([1, 1]);
});

test('a decision lost with the primary was never shown as accepted, and is made again', async () => {
  const { ann } = world;
  await group.whole();
  const { task, card } = await taskWithCard('made on one server');
  const primary = await group.primary();
  const replicas = await group.replicas();
  for (const port of replicas) group.pause(port);
  const admin = new Redis(primary, '127.0.0.1');
  // Otherwise the primary takes nothing any more once its replicas are gone.
  await admin.config('SET', 'min-replicas-to-write', '0');
  // Otherwise they find what is sent to them when they go on.
  await admin.call('CLIENT', 'KILL', 'TYPE', 'replica');
  admin.disconnect();
  await ann.clicks(card, 'OK');
  await ann.sees('C01REVIEW', /Not safe yet: your \*OK\*/);
  await group.kill(primary);
  for (const port of replicas) group.resume(port);
  await eventually('another primary', async () => (await group.primary()) !== primary, servingAgainMs);
  await eventually('/readyz to be well again', () => isReady(world), servingAgainMs);
  await group.restart(primary);
  await group.whole();
  expect((await card.refresh()).buttons).toContain('OK');
  expect(await rating(task)).toBe('NOTRATED');
  await ann.clicks(card, 'OK');
  await card.untilText(/OK\* by @Ann/);
  await eventually('the rating', async () => (await rating(task)) === 'OK');
  expect(await timesSent(task)).toBe(1);
});

test.each(['killed', 'hanging'])(
  'with the primary %s, the bot serves again in time, and what was accepted is sent once',
  async (how) => {
    const { ann, ben } = world;
    await group.whole();
    const before = await taskWithCard(`before it was ${how}`);
    const after = await taskWithCard(`after it was ${how}`);
    await ann.clicks(before.card, 'OK');
    await before.card.untilText(/OK\* by @Ann/);
    const lost = await group.primary();
    const lostAt = Date.now();
    if (how === 'killed') await group.kill(lost);
    else group.pause(lost);

    await eventually('another primary', async () => (await group.primary()) !== lost, servingAgainMs);
    await eventually('/readyz to be well again', () => isReady(world), servingAgainMs);
    await ben.clicks(after.card, 'OK');
    await after.card.untilText(/OK\* by @Ben/, servingAgainMs);
    expect(Date.now() - lostAt).toBeLessThan(servingAgainMs);
    await eventually(
      'both ratings',
      async () => [await rating(before.task), await rating(after.task)].join() === 'OK,OK',
    );
    if (how === 'killed') await group.restart(lost);
    else group.resume(lost);
    await before.card.until(({ buttons }) => !buttons.includes('Undo'));
    expect([await timesSent(before.task), await timesSent(after.task)]).toEqual([1, 1]);
  },
  90_000,
);
