import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { marketplaceHandle } from '@proofdesk/marketplace-sandbox/testing';
import type { Workspace } from '@proofdesk/slack-sandbox';
import { slackHandle } from '@proofdesk/slack-sandbox/testing';
import { eventually } from '../test/harness/eventually.ts';
import { freePort } from '../test/harness/ports.ts';
import { startRedis } from '../test/harness/redis.ts';

/** A measured process. */
export interface Measured {
  readonly port: number;
  readonly process: ChildProcess;
  /** Returns its peak memory so far, in bytes. */
  readonly peak: () => Promise<number>;
  /** Returns its current memory, in bytes. */
  readonly resident: () => Promise<number>;
  /** Returns its CPU time so far, in ms: user and system time. */
  readonly cpu: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts both sandboxes, a Redis and bots, each in a separate process as in real life. The bots are the shipped ones:
 * `dist`, with its limits.
 */
export async function startMachine(
  options: {
    readonly workspace?: Workspace;
    readonly env?: Readonly<Record<string, string>>;
    /** Whether the bots serve the desk. */
    readonly hasDesk?: boolean;
  } = {},
) {
  const [marketplacePort, slackPort] = [await freePort(), await freePort()];
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-bench-'));
  const redis = await startRedis({ fsync: 'always' });
  const workspaceFile = join(folder, 'workspace.yml');
  await writeFile(workspaceFile, JSON.stringify(options.workspace ?? {}));
  const sandboxes = [
    run('sandbox/marketplace/src/main.ts', ['--port', String(marketplacePort)]),
    run('sandbox/slack/src/main.ts', ['--port', String(slackPort), '--workspace', workspaceFile]),
  ];
  const marketplaceUrl = `http://127.0.0.1:${marketplacePort}`;
  const slackUrl = `http://127.0.0.1:${slackPort}`;
  await answers(`${marketplaceUrl}/_sandbox/state`);
  await answers(`${slackUrl}/_sandbox/state`);
  const marketplace = marketplaceHandle(marketplaceUrl);
  const slack = slackHandle(slackUrl);
  await marketplace.reset({ campaigns: [] });
  await slack.settings({ rateLimits: 'off' });
  const bots: Measured[] = [];
  const stop = async () => {
    for (const bot of bots) await bot.stop();
    for (const child of sandboxes) await end(child);
    await redis.stop();
    await rm(folder, { recursive: true, force: true });
  };

  return {
    marketplace,
    slack,
    slackUrl,
    redisUrl: redis.url,
    marketplaceUrl,
    /** Adds a campaign that runs, with more positions than are needed. Returns its id. */
    async runningCampaign(title = 'Photo of a shelf'): Promise<string> {
      const running = { title, status: 'RUNNING', available_positions: 1_000_000 } as const;
      return (await marketplace.addCampaign(running)).campaign_id;
    },
    /** Starts a bot, and waits until it is ready. */
    async startBot(env: Readonly<Record<string, string>> = {}): Promise<Measured> {
      const port = await freePort();
      const child = spawn(process.execPath, ['dist/main.js'], {
        env: {
          ...process.env,
          // As in the image.
          NODE_ENV: 'production',
          NODE_OPTIONS: '--enable-source-maps',
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
          LOG_LEVEL: 'warn',
          PORT: String(port),
          ...(options.hasDesk ? { PUBLIC_URL: `http://127.0.0.1:${port}` } : {}),
          ...options.env,
          ...env,
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const bot = measured(child, port);
      bots.push(bot);
      await Promise.race([answers(`http://127.0.0.1:${port}/readyz`), failsWhenEnded(child)]);
      return bot;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Returns the measurements of a process. */
function measured(child: ChildProcess, port: number): Measured {
  const status = async (field: string) => {
    const text = await readFile(`/proc/${child.pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'mu').exec(text)?.[1]) * 1024;
  };
  return {
    port,
    process: child,
    peak: () => status('VmHWM'),
    resident: () => status('VmRSS'),
    async cpu() {
      const text = await readFile(`/proc/${child.pid}/stat`, 'utf8');
      // After the name, which may contain spaces: utime and stime, in ticks of 10 ms.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    stop: () => end(child),
  };
}

/** Rejects when a process ends. */
async function failsWhenEnded(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`the bot ended with code ${code} before it was ready`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/**
 * Flags of the sandboxes, which measure with their own clocks: their garbage collections must not take a processor from what
 * is measured, or count as its time.
 */
const sandboxFlags = ['--initial-old-space-size=1000', '--single-threaded-gc'];

function run(script: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [...sandboxFlags, '--import', 'tsx', script, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Starts a script of this folder as a process. Returns it and the first message that it sends, such as its port. */
export async function forked<Message>(
  script: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
) {
  const child = fork(join(import.meta.dirname, script), args, { execArgv: ['--import', 'tsx', ...flags] });
  const [message] = (await once(child, 'message')) as [Message];
  return { child, message, [Symbol.dispose]: () => void child.kill() };
}

/** Lets a bot write the delays of its event loop (ms). Returns its environment for that, and what reads them. */
export function watchDelays() {
  const file = join(tmpdir(), `proofdesk-delay-${crypto.randomUUID()}`);
  const watcher = pathToFileURL(join(import.meta.dirname, 'event-loop-delay.mjs')).href;
  const env = { BENCH_DELAY_FILE: file, NODE_OPTIONS: `--enable-source-maps --import ${watcher}` };
  type Delays = Record<'p99' | 'p999' | 'longest' | 'busiest', number>;
  return { env, read: async () => JSON.parse(await readFile(file, 'utf8')) as Delays };
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

/** Returns the value that the given share of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
