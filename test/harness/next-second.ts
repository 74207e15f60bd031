import { eventually } from './eventually.ts';

/** Waits for the next second of the clock, because the marketplace's datetimes have a resolution of one second. */
export async function nextSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1_000);
  await eventually('the next second', async () => Math.floor(Date.now() / 1_000) > second);
}
