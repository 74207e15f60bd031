import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventually } from '../test/harness/eventually.ts';
import { pause, startMachine } from './machine.ts';
import { isQuick, report } from './report.ts';
import { seedAccounts, workspaceOfMembers } from './seeded-accounts.ts';

// Measures the share of one core, whether the bot keeps up, and the event-loop delay while one process polls 100 accounts
// with 20 campaigns each every 30 seconds. 2 % of the campaigns change between two polls and are read; their new tasks get
// cards as fast as Slack allows.

/** The short form has a fifth of both, so that the rate of polls and reads is the same. */
const accounts = isQuick ? 20 : 100;
const pollMs = isQuick ? 6_000 : 30_000;
const measuredMs = isQuick ? 2 * pollMs : pollMs;

/** Warm-up polls per account, because bots run for weeks; more in the short form, which has fewer polls. */
const looksBefore = isQuick ? 3 : 2;

const server = fork(join(import.meta.dirname, 'accounts-server.ts'), [], { execArgv: ['--import', 'tsx'] });
const [port] = (await once(server, 'message')) as [number];
const marketplaceUrl = `http://127.0.0.1:${port}`;
const delayFile = join(tmpdir(), `proofdesk-delay-${process.pid}`);
const machine = await startMachine({ workspace: workspaceOfMembers(accounts) });
const counts = async () =>
  (await (await fetch(`${marketplaceUrl}/counts`)).json()) as {
    looks: number;
    reads: number;
    changes: number;
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
  // The work queued by the first polls is not measured.
  const isWarm = async () => {
    const now = await counts();
    return now.accounts === accounts && now.looks >= looksBefore * accounts;
  };
  await eventually('every account polled', isWarm, 180_000);
  // Polled at their start, most accounts are polled within some seconds of an interval. What is measured begins and ends
  // between two such seconds, not in them.
  await pause(pollMs / 3);
  // Not earlier: under Slack's limits, a starting process needs 20 minutes to search 1,000 channels for unknown cards.
  await machine.slack.settings({ rateLimits: 'on' });
  bot.process.kill('SIGUSR2');
  const [before, cpu, began] = [await counts(), await bot.cpu(), performance.now()];
  await pause(measuredMs);
  const [after, ms] = [await counts(), performance.now() - began];
  const used = (await bot.cpu()) - cpu;
  const { p99 } = JSON.parse(await readFile(delayFile, 'utf8')) as { p99: number };
  const since = (what: 'looks' | 'reads' | 'changes') => after[what] - before[what];
  const name = `${accounts.toLocaleString('en')} accounts with 20 campaigns each, one process`;
  const done = `${since('looks')} polls and ${since('reads')} reads in ${(ms / 1_000).toFixed(0)} s`;
  report({ what: `${name}: CPU`, against: 'one core', value: used / ms, most: 0.5, measured: done });
  report({
    what: `${name}: polls in time`,
    against: `one each every ${pollMs / 1_000} s`,
    value: since('looks') / ((accounts * ms) / pollMs),
    least: 0.9,
  });
  report({
    what: `${name}: reads`,
    against: 'campaigns that changed',
    value: since('reads') / since('changes'),
    least: 0.9,
    measured: `${since('changes')} changed`,
  });
  report({
    what: `${name}: delay of the event loop, p99 (ms)`,
    against: '20 ms',
    value: p99,
    most: 20,
  });
} finally {
  server.kill();
  await machine.stop();
}
