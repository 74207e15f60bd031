import { expect, test } from 'vitest';
import { place, rates, shelf } from '../harness/acts.ts';
import { eventually, sharedWorld } from '../harness/worlds.ts';

const world = sharedWorld({
  scenario: { campaigns: [{ ...shelf, available_positions: 50 }] },
  env: { RETENTION_DAYS: '0' },
  intervals: { retentionMs: 300, sweepMs: 500 },
});

/** What of Redis, but for the audit, mentions one of the texts. */
async function kept(...texts: string[]): Promise<string[]> {
  const all = (await Promise.all(texts.map(world.redis.mentions))).flat();
  return all.filter((key) => !key.endsWith(':audit'));
}

test('a finished campaign leaves nothing of its decided tasks in Redis but what recognizes them; their cards stay', async () => {
  const { ann, marketplace } = world;
  const submitted = (name: string) => world.taskWithCard(`proof of ${name}`, { ip: '203.0.113.7' });
  const [ok, nok] = [(await submitted('ok')).card, (await submitted('nok')).card];
  const { task: toRevise, card: revise } = await submitted('revise');
  const { task: open } = await submitted('open');
  await ann.clicks(ok, 'OK');
  await rates(ann, nok, 'NOK', 'reason of nok');
  await rates(ann, revise, 'REVISE', 'reason of revise');
  for (const [one, said] of [
    [ok, /:white_check_mark: \*OK\* by/],
    [nok, /:x: \*NOK\* by/],
    [revise, /:leftwards_arrow_with_hook: \*REVISE\* by/],
  ] as const)
    await one.untilText(said);
  const before = await nok.refresh();
  expect(await kept('proof of nok')).not.toEqual([]);

  await marketplace.patchCampaign(shelf.campaign_id, { status: 'FINISHED' });
  await eventually(
    'the proofs to be gone',
    async () => (await kept('proof of ok', 'proof of nok', 'reason of nok')).length === 0,
  );
  expect(await kept('proof of open')).not.toEqual([]);
  expect(await kept('proof of revise')).not.toEqual([]);
  expect((await nok.refresh()).text).toBe(before.text);

  await ann.chooses(nok, '…', 'Full proof');
  await ann.sees(place, /rated long ago, so its proof and comments are no longer stored/);

  // What comes back, and what else changes, is imported without a second card for what was decided.
  const there = (await world.postsOf('card')).length;
  const { tasks } = await marketplace.state();
  await marketplace.correct(toRevise, ['corrected proof']);
  const corrected = await ann.sees(place, /Resubmitted, round 2/);
  expect(corrected.text).toContain('proof of revise');
  await marketplace.rate(open, 'OK');
  await ann.clicks(corrected, 'OK');
  await eventually(
    'everything of the workers to be gone',
    async () => (await kept('203.0.113.7', 'proof of', 'corrected proof', 'reason of')).length === 0,
  );
  const { workers } = await marketplace.state();
  const names = workers
    .filter((worker) => tasks.some(({ worker_id }) => worker_id === worker.worker_id))
    .map(({ username }) => username);
  expect(names.length).toBeGreaterThan(0);
  await eventually('the names to be gone', async () => (await kept(...names)).length === 0);
  expect(await world.postsOf('card')).toHaveLength(there + 1);
  expect((await nok.refresh()).text).toBe(before.text);
});
