import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createSandboxMarketplace } from '@proofdesk/marketplace-sandbox';
import { marketplaceHandle } from '@proofdesk/marketplace-sandbox/testing';
import { createSandboxSlack } from '@proofdesk/slack-sandbox';
import { slackHandle } from '@proofdesk/slack-sandbox/testing';
import { startLosable } from '../harness/losable-redis.ts';
import { freePort } from '../harness/ports.ts';
import { programPath } from '../harness/programs.ts';
import type { Loss } from './kills.ts';
import { campaigns, type Death, owner } from './schedule.ts';

export const channel = 'C01REVIEW';
/** Enough for cards to be posted all day; what comes after is counted in a summary. */
const openCards = 40;
/** The campaigns that people restart: one request each time, so that none waits for another. */
export const finished = ['f1', 'f2', 'f3', 'f4', 'f5', 'f6'] as const;
/** How long a moment is waited for at which a process is to die (ms). */
const reachWithinMs = 3_000;
/** How long a process lives at least (ms), or on a busy machine none would come further than its start. */
const leastLifeMs = 2_500;

export type ChaosWorld = Awaited<ReturnType<typeof startChaosWorld>>;

/** Starts both sandboxes, a Redis that syncs every write as the private one does unless it is to be lost, and two bot processes. */
export async function startChaosWorld(loss?: Loss) {
  const logs = await mkdtemp(join(tmpdir(), 'proofdesk-chaos-'));
  const campaignOf = (campaign_id: string, status: 'RUNNING' | 'FINISHED') => ({
    ...{ campaign_id, status, title: `${status === 'RUNNING' ? 'Running' : 'Finished'} ${campaign_id}` },
    ...{ available_positions: 100_000, payment_per_task: '0.10000' },
  });
  const [redis, slack, market] = await Promise.all([
    startLosable(loss === 'killed' || loss === 'hung' ? 'sentinel' : (loss ?? 'always')),
    createSandboxSlack({ settings: { rateLimits: 10 } }),
    createSandboxMarketplace({
      scenario: {
        seed: false,
        campaigns: [
          ...campaigns.map((id) => campaignOf(id, 'RUNNING')),
          ...finished.map((id) => campaignOf(id, 'FINISHED')),
        ],
      },
    }),
  ]);
  const environment = {
    SLACK_BOT_TOKEN: 'xoxb-sandbox',
    SLACK_APP_TOKEN: 'xapp-sandbox',
    SLACK_API_URL: slack.apiUrl,
    MARKETPLACE_BASE_URL: market.url,
    MARKETPLACE_API_KEY: 'employer-demo-key',
    ACCOUNT_OWNERS: owner,
    REVIEW_CHANNEL: channel,
    INBOX_CHANNEL: channel,
    OPEN_CARDS: String(openCards),
    REDIS_URL: redis.url,
    PROOFDESK_ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64'),
    LOG_LEVEL: 'info',
    ...(loss ? { REAL_TIMEOUTS: 'yes' } : {}),
  };
  const bots = await Promise.all(['bot-1', 'bot-2'].map((name) => startBot(name, environment, logs)));
  return {
    slack: slackHandle(slack.url),
    marketplace: marketplaceHandle(market.url),
    redis,
    bots,
    /** Kills the first bot that comes to a moment, or this one if none comes there soon. Returns where one died. */
    async kill(index: 0 | 1, moment: Death): Promise<Death | undefined> {
      if (moment !== 'anywhere') {
        const working = bots.filter((bot) => bot.atWork());
        if (working.length === 0) return undefined;
        const late = wait(reachWithinMs, undefined);
        const died = await Promise.race([...working.map((bot) => bot.diesAt(moment)), late]);
        for (const bot of working) bot.spare();
        if (died) return died;
      }
      return (await bots[index]?.kill()) ? 'anywhere' : undefined;
    },
    /** The folder of the processes' logs. */
    logs,
    async close() {
      await Promise.all(bots.map((bot) => bot.stop()));
      await Promise.all([slack.close(), market.close(), redis.stop()]);
    },
  };
}

/** Starts a bot in a process of its own, which is started again whenever it dies. */
async function startBot(name: string, environment: Readonly<Record<string, string>>, logs: string) {
  const [port, program] = await Promise.all([freePort(), programPath('chaos')]);
  const log = createWriteStream(join(logs, `${name}.log`));
  let stopped = false;
  let child: ChildProcess;
  let readyAt = Number.POSITIVE_INFINITY;

  const start = (): void => {
    const own = spawn(process.execPath, [program], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    own.on('error', () => undefined);
    own.once('message', () => {
      readyAt = Date.now();
    });
    own.stdout?.pipe(log, { end: false });
    own.stderr?.pipe(log, { end: false });
    own.once('exit', (code, signal) => {
      readyAt = Number.POSITIVE_INFINITY;
      log.write(`--- ended: ${signal ?? code}\n`);
      if (!stopped) start();
    });
    child = own;
  };
  start();

  const atWork = () => Date.now() - readyAt > leastLifeMs;
  const end = async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };

  return {
    port,
    atWork,
    /** Tells it to die at a moment. Resolves once it has died. */
    async diesAt(moment: Death): Promise<Death> {
      const own = child;
      own.send(moment, () => undefined);
      await once(own, 'exit');
      return moment;
    },
    /** Takes that back. */
    spare: () => void child.send('nowhere', () => undefined),
    /** Kills it now. Resolves with false if it has hardly begun: then it lives. */
    async kill(): Promise<boolean> {
      if (!atWork()) return false;
      await end();
      return true;
    },
    async stop() {
      stopped = true;
      if (child.exitCode === null && child.signalCode === null) await end();
      log.end();
    },
  };
}
