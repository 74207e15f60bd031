import { setTimeout as delay } from 'node:timers/promises';

/** Work that took longer has waited for something: that leaves time to others by itself. */
const longestRestMs = 200;

/**
 * Runs a piece of background work, of which there may be a lot, and then rests for as long as it took: half of the time is left
 * to what people wait for. Returns what it returns, and throws what it throws.
 */
export async function inBackground<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  await delay(Math.min(performance.now() - began, longestRestMs));
  return result;
}
