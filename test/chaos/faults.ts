import { setTimeout as wait } from 'node:timers/promises';
import { type FaultPoint, faultPoints, renderFaultPoints } from '../../src/domain/fault-points.ts';
import { faultKinds, type Random } from '../../src/sandbox/marketplace/index.ts';
import type { MarketplaceHandle } from '../harness/marketplace.ts';
import type { TestRedis } from '../harness/redis.ts';
import type { SlackHandle } from '../harness/slack.ts';
import type { BotProcess } from './processes.ts';
import { type ChaosSettings, chaosTimeouts } from './settings.ts';

const { slackMs } = chaosTimeouts;

/** Makes calls to Slack and its deliveries fail in every way the sandbox knows. */
export async function failSlack(slack: SlackHandle, failureRate: number): Promise<void> {
  const calls = [
    { kind: '429', retryAfter: 1 },
    { kind: '500' },
    { kind: 'html' },
    { kind: 'latency', delayMs: 400 },
    // Carried out after the bot's call has timed out.
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
  for (const fault of calls)
    await slack.fault({ ...fault, times: 0, probability: failureRate / calls.length });
  for (const fault of deliveries) {
    await slack.fault({ ...fault, times: 0, probability: failureRate / deliveries.length });
  }
}

/** Makes calls to the marketplace fail in every way the sandbox knows. */
export async function failMarketplace(marketplace: MarketplaceHandle, failureRate: number): Promise<void> {
  for (const kind of faultKinds) {
    await marketplace.fault({
      kind,
      times: 0,
      probability: failureRate / faultKinds.length,
      delayMs: 800,
      ...(kind === 'error' ? { error: 'SYSTEM ERROR' } : {}),
    });
  }
  // Longer than the lease of a decision: another process reconciles what this one is still sending.
  const late = {
    match: { path: 'rate_task' },
    kind: 'slow-after',
    delayMs: chaosTimeouts.sendLeaseMs + 1_000,
  } as const;
  await marketplace.fault({ ...late, times: 0, probability: failureRate / 5 });
}

/** How many bot processes were killed: at which fault points, and at any other moment. */
export interface Kills {
  readonly atPoints: ReadonlyMap<FaultPoint, number>;
  readonly anywhere: number;
}

/** The share of kills at a fault point. */
const atPointShare = 0.75;
/** The share of those that may be at a point where a process was killed before. */
const repeatedShare = 0.25;
/** How long a kill waits for a process to reach one of its points, at least (ms). */
const reachWithinMs = 5_000;

/**
 * Kills bot processes until the signal, at most `kills` times over `spanMs`; most of them at a fault point, preferably
 * one that no process was killed at yet. When no process reaches one in time, a process is killed at any other moment.
 */
export async function killBots(
  bots: readonly BotProcess[],
  { kills, spanMs }: Pick<ChaosSettings, 'kills' | 'spanMs'>,
  random: Random,
  signal: AbortSignal,
  atPoints: Map<FaultPoint, number>,
): Promise<Kills> {
  let anywhere = 0;
  const pauseMs = spanMs / kills;
  for (let kill = 0; kill < kills && !signal.aborted; kill += 1) {
    const began = Date.now();
    const bot = random.pick(bots);
    await bot.ready();
    const isAtPoint =
      random.next() < atPointShare &&
      (await killAtPoint(bots, nextPoints(atPoints, random), {
        withinMs: Math.max(pauseMs, reachWithinMs),
        signal,
        atPoints,
      }));
    if (!isAtPoint && !signal.aborted) {
      await bot.kill();
      anywhere += 1;
    }
    const left = pauseMs * (0.5 + random.next()) - (Date.now() - began);
    if (left > 0) await wait(left, undefined, { signal }).catch(() => undefined);
  }
  return { atPoints, anywhere };
}

/** Kills a process while it posts a summary: at one of the moments that only a new message passes. */
export async function killWhilePostingSummary(
  bots: readonly BotProcess[],
  random: Random,
  atPoints: Map<FaultPoint, number>,
): Promise<void> {
  const points = renderFaultPoints('summary').filter((point) => /: post/.test(point));
  await killAtPoint(bots, [random.pick(points)], { withinMs: 30_000, atPoints });
}

/** Returns all points that no process was killed at yet; now and then, and when there are none, a few of the others. */
function nextPoints(atPoints: ReadonlyMap<FaultPoint, number>, random: Random): readonly FaultPoint[] {
  const left = faultPoints.filter((point) => !atPoints.has(point));
  const isRepeated = left.length === 0 || random.next() < repeatedShare;
  return isRepeated ? shuffled(faultPoints, random).slice(0, 3) : left;
}

/**
 * Kills the first process that reaches any of the points, and counts that in `atPoints`. Returns whether one did in
 * time.
 */
async function killAtPoint(
  bots: readonly BotProcess[],
  points: readonly FaultPoint[],
  {
    withinMs,
    signal,
    atPoints,
  }: { readonly withinMs: number; readonly signal?: AbortSignal; readonly atPoints: Map<FaultPoint, number> },
): Promise<boolean> {
  const orders = bots.map((bot) => bot.dieAt(points));
  const done = new AbortController();
  const timeout = wait(withinMs, undefined, {
    signal: signal ? AbortSignal.any([signal, done.signal]) : done.signal,
  }).catch(() => undefined);
  await Promise.race([...orders.map(({ died }) => died), timeout]);
  done.abort();
  for (const { cancel } of orders) cancel();
  const reached = (await Promise.all(orders.map(({ died }) => died))).filter((point) => point !== undefined);
  for (const point of reached) atPoints.set(point, (atPoints.get(point) ?? 0) + 1);
  return reached.length > 0;
}

/** Kills Redis and restarts it from its append-only file. Returns how often. */
export async function killRedis(
  redis: TestRedis,
  { redisKills, redisDownMs, spanMs }: Pick<ChaosSettings, 'redisKills' | 'redisDownMs' | 'spanMs'>,
  random: Random,
): Promise<number> {
  for (let kill = 0; kill < redisKills; kill += 1) {
    await wait((spanMs / (redisKills + 1)) * (0.8 + random.next() * 0.4));
    await redis.kill();
    const isLast = kill === redisKills - 1;
    await wait(isLast ? redisDownMs : random.between(200, 2_500));
    await redis.restart();
  }
  return redisKills;
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const order = items.map((item) => ({ item, at: random.next() }));
  return order.sort((a, b) => a.at - b.at).map(({ item }) => item);
}
