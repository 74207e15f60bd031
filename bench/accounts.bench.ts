import { Redis } from 'ioredis';
import { ChannelId, MemberId, WorkspaceId } from '../src/domain/terms.ts';
import { createAccounts } from '../src/store/accounts.ts';
import { createSubscriptions } from '../src/store/channels.ts';
import { createVault } from '../src/store/encryption.ts';
import { eventually } from '../test/harness/eventually.ts';
import { forked, pause, startMachine, watchDelays } from './machine.ts';
import { isQuick, report } from './report.ts';

// Measures the share of one core, whether the bot keeps up, and the event-loop delay while one process polls 100 accounts
// with 20 campaigns each every 30 seconds. 2 % of the campaigns change between two polls and are read; their new tasks get
// cards as fast as Slack allows.

/** The short form has a fifth of both, so that the rate of polls and reads is the same. */
const accounts = isQuick ? 20 : 100;
const pollMs = isQuick ? 6_000 : 30_000;
const measuredMs = isQuick ? 2 * pollMs : pollMs;

/** Warm-up polls per account, because bots run for weeks; more in the short form, which has fewer polls. */
const looksBefore = isQuick ? 3 : 2;

const ids = Array.from({ length: accounts }, (_, index) => String(index).padStart(5, '0'));
const [channels, users] = [
  ids.map((id) => ({ id: `C9${id}`, name: `review-${id}` })),
  ids.map((id) => ({ id: `U9${id}`, name: `member-${id}`, real_name: `Member ${id}` })),
];

/** Connects the accounts before any bot has started, each by a different member and with its own channel. */
async function connectEach(redisUrl: string): Promise<void> {
  const redis = new Redis(redisUrl);
  const workspace = WorkspaceId.parse('T0SANDBOX');
  const stored = createAccounts(redis, createVault([Buffer.alloc(32, 7)]));
  const subscriptions = createSubscriptions(redis);
  for (const id of ids) {
    const [by, key] = [MemberId.parse(`U9${id}`), `bench-key-${id}`];
    const ref = await stored.create(workspace, key, `account ${id}`);
    if (ref === undefined) throw new Error('the name is taken');
    await stored.connect(ref, by, key);
    const channel = ChannelId.parse(`C9${id}`);
    await subscriptions.put(workspace, { account: ref.account, channel, by, at: Date.now(), started: true });
  }
  redis.disconnect();
}

using server = await forked<number>('accounts-server.ts');
const marketplaceUrl = `http://127.0.0.1:${server.message}`;
const delays = watchDelays();
await using machine = await startMachine({
  workspace: {
    channels: [{ id: 'C01REVIEW', name: 'review' }, ...channels],
    users: [{ id: 'U01ANN', name: 'ann', real_name: 'Ann', is_admin: true }, ...users],
  },
});
const counts = async () =>
  (await (await fetch(`${marketplaceUrl}/counts`)).json()) as Record<
    'looks' | 'reads' | 'changes' | 'accounts',
    number
  >;
await connectEach(machine.redisUrl);
const bot = await machine.startBot({
  MARKETPLACE_BASE_URL: marketplaceUrl,
  MARKETPLACE_API_KEY: '',
  ACCOUNT_OWNERS: '',
  REVIEW_CHANNEL: '',
  POLL_SECONDS: String(pollMs / 1_000),
  ...delays.env,
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
const { p99 } = await delays.read();
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
