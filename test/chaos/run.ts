import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createRandom, createSandboxMarketplace } from '../../src/sandbox/marketplace/index.ts';
import { createSandboxSlack } from '../../src/sandbox/slack/index.ts';
import { type MarketplaceHandle, marketplaceHandle } from '../harness/marketplace.ts';
import { startRedis } from '../harness/redis.ts';
import { slackHandle } from '../harness/slack.ts';
import { readBoard, reviewChannel } from './board.ts';
import { startBotProcess } from './processes.ts';
import { review, reviewers } from './reviewers.ts';
import type { Setting } from './setting.ts';
import { writeState } from './state.ts';
import { type Killed, killBots, killRedis, troubleMarketplace, troubleSlack } from './troubles.ts';
import { type Findings, verify } from './verify.ts';

export interface Outcome {
  readonly setting: Setting;
  readonly findings: Findings;
  readonly killed: Killed;
  readonly redisKills: number;
  readonly tried: number;
  readonly corrected: number;
  /** Failures that the sandboxes made, by what failed and how. */
  readonly faults: ReadonlyMap<string, number>;
  /** From the end of all troubles until nothing was left to do, and in all (ms). */
  readonly quietAfterMs: number;
  readonly durationMs: number;
  /** Where the processes' logs are when something was found; otherwise they are removed. */
  readonly logs: string;
}

/** What is wrong, in all. */
export function faultsFound(findings: Findings): string[] {
  return Object.entries(findings).flatMap(([name, found]) =>
    Array.isArray(found) ? found.map((each) => `${name}: ${String(each)}`) : [],
  );
}

/** One run: everything fails while people work; then everything is looked at. */
export async function runChaos(setting: Setting, say: (line: string) => void): Promise<Outcome> {
  const began = Date.now();
  const random = createRandom(setting.seed);
  const logs = await mkdtemp(join(tmpdir(), 'proofdesk-chaos-'));
  const campaigns = Array.from({ length: setting.campaigns }, (_, index) => ({
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
  const bots = await Promise.all(
    Array.from({ length: setting.processes }, (_, index) =>
      startBotProcess(`bot-${index + 1}`, environment, logs),
    ),
  );
  const ending = new AbortController();
  let over: Promise<void> | undefined;
  try {
    await Promise.all(bots.map((bot) => bot.ready()));
    // The first look is over when something that came after it has its card.
    await marketplace.submit({ campaign_id: 'c1' });
    await marketplace.write({ subject: 'Message 0' });
    await until('the first card', async () => (await readBoard(slack.url)).cards.length > 0, 60_000);
    say(`ready after ${seconds(Date.now() - began)}`);

    await troubleSlack(people, setting.failing);
    await troubleMarketplace(marketplace, setting.failing);
    const ids = campaigns.map(({ campaign_id: id }) => id);
    const parts = { slackUrl: slack.url, marketplace, campaigns: ids, random };
    const submitting = submitAll(marketplace, setting, random);
    const killing = killBots(bots, setting, random, ending.signal);
    const redisKilling = killRedis(redis, setting, random);
    const { record, watching } = await review(parts, setting, ending.signal);
    over = watching;
    const [killed, redisKills] = await Promise.all([killing, redisKilling, submitting]);
    say(`all troubles over after ${seconds(Date.now() - began)}, waiting for quiet`);

    const faults = await countFaults(people, marketplace);
    await Promise.all([people.clearFaults(), marketplace.clearFaults()]);
    const calm = Date.now();
    const look = () => verify({ slackUrl: slack.url, redisUrl: redis.url, marketplace }, record);
    let findings = await look();
    while (faultsFound(findings).length > 0 && Date.now() - calm < setting.quietWithinMs) {
      await wait(500);
      findings = await look();
    }
    if (faultsFound(findings).length > 0) await writeState(redis.url, marketplace, logs);
    return {
      setting,
      findings,
      killed,
      redisKills,
      tried: record.tried,
      corrected: record.corrected,
      faults,
      quietAfterMs: Date.now() - calm,
      durationMs: Date.now() - began,
      logs,
    };
  } finally {
    ending.abort();
    await over;
    await Promise.all(bots.map((bot) => bot.stop()));
    await Promise.all([slack.close(), market.close(), redis.stop()]);
  }
}

/** Removes the logs of a run that found nothing. */
export async function forget({ logs }: Outcome): Promise<void> {
  await rm(logs, { recursive: true, force: true });
}

async function submitAll(
  marketplace: MarketplaceHandle,
  setting: Setting,
  random: ReturnType<typeof createRandom>,
) {
  const batches = Math.ceil(setting.spanMs / 1_000);
  // Tasks come faster than they are decided on, so that there is always something to do.
  const each = Math.ceil((setting.tasks - 1) / (batches * 0.8));
  let left = setting.tasks - 1;
  let messages = setting.messages - 1;
  while (left > 0) {
    const count = Math.min(left, each);
    left -= count;
    for (let task = 0; task < count; task += 1) {
      await marketplace.submit({ campaign_id: `c${random.between(1, setting.campaigns)}` });
    }
    if (messages > 0 && random.next() < 0.5) {
      await marketplace.write({ subject: `Message ${messages}` });
      messages -= 1;
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

async function until(what: string, holds: () => Promise<boolean>, timeoutMs: number): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await wait(200);
  }
}

export function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
