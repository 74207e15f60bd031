import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pause, startMachine } from './machine.ts';
import { isQuick, report } from './report.ts';
import { seedAccounts, workspaceOfMembers } from './seeded-accounts.ts';

// 1,000 accounts with 20 campaigns each, in one process that looks at each every 30 seconds: 2 % of the campaigns change between
// two looks, and are read. How much of one core that takes, and how late the event loop is.

/** In the short form, half of both: as many looks a second. */
const accounts = isQuick ? 500 : 1_000;
const pollMs = isQuick ? 15_000 : 30_000;
/** After the first look at all of them. */
const measuredMs = isQuick ? pollMs : 3 * pollMs;

/** How often each account has been looked at before anything is measured. */
const looksBefore = isQuick ? 1 : 2;

const server = fork(join(import.meta.dirname, 'accounts-server.ts'), [], { execArgv: ['--import', 'tsx'] });
const [port] = (await once(server, 'message')) as [number];
const marketplaceUrl = `http://127.0.0.1:${port}`;
const delayFile = join(tmpdir(), `proofdesk-delay-${process.pid}`);
const machine = await startMachine({ workspace: workspaceOfMembers(accounts) });
const counts = async () =>
  (await (await fetch(`${marketplaceUrl}/counts`)).json()) as {
    looks: number;
    reads: number;
    accounts: number;
  };
try {
  const keys = Array.from({ length: accounts }, (_, index) => ({ key: `bench-key-${index}` }));
  await seedAccounts(machine.redisUrl, keys);
  const bot = await machine.startBot({
    MARKETPLACE_BASE_URL: marketplaceUrl,
    MARKETPLACE_API_KEY: '',
    ACCOUNT_OWNERS: '',
    REVIEW_CHANNEL: '',
    POLL_SECONDS: String(pollMs / 1_000),
    BENCH_DELAY_FILE: delayFile,
    NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'event-loop-delay.mjs')).href}`,
  });
  // Everything has been looked at and read once, and what that queued is done.
  const until = performance.now() + 180_000;
  for (let last = -1; ; ) {
    const now = await counts();
    if (now.accounts === accounts && now.looks >= looksBefore * accounts && now.reads === last) break;
    if (performance.now() > until) {
      console.log(`after 3 minutes: ${JSON.stringify(now)}`);
      break;
    }
    last = now.reads;
    await pause(2_000);
  }
  bot.process.kill('SIGUSR2');
  const [before, cpu, began] = [await counts(), await bot.cpu(), performance.now()];
  await pause(measuredMs);
  const [after, ms] = [await counts(), performance.now() - began];
  const used = (await bot.cpu()) - cpu;
  const delay = Number(await readFile(delayFile, 'utf8'));
  const name = `${accounts.toLocaleString('en')} accounts with 20 campaigns each, one process`;
  const looked = `${after.looks - before.looks} looks and ${after.reads - before.reads} reads in ${(ms / 1_000).toFixed(0)} s`;
  report({ what: `${name}: CPU`, against: 'one core', value: used / ms, most: 0.5, measured: looked });
  report({
    what: `${name}: looks in time`,
    against: `one each every ${pollMs / 1_000} s`,
    value: (after.looks - before.looks) / ((accounts * ms) / pollMs),
    least: 0.9,
  });
  report({
    what: `${name}: delay of the event loop, p99 (ms)`,
    against: '20 ms',
    value: Math.max(0, delay),
    most: 20,
  });
} finally {
  server.kill();
  await machine.stop();
}
