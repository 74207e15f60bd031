import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { FaultPoint } from '../../src/domain/fault-points.ts';
import { createRandom, createSandboxMarketplace } from '../../src/sandbox/marketplace/index.ts';
import { createSandboxSlack } from '../../src/sandbox/slack/index.ts';
import { type MarketplaceHandle, marketplaceHandle } from '../harness/marketplace.ts';
import { startRedis } from '../harness/redis.ts';
import { slackHandle } from '../harness/slack.ts';
import { readChannel, reviewChannel } from './channel-view.ts';
import {
  failMarketplace,
  failSlack,
  type Kills,
  killBots,
  killRedis,
  killWhilePostingSummary,
} from './faults.ts';
import { startBotProcess } from './processes.ts';
import { type ReviewLog, review, reviewers } from './reviewers.ts';
import type { ChaosSettings } from './settings.ts';
import { writeState } from './state.ts';
import { type Findings, problemsFound, verify } from './verify.ts';

export interface Outcome {
  readonly settings: ChaosSettings;
  readonly findings: Findings;
  readonly kills: Kills;
  readonly redisKills: number;
  readonly log: ReviewLog;
  /** Failures that the sandboxes simulated, by what failed and how. */
  readonly faults: ReadonlyMap<string, number>;
  /** From the end of all faults until nothing was left to do, and in all (ms). */
  readonly settledAfterMs: number;
  readonly durationMs: number;
  /** The folder with the processes' logs, which are removed when the run finds no problem. */
  readonly logs: string;
}

/** Runs the bots while everything fails and people work; then compares everything that is left. */
export async function runChaos(settings: ChaosSettings, print: (line: string) => void): Promise<Outcome> {
  const began = Date.now();
  const random = createRandom(settings.seed);
  const logs = await mkdtemp(join(tmpdir(), 'proofdesk-chaos-'));
  const campaigns = Array.from({ length: settings.campaigns }, (_, index) => ({
    campaign_id: `c${index + 1}`,
    title: `Campaign ${index + 1}`,
    status: 'RUNNING' as const,
    available_positions: 1_000_000,
  }));
  const [redis, slack, market] = await Promise.all([
    startRedis({ fsync: 'always' }),
    createSandboxSlack({ workspace: { users: reviewers.map(person) } }),
    createSandboxMarketplace({ scenario: { seed: false, campaigns } }),
  ]);
  const marketplace = marketplaceHandle(market.url);
  const people = slackHandle(slack.url);
  const environment = {
    SLACK_BOT_TOKEN: 'xoxb-sandbox',
    SLACK_APP_TOKEN: 'xapp-sandbox',
    SLACK_API_URL: slack.apiUrl,
    MARKETPLACE_BASE_URL: market.url,
    MARKETPLACE_API_KEY: 'employer-demo-key',
    REVIEW_CHANNEL: reviewChannel,
    REDIS_URL: redis.url,
    PROOFDESK_ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64'),
    POLL_SECONDS: '1',
    UNDO_SECONDS: '2',
    LOG_LEVEL: 'warn',
  };
  const ids = campaigns.map(({ campaign_id: id }) => id);
  for (let task = 0; task < settings.backlog; task += 1) {
    await marketplace.submit({ campaign_id: random.pick(ids) });
  }
  const bots = await Promise.all(
    Array.from({ length: settings.processes }, (_, index) =>
      startBotProcess(`bot-${index + 1}`, environment, logs),
    ),
  );
  const ending = new AbortController();
  let watching: Promise<void> | undefined;
  try {
    await Promise.all(bots.map((bot) => bot.ready()));
    const atPoints = new Map<FaultPoint, number>();
    await marketplace.write({ subject: 'Message 0' });
    await killWhilePostingSummary(bots, random, atPoints);
    const isImported = async () => {
      const { announced, cards, summaries } = await readChannel(slack.url);
      return announced.length > 0 && cards.length + (summaries[0]?.count ?? 0) === settings.backlog;
    };
    await waitUntil('the first import', isImported, 60_000);
    print(`ready after ${seconds(Date.now() - began)}`);

    // Slack's last retry of an event comes after the longest outage of Redis, as its five minutes do in production.
    await people.settings({ retryDelaysMs: [0, 6_000, settings.redisDownMs + 20_000] });
    await failSlack(people, settings.failureRate);
    await failMarketplace(marketplace, settings.failureRate);
    const parts = { slackUrl: slack.url, marketplace, campaigns: ids, random };
    const killsOver = new AbortController();
    const submitting = submitAll(marketplace, settings, random);
    const killing = killBots(bots, settings, random, killsOver.signal, atPoints);
    const redisKilling = killRedis(redis, settings, random);
    const { log, watching: watched } = await review(parts, settings, ending.signal);
    watching = watched;
    const [redisKills] = await Promise.all([redisKilling, submitting]);
    killsOver.abort();
    const kills = await killing;
    print(
      `killed at: ${[...kills.atPoints.keys()].join(' · ')}; and ${kills.anywhere} times at any other moment`,
    );
    print(`all faults over after ${seconds(Date.now() - began)}, waiting until everything is settled`);

    const faults = await countFaults(people, marketplace);
    await Promise.all([people.clearFaults(), marketplace.clearFaults()]);
    const faultsOverAt = Date.now();
    const check = () => verify({ slackUrl: slack.url, redisUrl: redis.url, marketplace }, log);
    let findings = await check();
    while (problemsFound(findings).length > 0 && Date.now() - faultsOverAt < settings.settleWithinMs) {
      await wait(500);
      findings = await check();
    }
    if (problemsFound(findings).length > 0) await writeState(redis.url, marketplace, logs);
    return {
      settings,
      findings,
      kills,
      redisKills,
      log,
      faults,
      settledAfterMs: Date.now() - faultsOverAt,
      durationMs: Date.now() - began,
      logs,
    };
  } finally {
    ending.abort();
    await watching;
    await Promise.all(bots.map((bot) => bot.stop()));
    await Promise.all([slack.close(), market.close(), redis.stop()]);
  }
}

/** Removes the logs of a run that found no problem. */
export async function removeLogs({ logs }: Outcome): Promise<void> {
  await rm(logs, { recursive: true, force: true });
}

async function submitAll(
  marketplace: MarketplaceHandle,
  settings: ChaosSettings,
  random: ReturnType<typeof createRandom>,
) {
  const batches = Math.ceil(settings.spanMs / 1_000);
  // Tasks come faster than they are decided on, so that there is always something to do.
  const each = Math.ceil((settings.tasks - settings.backlog) / (batches * 0.8));
  let left = settings.tasks - settings.backlog;
  let messages = 0;
  let written = 0;
  const messagesEach = (settings.messages - 1) / (batches * 0.8);
  while (left > 0) {
    const count = Math.min(left, each);
    left -= count;
    for (let task = 0; task < count; task += 1) {
      await marketplace.submit({ campaign_id: `c${random.between(1, settings.campaigns)}` });
    }
    written += messagesEach;
    while (messages < Math.floor(written)) {
      messages += 1;
      await marketplace.write({ subject: `Message ${messages}` });
    }
    await wait(1_000);
  }
}

async function countFaults(
  people: ReturnType<typeof slackHandle>,
  marketplace: MarketplaceHandle,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const add = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const { fault, direction } of await people.requests()) {
    if (fault) add(`${direction === 'in' ? 'Slack call' : 'Slack delivery'}, ${fault}`);
  }
  for (const { fault } of await marketplace.requests()) if (fault) add(`marketplace call, ${fault}`);
  return counts;
}

function person(id: string) {
  const name = id.slice(3).toLowerCase();
  return { id, name, real_name: name };
}

async function waitUntil(what: string, holds: () => Promise<boolean>, timeoutMs: number): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await wait(200);
  }
}

export function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
