import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { request } from 'undici';
import { startMachine } from './machine.ts';
import { isQuick, report } from './report.ts';

// Many campaigns each get a new task at once. Measures the time until all tasks are seen, which must be little longer than
// their bytes need on the wire at the shipped budget for results.

const campaigns = isQuick ? 20 : 100;
const tasks = 5_000;
const bytesPerMinute = 16_000_000;
const machine = await startMachine({
  env: { OPEN_CARDS: '0' },
});
const redis = new Redis(machine.redisUrl);
try {
  const { marketplace } = machine;
  await marketplace.reset({
    campaigns: [{ title: 'Shelf', status: 'RUNNING', repeat: campaigns, tasks: { OK: tasks } }],
  });
  await machine.startBot();
  const open = async () => {
    const [key] = await redis.keys('*:tasks:open');
    return key === undefined ? 0 : redis.zcard(key);
  };
  await delay(5_000);
  const ids = (await marketplace.state()).campaigns.map(({ campaign_id }) => campaign_id);
  const began = performance.now();
  for (const campaign_id of ids) await marketplace.submit({ campaign_id });
  while ((await open()) < ids.length) {
    if (performance.now() - began > 600_000) throw new Error('not all tasks are seen');
    await delay(100);
  }
  const seconds = (performance.now() - began) / 1_000;
  const answer = await request(`${machine.marketplaceUrl}/campaign_hg/results_csv/${ids[0]}`, {
    headers: { ServiceApiKey: 'employer-demo-key', 'accept-encoding': 'gzip' },
  });
  const bytes = (await answer.body.arrayBuffer()).byteLength * ids.length;
  const atBudget = (bytes / bytesPerMinute) * 60;
  report({
    what: `${ids.length} campaigns of ${tasks.toLocaleString('en')} tasks, one new each: until all have been seen`,
    against: 'their bytes on the wire at the budget',
    value: seconds / atBudget,
    most: 1.3,
    measured: `${seconds.toFixed(1)} s, ${atBudget.toFixed(1)} s`,
  });
} finally {
  redis.disconnect();
  await machine.stop();
}
