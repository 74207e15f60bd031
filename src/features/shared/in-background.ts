import { setTimeout as delay } from 'node:timers/promises';

/**
 * Runs a piece of background work, of which there may be a lot, and then rests for as long as it took: half of the time is left
 * to what people wait for. Returns what it returns, and throws what it throws.
 */
export async function inBackground<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  await delay(performance.now() - began);
  return result;
}
