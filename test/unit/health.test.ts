import { expect, test } from 'vitest';
import { redisProblem } from '../../src/app/health.ts';
import { finishAndClose, trackWork } from '../../src/app/lifecycle.ts';
import { probeKey } from '../../src/store/format.ts';

/** A Redis of which the test says itself what it answers. */
function redisThat(answer: () => Promise<unknown>, status = 'ready') {
  const asked: string[] = [];
  return {
    asked,
    status,
    set(key: string) {
      asked.push(key);
      return answer();
    },
  };
}

test.each([
  ['Command timed out', 'Redis does not answer. Work resumes once it does.'],
  [
    'CLUSTERDOWN The cluster is down',
    'Redis refuses to store anything: its cluster is not complete (CLUSTERDOWN). Work resumes once it accepts writes.',
  ],
  [
    'LOADING Redis is loading the dataset in memory',
    'Redis refuses to store anything: it is still loading its data (LOADING). Work resumes once it accepts writes.',
  ],
  [
    "OOM command not allowed when used memory > 'maxmemory'.",
    'Redis refuses to store anything: its memory is full (OOM). Work resumes once it accepts writes.',
  ],
  [
    'LATER Some code of a later version',
    'Redis refuses to store anything: it refuses commands (LATER). Work resumes once it accepts writes.',
  ],
  ['Connection is closed.', 'Redis cannot be reached. Work resumes once it can.'],
])('%s: %s', async (reason, said) => {
  const redis = redisThat(() => Promise.reject(new Error(reason)));
  expect(await redisProblem(redis)).toBe(said);
  expect(redis.asked).toEqual([probeKey]);
});

test('without a connection nothing is asked', async () => {
  const redis = redisThat(() => Promise.resolve(1), 'reconnecting');
  expect(await redisProblem(redis)).toBe('Redis cannot be reached. Work resumes once it can.');
  expect(redis.asked).toEqual([]);
});

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
