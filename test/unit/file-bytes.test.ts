import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sixPictures } from '../../gallery/samples/tasks.ts';
import { TaskId } from '../../src/domain/terms.ts';
import { withPicturesIfPossible } from '../../src/features/cards/details.ts';
import {
  createProofFiles,
  EmptyFile,
  FileTooLarge,
  fileChunks,
  transferFile,
} from '../../src/features/cards/transfer.ts';
import { createMemoryBudget } from '../../src/kit/budgets.ts';
import { ref } from '../harness/ids.ts';
import { idle, onlyModules } from '../harness/modules.ts';
import { forAllAsync } from './properties.ts';

test('the bytes of a download are all there, up to the limit', async () => {
  const chunks = [Buffer.from('ab'), Buffer.from('c')];
  expect(String(Buffer.concat(await fileChunks(Readable.from(chunks), 3)))).toBe('abc');
  expect(await fileChunks(Readable.from([]), 3)).toHaveLength(0);
});

test('the bytes of a download are given up as soon as there are too many, however many would follow', async () => {
  let read = 0;
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(1_000, ++read);
    })(),
  );
  await expect(fileChunks(endless, 10_000)).rejects.toThrow(FileTooLarge);
  expect(read).toBeLessThan(100);
  expect(endless.destroyed).toBe(true);
});

test.each([
  ['of a known size', 'abc', 3, 3, 3],
  ['of an unknown size', 'abc', undefined, 3, 3],
  ['larger than may be', 'abc', 4, 3, FileTooLarge],
  ['that turns out to be larger than may be', 'abc', undefined, 2, FileTooLarge],
  ['without bytes', '', 0, 3, EmptyFile],
  ['that turns out to have no bytes', '', undefined, 3, EmptyFile],
] as const)('a file %s is passed on with its length, or refused', async (_, bytes, size, most, expected) => {
  const stream = Readable.from(bytes === '' ? [] : [Buffer.from(bytes)]);
  const modules = { marketplace: { memory: createMemoryBudget(1_000) } } as never;
  const passed = transferFile(modules, { stream, size } as never, most, async ({ length }) => length);
  expect(await passed.catch((error: Error) => error.constructor)).toBe(expected);
  expect(stream.destroyed).toBe(true);
});

test('a modal shows a task without its pictures while the marketplace cannot be asked for them', async () => {
  const [of, unread] = [() => Promise.reject(new Error('away')), { ...sixPictures, pictures: [] }];
  const modules = onlyModules({ marketplace: { of }, slack: { messengerOf: () => idle }, log: idle });
  expect(await withPicturesIfPossible(modules, ref, unread)).toBe(unread);
});

describe('files that several read at once', () => {
  const task = { id: TaskId.parse('t1'), round: 1 };

  /** A marketplace whose files have so many bytes. Returns what reads one of them, as whoever was told of `size`. */
  function marketplace(bytes: number, keptBytes = 6_000) {
    let downloads = 0;
    const client = {
      async downloadFileProof() {
        downloads += 1;
        const stream = Readable.from([Buffer.alloc(bytes)], { objectMode: false });
        return { stream, filename: 'a.png', contentType: 'image/png' };
      },
    };
    const open = createProofFiles(createMemoryBudget(10_000), keptBytes);
    const read = async (size: number, index = 1, round = 1) =>
      Buffer.concat(
        await fileChunks((await open(client, ref, { ...task, round }, { index, size })).stream, 9_000),
      ).length;
    return { read, downloads: () => downloads };
  }

  test('are downloaded once for each round', async () => {
    const { read, downloads } = marketplace(1_000);
    expect(await Promise.all([read(1_000), read(1_000)])).toEqual([1_000, 1_000]);
    expect(await read(1_000)).toBe(1_000);
    expect(downloads()).toBe(1);
    await read(1_000, 1, 2);
    expect(downloads()).toBe(2);
  });

  test('are not kept when they are larger than was said, or nothing was said, and yet arrive in full', async () => {
    for (const said of [10, 0]) {
      const { read, downloads } = marketplace(2_000);
      expect([await read(said), await read(said)]).toEqual([2_000, 2_000]);
      expect(downloads()).toBe(said === 0 ? 2 : 4);
    }
  });

  test('make room for later ones: the oldest goes first', async () => {
    const { read, downloads } = marketplace(1_000);
    for (let index = 1; index <= 7; index += 1) await read(1_000, index);
    await read(1_000, 7);
    expect(downloads()).toBe(7);
    await read(1_000, 1);
    expect(downloads()).toBe(8);
  });
});

test('what is held never exceeds the budget, and everything gets its turn, in order', async () => {
  const sizes = fc.array(fc.nat(450), { maxLength: 30 });
  await forAllAsync({ numRuns: 50 }, sizes, fc.scheduler(), async (wanted, scheduler) => {
    const budget = createMemoryBudget(320);
    let held = 0;
    const started: { small: number[]; large: number[] } = { small: [], large: [] };
    const runs = wanted.map((bytes, index) =>
      budget.hold(bytes, async () => {
        const share = Math.min(bytes, 240);
        held += share;
        expect(held).toBeLessThanOrEqual(320);
        (bytes <= 10 ? started.small : started.large).push(index);
        await scheduler.schedule(Promise.resolve());
        held -= share;
      }),
    );
    await scheduler.waitFor(Promise.all(runs));
    for (const order of Object.values(started)) expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(started.small.length + started.large.length).toBe(wanted.length);
  });
});

test('a small share never waits for a large one', async () => {
  const budget = createMemoryBudget(320);
  let release = () => {};
  const large = budget.hold(1_000, () => new Promise<void>((resolve) => (release = resolve)));
  const next = budget.hold(1_000, async () => 'next');
  expect(await budget.hold(10, async () => 'small')).toBe('small');
  release();
  await large;
  expect(await next).toBe('next');
  // Three quarters are there for large ones.
  expect(await budget.hold(120, () => budget.hold(120, async () => 'both'))).toBe('both');
});

test('what fails gives its share back', async () => {
  const budget = createMemoryBudget(320);
  await expect(budget.hold(320, () => Promise.reject(new Error('broke off')))).rejects.toThrow('broke off');
  expect(await budget.hold(320, async () => 'done')).toBe('done');
});
