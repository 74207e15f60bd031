import { setTimeout as delay } from 'node:timers/promises';

/** The rest after a piece of work, in times of what it took. */
const rest = 3;

/**
 * Runs a piece of work of which there may be a lot and for which nobody waits, and then rests for three times as long as it
 * took: the process is left to those who click. Returns what it returns, and throws what it throws.
 */
export async function unhurried<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  await delay(rest * (performance.now() - began));
  return result;
}
