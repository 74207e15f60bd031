import { afterEach, expect, test } from 'vitest';
import type { AccountRef } from '../../src/domain/terms.ts';
import { createDataWatch, type WatchParts } from '../../src/features/reconcile/watch.ts';
import { createLogger } from '../../src/logger.ts';
import { eventually } from '../harness/eventually.ts';
import { asId } from '../harness/ids.ts';

const stopping: AbortController[] = [];
afterEach(() => {
  for (const one of stopping.splice(0)) one.abort();
});

/** A watch over so many accounts. `dataOf` says which data Redis has of each. */
function watchOver(count: number) {
  const refs = Array.from(
    { length: count },
    (_, index): AccountRef => ({ workspace: asId('T1'), account: asId(`a${index}`) }),
  );
  const dataOf = { epoch: 'first', server: 'run-1' };
  const checked: AccountRef[] = [];
  const started: AccountRef[] = [];
  const parts = {
    epochs: {
      knownAccounts: () => refs,
      check: async (ref: AccountRef) => {
        checked.push(ref);
        return { polls: 1, isRepaired: false, ...dataOf };
      },
    },
    jobs: { releaseUniqueKeysOfActive: async () => undefined, areRepeating: async () => [true] },
    logger: createLogger('silent', []),
    recovery: { searchUnsearched: async () => undefined },
    subscriptions: { polledAccounts: async () => refs },
    startPolling: async (ref: AccountRef) => void started.push(ref),
    lackingPolls: async () => [],
    housekeeping: [],
  } as unknown as WatchParts;
  const controller = new AbortController();
  stopping.push(controller);
  void createDataWatch(parts).run(controller.signal);
  return { checked, started, dataOf, count };
}

test('of many accounts ten are checked at a time, all of them within a round', async () => {
  const { checked, started } = watchOver(25);
  await eventually('the check at the start', () => checked.length >= 25);
  expect(checked.length).toBe(25);
  await eventually('the next check', () => checked.length > 25);
  expect(checked.length).toBe(35);
  await eventually('a whole round', () => checked.length >= 50);
  expect(new Set(checked.slice(25, 50).map(({ account }) => account)).size).toBe(25);
  expect(started).toEqual([]);
});

test('what one account shows has all of them checked at once, and polled again', async () => {
  const { checked, started, dataOf } = watchOver(1_000);
  await eventually('the check at the start', () => checked.length >= 1_000);
  Object.assign(dataOf, { epoch: 'second', server: 'run-2' });
  await eventually('polling is started again', () => started.length >= 1_000, 3_000);
  expect(new Set(started.map(({ account }) => account)).size).toBe(1_000);
});

test('a few accounts are all checked every time', async () => {
  const { checked } = watchOver(3);
  await eventually('three checks', () => checked.length >= 9);
  expect(checked.slice(0, 9).map(({ account }) => account)).toEqual([
    'a0',
    'a1',
    'a2',
    'a0',
    'a1',
    'a2',
    'a0',
    'a1',
    'a2',
  ]);
});
