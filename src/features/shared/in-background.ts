import { setTimeout as delay } from 'node:timers/promises';

/** Work that took longer spent the time waiting, which leaves time to others anyway. */
const longestRestMs = 200;

/**
 * Runs potentially heavy background work, then rests for as long as it took, leaving half of the time to interactive
 * work. Returns or throws what `work` does.
 */
export async function inBackground<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  await delay(Math.min(performance.now() - began, longestRestMs));
  return result;
}
