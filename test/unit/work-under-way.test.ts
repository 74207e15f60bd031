import { expect, test } from 'vitest';
import { finishAndClose, trackWork } from '../../src/work-under-way.ts';

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

test('a stop closes everything also when finishing the work fails, and still says that it failed', async () => {
  let isClosed = false;
  const failing = async () => {
    throw new Error('the workers did not stop');
  };
  const stopping = finishAndClose(failing, async () => {
    isClosed = true;
  });
  await expect(stopping).rejects.toThrow('the workers did not stop');
  expect(isClosed).toBe(true);
});
