import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../test/harness/eventually.ts';
import { marketplaceHandle } from '../test/harness/marketplace.ts';
import { freePort } from '../test/harness/ports.ts';
import { startRedis } from '../test/harness/redis.ts';
import { slackHandle } from '../test/harness/slack.ts';

/** Both sandboxes, a Redis and a bot, each a process of its own as in real life. */
export async function startMachine(options: { channelMs?: number; env?: Record<string, string> } = {}) {
  const [marketplacePort, slackPort, botPort] = [await freePort(), await freePort(), await freePort()];
  const redis = await startRedis();
  let bot: ChildProcess | undefined;
  const children: ChildProcess[] = [
    start('src/sandbox/marketplace/main.ts', ['--port', String(marketplacePort)]),
    start('src/sandbox/slack/main.ts', ['--port', String(slackPort)]),
  ];
  const marketplaceUrl = `http://127.0.0.1:${marketplacePort}`;
  const slackUrl = `http://127.0.0.1:${slackPort}`;
  await answers(`${marketplaceUrl}/_sandbox/state`);
  await answers(`${slackUrl}/_sandbox/state`);
  const marketplace = marketplaceHandle(marketplaceUrl);
  const slack = slackHandle(slackUrl);
  await marketplace.reset({ campaigns: [] });
  await slack.settings({ rateLimits: 'off' });

  return {
    marketplace,
    slack,
    slackUrl,
    botPort,
    redisUrl: redis.url,
    marketplaceUrl,
    /** Starts a bot and waits until it is ready. */
    async startBot(): Promise<void> {
      const env = {
        SLACK_BOT_TOKEN: 'xoxb-sandbox',
        SLACK_APP_TOKEN: 'xapp-sandbox',
        SLACK_API_URL: `${slackUrl}/api/`,
        MARKETPLACE_BASE_URL: marketplaceUrl,
        MARKETPLACE_API_KEY: 'employer-demo-key',
        ACCOUNT_OWNERS: 'U01ANN',
        REVIEW_CHANNEL: 'C01REVIEW',
        REDIS_URL: redis.url,
        PROOFDESK_ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64'),
        POLL_SECONDS: '1',
        PORT: String(botPort),
        BENCH_CHANNEL_MS: String(options.channelMs ?? 1_000),
        ...options.env,
      };
      bot = start('bench/bot.ts', [], env, botFlags);
      children.push(bot);
      await answers(`http://127.0.0.1:${botPort}/readyz`);
    },
    /** The most memory that the bot has held so far (bytes), what it holds now, and its CPU time (ms). */
    async botUsage(): Promise<{ peak: number; now: number; cpuMs: number }> {
      const answer = once(bot as ChildProcess, 'message');
      bot?.send('usage');
      return (await answer)[0] as { peak: number; now: number; cpuMs: number };
    },
    async stop(): Promise<void> {
      for (const child of children.reverse()) {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      }
      await redis.stop();
    },
  };
}

/** The flags of `npm start` and of the image. */
export const botFlags = ['--max-semi-space-size=8'];

function start(
  script: string,
  args: readonly string[],
  env: Record<string, string> = {},
  flags: readonly string[] = [],
) {
  return spawn(process.execPath, [...flags, '--import', 'tsx', script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

async function answers(url: string): Promise<void> {
  await eventually(
    url,
    () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    60_000,
  );
}

/** The value that a share of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
