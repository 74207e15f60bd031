import { expect, test } from 'vitest';
import { finishAndClose, trackWork } from '../../src/app/lifecycle.ts';

test('work that fails is done as well', async () => {
  const { settled, track } = trackWork();
  const failing = track(Promise.reject(new Error('fails')));
  await settled();
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
