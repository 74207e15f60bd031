import { ReplyError } from 'ioredis';
import { expect, test } from 'vitest';
import { createBatches, sharedReads } from '../../src/store/batches.ts';

/** Batches that run until they are told to end; `ran`: the items of each, as they began. */
function batchesThatWait(most = 10) {
  const ran: string[][] = [];
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const add = createBatches(
    async (items: readonly string[]) => {
      ran.push([...items]);
      await new Promise<void>((resolve, reject) => ends.push({ resolve, reject }));
      return items.map((item) => `${item} done`);
    },
    { most },
  );
  /** Ends the batch that began first, once it has begun. */
  const end = async (error?: Error) => {
    await expect.poll(() => ends.length).toBeGreaterThan(0);
    const first = ends.shift();
    if (error === undefined) first?.resolve();
    else first?.reject(error);
  };
  return { add, ran, end };
}

test('what comes at once runs together, and what comes while it runs does so after it', async () => {
  const { add, ran, end } = batchesThatWait();
  const first = ['a', 'b'].map((item) => add('key', item));
  await expect.poll(() => ran).toEqual([['a', 'b']]);
  const then = ['c', 'd', 'e'].map((item) => add('key', item));
  await end();
  await end();
  expect(await Promise.all([...first, ...then])).toEqual(
    ['a', 'b', 'c', 'd', 'e'].map((item) => `${item} done`),
  );
  expect(ran).toEqual([
    ['a', 'b'],
    ['c', 'd', 'e'],
  ]);
  const later = add('key', 'f');
  await end();
  expect(await later).toBe('f done');
});

test('items of other keys do not wait, and no batch has more items than it may', async () => {
  const { add, ran, end } = batchesThatWait(2);
  const all = [add('one', 'a'), add('two', 'b'), add('one', 'c'), add('one', 'd'), add('one', 'e')];
  await expect.poll(() => ran).toEqual([['a', 'c'], ['b']]);
  for (let batch = 0; batch < 3; batch += 1) await end();
  await Promise.all(all);
  expect(ran).toEqual([['a', 'c'], ['b'], ['d', 'e']]);
});

test('one item that Redis does not take leaves the others of its batch alone', async () => {
  const bad = new ReplyError('WRONGTYPE');
  const ran: string[][] = [];
  const add = createBatches(async (items: readonly string[]) => {
    ran.push([...items]);
    if (items.includes('bad')) throw bad;
    return items;
  });
  const results = await Promise.allSettled(['a', 'b', 'bad', 'c'].map((item) => add('key', item)));
  expect(results).toEqual([
    { status: 'fulfilled', value: 'a' },
    { status: 'fulfilled', value: 'b' },
    { status: 'rejected', reason: bad },
    { status: 'fulfilled', value: 'c' },
  ]);
  expect(ran).toEqual([['a', 'b', 'bad', 'c'], ['a'], ['b'], ['bad'], ['c']]);
});

test('when Redis does not answer, nobody waits twice as long, and what comes after goes on', async () => {
  const { add, ran, end } = batchesThatWait(2);
  const results = Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((item) => add('key', item)));
  await end();
  await end(new Error('Command timed out'));
  expect((await results).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
    'rejected',
  ]);
  expect(ran).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  const next = add('key', 'f');
  await end();
  expect(await next).toBe('f done');
});

test('callers of one moment share a read, which begins after all have asked', async () => {
  let [stored, reads] = [1, 0];
  const read = sharedReads(
    async (name: string) => {
      reads += 1;
      return `${name} ${stored}`;
    },
    (name) => name,
  );
  const asked = [read('a'), read('a'), read('b')];
  stored = 2;
  expect(await Promise.all(asked)).toEqual(['a 2', 'a 2', 'b 2']);
  expect(reads).toBe(2);
  stored = 3;
  expect(await read('a')).toBe('a 3');
});
