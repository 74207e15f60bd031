import { Redis } from 'ioredis';
import { pause, percentile, startMachine } from './machine.ts';
import { isQuick, report } from './report.ts';
import { seedAccounts, workspaceOfMembers } from './seeded-accounts.ts';

// Runs one, two and four processes on one Redis, with eight accounts, and the marketplace and Slack 100 ms away. Measures
// the time from the first read until the new tasks of all campaigns of all accounts have been seen.

const accounts = 8;
const campaignsEach = 10;
const awayMs = 100;
const rounds = 3;

const machine = await startMachine({
  workspace: workspaceOfMembers(accounts),
  env: { POLL_SECONDS: '2', REVIEW_CHANNEL: '', MARKETPLACE_API_KEY: '', ACCOUNT_OWNERS: '' },
});
const redis = new Redis(machine.redisUrl);
try {
  const { marketplace, slack } = machine;
  await marketplace.reset({
    campaigns: [
      { title: 'Shelf', status: 'RUNNING', repeat: accounts * campaignsEach, available_positions: 10_000 },
    ],
  });
  const ids = (await marketplace.state()).campaigns.map(({ campaign_id }) => campaign_id);
  const keys = Array.from({ length: accounts }, (_, index) => `bench-key-${index}`);
  for (const key of keys)
    await fetch(`${machine.marketplaceUrl}/_sandbox/keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key, of: 'employer-demo-key' }),
    });
  await seedAccounts(
    machine.redisUrl,
    keys.map((key, index) => ({
      key,
      campaigns: ids.slice(index * campaignsEach, (index + 1) * campaignsEach),
    })),
  );
  await marketplace.fault({ kind: 'latency', delayMs: awayMs, times: 10_000_000, match: {} });
  await slack.settings({ latencyMs: awayMs });

  const open = async () => {
    let found = 0;
    for (const key of await redis.keys('*:tasks:open')) found += await redis.zcard(key);
    return found;
  };

  /** Submits a task to each campaign. Returns the time (ms) from the first read until all are seen. */
  async function round(): Promise<number> {
    const before = await open();
    await pause(isQuick ? 1_000 : 5_000);
    await marketplace.clearRequests();
    for (const campaign_id of ids) await marketplace.submit({ campaign_id });
    const reads = async () => (await marketplace.requests()).some(({ path }) => path.includes('results_csv'));
    while (!(await reads())) await pause(20);
    const began = performance.now();
    while ((await open()) < before + ids.length) {
      if (performance.now() - began > 120_000) throw new Error(`${(await open()) - before} tasks are seen`);
      await pause(50);
    }
    return performance.now() - began;
  }

  async function rounded(): Promise<number> {
    const times: number[] = [];
    for (let n = 0; n < rounds; n += 1) times.push(await round());
    return percentile(times, 0.5);
  }

  await machine.startBot();
  await round();
  const one = await rounded();
  await machine.startBot();
  await round();
  const two = await rounded();
  const measured = (ms: number) => `${one.toFixed(0)} ms, ${ms.toFixed(0)} ms`;
  report({
    what: 'Two processes on one Redis, everything 100 ms away: throughput of reads',
    against: 'one process',
    value: one / two,
    least: 1.7,
    measured: measured(two),
  });
  if (!isQuick) {
    await machine.startBot();
    await machine.startBot();
    await round();
    const four = await rounded();
    report({
      what: 'Four processes on one Redis, everything 100 ms away: throughput of reads',
      against: 'one process',
      value: one / four,
      measured: measured(four),
    });
  }
} finally {
  redis.disconnect();
  await machine.stop();
}
