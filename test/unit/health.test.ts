import { expect, test } from 'vitest';
import { createRedisWatch } from '../../src/health.ts';

/** A Redis of which the test says itself what it answers, and when. */
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

test('one question is under way at a time, and all who ask get its answer', async () => {
  const answers: (() => void)[] = [];
  const redis = redisThat(() => new Promise<void>((resolve) => answers.push(resolve)));
  const problem = createRedisWatch(redis, 'a key');
  const all = [problem(), problem(), problem()];
  expect(redis.asked).toEqual(['a key']);
  answers[0]?.();
  expect(await Promise.all(all)).toEqual([undefined, undefined, undefined]);
  const next = problem();
  expect(redis.asked).toHaveLength(2);
  answers[1]?.();
  expect(await next).toBeUndefined();
});

test('who asks is answered after a second, also while the question is still under way', async () => {
  const redis = redisThat(() => new Promise(() => undefined));
  const problem = createRedisWatch(redis, 'a key');
  const silent = 'Redis does not answer. Work resumes once it does.';
  expect(await Promise.all([problem(), problem()])).toEqual([silent, silent]);
  expect(redis.asked).toHaveLength(1);
});

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
  const problem = createRedisWatch(
    redisThat(() => Promise.reject(new Error(reason))),
    'a key',
  );
  expect(await problem()).toBe(said);
});

test('without a connection nothing is asked', async () => {
  const redis = redisThat(() => Promise.resolve(1), 'reconnecting');
  expect(await createRedisWatch(redis, 'a key')()).toBe('Redis cannot be reached. Work resumes once it can.');
  expect(redis.asked).toEqual([]);
});
