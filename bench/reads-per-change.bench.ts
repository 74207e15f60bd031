import { setTimeout as delay } from 'node:timers/promises';
import { startMachine } from './machine.ts';
import { isQuick, report } from './report.ts';

// Each change must be read only once, even if a read of results takes several times the poll interval.

const changes = isQuick ? 2 : 5;
const readMs = 2_500;
const machine = await startMachine();
try {
  const { marketplace } = machine;
  await marketplace.addCampaign({
    campaign_id: 'c1',
    title: 'Shelf',
    status: 'RUNNING',
    available_positions: 999,
  });
  await marketplace.submit({ campaign_id: 'c1', count: 50 });
  await machine.startBot();
  const reads = async () =>
    (await marketplace.requests()).filter(({ path }) => path.includes('results_csv')).length;
  const quiet = async () => {
    // Longer than a read and the polls after it.
    for (let before = -1, now = await reads(); before !== now || now === 0; now = await reads()) {
      before = now;
      await delay(readMs + 2_000);
    }
  };
  await quiet();
  await marketplace.fault({
    kind: 'latency',
    delayMs: readMs,
    times: 1_000,
    match: { path: '/results_csv/' },
  });
  const before = await reads();
  for (let change = 0; change < changes; change += 1) {
    await marketplace.submit({ campaign_id: 'c1' });
    await delay(readMs + 2_500);
  }
  await quiet();
  report({
    what: `Reads per change, while reads last longer than the poll interval`,
    against: '1',
    value: ((await reads()) - before) / changes,
    most: 1,
    least: 1,
  });
} finally {
  await machine.stop();
}
