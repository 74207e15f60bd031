import { eventually } from './eventually.ts';

/** Waits until the clock shows another second: the marketplace's datetimes tell nothing finer apart. */
export async function nextSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1_000);
  await eventually('the next second', async () => Math.floor(Date.now() / 1_000) > second);
}
