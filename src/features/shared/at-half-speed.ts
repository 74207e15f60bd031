import { setTimeout as delay } from 'node:timers/promises';

/**
 * Runs work of which there may be a lot that nobody waits for, and then rests for as long as it took: half of the time is left
 * to those who click. Returns what it returns, and throws what it throws.
 */
export async function atHalfSpeed<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  await delay(performance.now() - began);
  return result;
}
