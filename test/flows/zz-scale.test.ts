import { test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { worldPerTest } from '../harness/world-per-test.ts';
const worlds = worldPerTest({
  scenario: { campaigns: [{ campaign_id: 'c1', title: 'Many', status: 'RUNNING', available_positions: 2000, tasks: { NOTRATED: 300 } }] },
});
test('scale', { timeout: 280_000 }, async () => {
  const { ann, marketplace } = await worlds.begin();
  await ann.sees('C01REVIEW', /280 more tasks/);
  const ids = (await marketplace.state()).tasks.map(({ task_id }) => task_id);
  await marketplace.clearRequests();
  const from = Date.now();
  for (const id of ids) await marketplace.rate(id, 'OK');
  console.log('rated in', Date.now() - from);
  await ann.sees('C01REVIEW', /Every task waiting for review has its card/, { timeoutMs: 250_000 });
  const asked = (await marketplace.requests()).filter(({ path }) => path.includes('task_info')).length;
  const read = (await marketplace.requests()).filter(({ path }) => path.includes('results_csv')).length;
  console.log('done in', Date.now() - from, { asked, read });
});
