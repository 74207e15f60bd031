import { expect, test } from 'vitest';
import { trackWork } from '../../src/work-under-way.ts';

test('whoever waits for what is under way waits neither for what begins later, nor longer than asked', async () => {
  const { track, upToNow, settled } = trackWork();
  await upToNow(60_000);

  let end = () => {};
  const first = track(new Promise<void>((resolve) => (end = resolve)));
  const waiting = upToNow(60_000);
  let endSecond = () => {};
  const second = track(new Promise<void>((resolve) => (endSecond = resolve)));
  end();
  await Promise.all([first, waiting]);

  await upToNow(1);
  endSecond();
  await Promise.all([second, settled()]);
});

test('work that fails is done as well', async () => {
  const { track, upToNow } = trackWork();
  const failing = track(Promise.reject(new Error('fails')));
  await upToNow(60_000);
  await expect(failing).rejects.toThrow('fails');
});
