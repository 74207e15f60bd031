import { setTimeout as wait } from 'node:timers/promises';
import { type FaultPoint, faultPoints, renderFaultPoints } from '../../src/domain/fault-points.ts';
import type { FaultKind, Random } from '../../src/sandbox/marketplace/index.ts';
import type { MarketplaceHandle } from '../harness/marketplace.ts';
import type { SlackHandle } from '../harness/slack.ts';
import type { BotProcess } from './processes.ts';
import { shuffled } from './schedule.ts';
import { chaosTimeouts } from './settings.ts';

const { slackMs } = chaosTimeouts;

/** Makes single calls to Slack and its deliveries fail in every way that the sandbox supports. */
export async function failSlack(slack: SlackHandle, failureRate: number): Promise<void> {
  const calls = [
    { kind: '429', retryAfter: 1 },
    { kind: '500' },
    { kind: 'html' },
    { kind: 'latency', delayMs: slackMs / 5 },
    // Applied after the bot's call has timed out.
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

const marketplaceFaults = [
  'latency',
  '500',
  'html',
  '429',
  'drop-before',
  'drop-after',
  'slow-after',
  'garbage',
  'error',
] as const satisfies readonly FaultKind[];

/** Makes single calls to the marketplace fail in every way in which an answer can be missing. */
export async function failMarketplace(marketplace: MarketplaceHandle, failureRate: number): Promise<void> {
  for (const kind of marketplaceFaults) {
    await marketplace.fault({
      kind,
      times: 0,
      probability: failureRate / marketplaceFaults.length,
      delayMs: 800,
      ...(kind === 'error' ? { error: 'SYSTEM ERROR' } : {}),
    });
  }
}

/** How many bot processes were killed at fault points, in addition to the schedule, and at other times. */
export interface Kills {
  readonly atPoints: Map<FaultPoint, number>;
  anywhere: number;
}

/** The share of kills that may be at a point where a process was already killed. */
const repeatedShare = 0.25;
/** How long a kill waits for a process to reach one of its points (ms). */
const reachWithinMs = 5_000;

/**
 * Kills bot processes at fault points, at most `kills` times over `spanMs`, preferring points where no process was killed
 * yet. If no process reaches one in time, kills a process at an arbitrary time.
 * @param points the points to use
 */
export async function killBots(
  bots: readonly BotProcess[],
  { kills, spanMs }: { readonly kills: number; readonly spanMs: number },
  random: Random,
  done: Kills,
  points: readonly FaultPoint[] = faultPoints,
): Promise<void> {
  const began = Date.now();
  for (let kill = 0; kill < kills; kill += 1) {
    const at = began + (spanMs * (kill + 0.5 * random.next())) / kills;
    await wait(Math.max(0, at - Date.now()));
    const withinMs = Math.min(reachWithinMs, began + spanMs - Date.now());
    if (withinMs <= 0) return;
    if (await killAtPoint(bots, nextPoints(points, done.atPoints, random), withinMs, done)) continue;
    await random.pick(bots).kill();
    done.anywhere += 1;
  }
}

/** Kills a process while it posts a campaign's summary, at one of the points that only a new message passes. */
export async function killWhilePostingSummary(
  bots: readonly BotProcess[],
  random: Random,
  done: Kills,
): Promise<void> {
  const points = renderFaultPoints('queue').filter((point) => /: post/.test(point));
  await killAtPoint(bots, [random.pick(points)], 30_000, done);
}

/** The kinds of messages that are so rare that a kill waits for them. */
const rareKinds = ['daily', 'campaigns'] as const;

/** Kills a process while it posts a daily summary, and one while it posts a campaign notice, if these come in time. */
export async function killWhileTelling(
  bots: readonly BotProcess[],
  spanMs: number,
  random: Random,
  done: Kills,
): Promise<void> {
  const end = Date.now() + spanMs;
  await Promise.all(
    rareKinds.map(async (kind) => {
      // If the process ends for another reason, the order must be repeated.
      while (Date.now() < end) {
        await Promise.all(bots.map((bot) => bot.ready()));
        const points = nextPoints(renderFaultPoints(kind), done.atPoints, random);
        if (await killAtPoint(bots, points, Math.max(0, end - Date.now()), done)) return;
      }
    }),
  );
}

/** Returns all points where no process was killed yet; now and then, and if there are none, a few of the others. */
function nextPoints(
  points: readonly FaultPoint[],
  atPoints: ReadonlyMap<FaultPoint, number>,
  random: Random,
): readonly FaultPoint[] {
  const left = points.filter((point) => !atPoints.has(point));
  const isRepeated = left.length === 0 || random.next() < repeatedShare;
  return isRepeated ? shuffled(points, random).slice(0, 3) : left;
}

/** Kills the first process that reaches any of the points, and counts the kill. Returns whether one did in time. */
async function killAtPoint(
  bots: readonly BotProcess[],
  points: readonly FaultPoint[],
  withinMs: number,
  { atPoints }: Kills,
): Promise<boolean> {
  const orders = bots.map((bot) => bot.dieAt(points));
  const done = new AbortController();
  const timeout = wait(withinMs, undefined, { signal: done.signal }).catch(() => undefined);
  await Promise.race([...orders.map(({ died }) => died), timeout]);
  done.abort();
  for (const { cancel } of orders) cancel();
  const reached = (await Promise.all(orders.map(({ died }) => died))).filter((point) => point !== undefined);
  for (const point of reached) atPoints.set(point, (atPoints.get(point) ?? 0) + 1);
  return reached.length > 0;
}
