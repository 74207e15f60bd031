import { ReplyError } from 'ioredis';
import { expect, test } from 'vitest';
import { createBatches } from '../../src/store/batches.ts';

/** Batches that run until they are told to end; `ran`: the items of each, as they began. */
function batchesThatWait(most = 10) {
  const ran: string[][] = [];
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const add = createBatches(async (items: readonly string[]) => {
    ran.push([...items]);
    await new Promise<void>((resolve, reject) => ends.push({ resolve, reject }));
    return items.map((item) => `${item} done`);
  }, most);
  /** Ends the batch that began first, once it has begun. */
  const end = async (error?: Error) => {
    await expect.poll(() => ends.length).toBeGreaterThan(0);
    const first = ends.shift();
    if (error === undefined) first?.resolve();
    else first?.reject(error);
  };
  return { add, ran, end };
}

test('the first item runs at once, and those that come meanwhile run together after it', async () => {
  const { add, ran, end } = batchesThatWait();
  const all = ['a', 'b', 'c'].map((item) => add('key', item));
  expect(ran).toEqual([['a']]);
  await end();
  await end();
  expect(await Promise.all(all)).toEqual(['a done', 'b done', 'c done']);
  expect(ran).toEqual([['a'], ['b', 'c']]);
  const later = add('key', 'd');
  expect(ran.at(-1)).toEqual(['d']);
  await end();
  expect(await later).toBe('d done');
});

test('items of other keys do not wait, and no batch has more items than it may', async () => {
  const { add, ran, end } = batchesThatWait(2);
  const all = [add('one', 'a'), add('two', 'b'), add('one', 'c'), add('one', 'd'), add('one', 'e')];
  expect(ran).toEqual([['a'], ['b']]);
  for (let batch = 0; batch < 4; batch += 1) await end();
  await Promise.all(all);
  expect(ran).toEqual([['a'], ['b'], ['c', 'd'], ['e']]);
});

test('one item that Redis does not take leaves the others of its batch alone', async () => {
  const bad = new ReplyError('WRONGTYPE');
  const ran: string[][] = [];
  const add = createBatches(async (items: readonly string[]) => {
    ran.push([...items]);
    if (items.includes('bad')) throw bad;
    return items;
  }, 10);
  const results = await Promise.allSettled(['a', 'b', 'bad', 'c'].map((item) => add('key', item)));
  expect(results).toEqual([
    { status: 'fulfilled', value: 'a' },
    { status: 'fulfilled', value: 'b' },
    { status: 'rejected', reason: bad },
    { status: 'fulfilled', value: 'c' },
  ]);
  expect(ran).toEqual([['a'], ['b', 'bad', 'c'], ['b'], ['bad'], ['c']]);
});

test('when the connection is lost, all of the batch learn it, and what comes after goes on', async () => {
  const { add, end } = batchesThatWait();
  const all = ['a', 'b', 'c'].map((item) => add('key', item));
  const results = Promise.allSettled(all);
  await end();
  await end(new Error('Connection is closed.'));
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  const next = add('key', 'd');
  await end();
  expect(await next).toBe('d done');
});
