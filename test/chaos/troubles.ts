import { setTimeout as wait } from 'node:timers/promises';
import { type FaultPoint, faultPoints } from '../../src/domain/fault-points.ts';
import { faultKinds } from '../../src/sandbox/marketplace/index.ts';
import type { Random } from '../../src/sandbox/marketplace/random.ts';
import type { MarketplaceHandle } from '../harness/marketplace.ts';
import type { TestRedis } from '../harness/redis.ts';
import type { SlackHandle } from '../harness/slack.ts';
import type { BotProcess } from './processes.ts';
import { chaosPatience, type Setting } from './setting.ts';

const { slackMs } = chaosPatience;

/** Calls to Slack and what it delivers fail in every way the sandbox knows. */
export async function troubleSlack(slack: SlackHandle, failing: number): Promise<void> {
  const calls = [
    { kind: '429', retryAfter: 1 },
    { kind: '500' },
    { kind: 'html' },
    { kind: 'latency', delayMs: 400 },
    // Carried out after the bot has given up waiting.
    { kind: 'latency', delayMs: slackMs + 300 },
    { kind: 'drop-before' },
    { kind: 'drop-after' },
    { kind: 'accepted-late', delayMs: slackMs + 500 },
    { kind: 'error', error: 'internal_error' },
  ] as const;
  const deliveries = [
    { kind: 'twice' },
    { kind: 'late', delayMs: 1_500 },
    { kind: 'lost' },
    { kind: 'drop-socket' },
  ] as const;
  for (const fault of calls) await slack.fault({ ...fault, times: 0, probability: failing / calls.length });
  for (const fault of deliveries) {
    await slack.fault({ ...fault, times: 0, probability: failing / deliveries.length });
  }
}

/** Calls to the marketplace fail in every way the sandbox knows. */
export async function troubleMarketplace(marketplace: MarketplaceHandle, failing: number): Promise<void> {
  for (const kind of faultKinds) {
    await marketplace.fault({
      kind,
      times: 0,
      probability: failing / faultKinds.length,
      delayMs: 800,
      ...(kind === 'error' ? { error: 'SYSTEM ERROR' } : {}),
    });
  }
  // Longer than decisions are leased: another process reads back what this one is still sending.
  const late = {
    match: { path: 'rate_task' },
    kind: 'slow-after',
    delayMs: chaosPatience.sendLeaseMs + 1_000,
  } as const;
  await marketplace.fault({ ...late, times: 0, probability: failing / 5 });
}

export interface Killed {
  readonly atPoints: ReadonlyMap<FaultPoint, number>;
  readonly anywhere: number;
}

/**
 * Kills bot processes, two times of three at a fault point, spread over `spanMs`. The points take turns; one that no
 * process came to in time has its turn again later, and a process is killed wherever it is.
 */
export async function killBots(
  bots: readonly BotProcess[],
  { kills, spanMs }: { readonly kills: number; readonly spanMs: number },
  random: Random,
  signal: AbortSignal,
): Promise<Killed> {
  const atPoints = new Map<FaultPoint, number>();
  const waiting = shuffled(faultPoints, random);
  let anywhere = 0;
  const pauseMs = spanMs / kills;
  for (let kill = 0; kill < kills && !signal.aborted; kill += 1) {
    const began = Date.now();
    const bot = random.pick(bots);
    await bot.ready();
    const point = kill % 3 === 2 ? undefined : waiting.shift();
    if (point) waiting.push(point);
    if (point && (await firstToCome(bots, point, random.between(1, 3), Math.max(pauseMs, 5_000)))) {
      atPoints.set(point, (atPoints.get(point) ?? 0) + 1);
    } else {
      if (point) waiting.splice(3, 0, ...waiting.splice(-1));
      await bot.kill();
      anywhere += 1;
    }
    const left = pauseMs * (0.5 + random.next()) - (Date.now() - began);
    if (left > 0) await wait(left, undefined, { signal }).catch(() => undefined);
  }
  return { atPoints, anywhere };
}

/** Kills the process that comes to a point first; gives whether one did within the time. */
async function firstToCome(
  bots: readonly BotProcess[],
  point: FaultPoint,
  passings: number,
  withinMs: number,
): Promise<boolean> {
  const orders = bots.map((bot) => bot.dieAt(point, passings));
  const cancel = () => {
    for (const order of orders) order.cancel();
  };
  const timer = setTimeout(cancel, withinMs);
  const died = await Promise.any(
    orders.map(async (order) => {
      if (!(await order.died)) throw new Error('cancelled');
    }),
  ).then(
    () => true,
    () => false,
  );
  clearTimeout(timer);
  cancel();
  return died;
}

/** Kills Redis and starts it again with what its append-only file holds. */
export async function killRedis(
  redis: TestRedis,
  { redisKills, redisAwayMs, spanMs }: Pick<Setting, 'redisKills' | 'redisAwayMs' | 'spanMs'>,
  random: Random,
): Promise<number> {
  for (let kill = 0; kill < redisKills; kill += 1) {
    await wait((spanMs / (redisKills + 1)) * (0.8 + random.next() * 0.4));
    await redis.kill();
    const isLast = kill === redisKills - 1;
    await wait(isLast ? redisAwayMs : random.between(200, 2_500));
    await redis.restart();
  }
  return redisKills;
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const order = items.map((item) => ({ item, at: random.next() }));
  return order.sort((a, b) => a.at - b.at).map(({ item }) => item);
}
