import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '@proofdesk/marketplace-sandbox';
import { eventually } from '../harness/eventually.ts';
import type { View } from './view.ts';
import type { ChaosWorld } from './world.ts';

/**
 * What fails in a run of kills: a bot or a Redis that syncs every write (`always`), a Redis that loses its last second
 * (`everysec`), a primary under Sentinel that dies (`killed`) or that answers nothing any more (`hung`).
 */
export const losses = ['always', 'everysec', 'killed', 'hung'] as const;
export type Loss = (typeof losses)[number];

/** How soon a card must show another decision after a failure (ms). */
const usableMs = 60_000;

/** Lets a number of things fail, one after the other. Returns how long each took until people could decide again (ms). */
export async function livesThrough(
  { redis, bots }: ChaosWorld,
  view: View,
  random: Random,
  { loss, count }: { readonly loss: Loss; readonly count: number },
): Promise<number[]> {
  const times: number[] = [];
  while (times.length < count) {
    await wait(random.between(1_000, 4_000));
    const at = Date.now();
    const before = await redis.address();
    const bot = loss === 'always' ? bots[random.between(0, 2)] : undefined;
    if (bot) await eventually('a bot that is at work, and dies', () => bot.kill(), usableMs);
    else await (loss === 'hung' ? redis.pause() : redis.kill());
    if (!bot && (loss === 'always' || loss === 'everysec')) await redis.restart();
    else if (!bot)
      await eventually('another primary', async () => (await redis.address()) !== before, usableMs);
    const { size } = view.accepted;
    await eventually('another decision', () => view.accepted.size > size, usableMs);
    times.push(Date.now() - at);
    if (loss === 'hung') await redis.resume();
    if (loss === 'killed') await redis.restart();
  }
  return times;
}
