import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { FileTooLarge, fileBytes } from '../../src/marketplace/index.ts';
import { createProgress } from '../../src/slack/progress.ts';

describe('the bytes of a download', () => {
  test('are all there, up to the limit', async () => {
    const chunks = [Buffer.from('ab'), Buffer.from('c')];
    expect(String(await fileBytes(Readable.from(chunks), 3))).toBe('abc');
    expect(await fileBytes(Readable.from([]), 3)).toHaveLength(0);
  });

  test('are given up as soon as there are too many, however many would follow', async () => {
    let read = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(1_000, ++read);
      })(),
    );
    await expect(fileBytes(endless, 10_000)).rejects.toThrow(FileTooLarge);
    expect(read).toBeLessThan(100);
    expect(endless.destroyed).toBe(true);
  });
});

describe('progress', () => {
  test('is shown at most once a second and so many times, and its failure stops nothing', async () => {
    let at = 0;
    const shown: number[] = [];
    const progress = createProgress(
      async (done) => {
        shown.push(done);
        if (done === 3) throw new Error('closed');
      },
      { now: () => at, most: 3 },
    );
    for (const [time, done] of [
      [999, 1],
      [1_000, 2],
      [1_500, 0],
      [2_000, 3],
      [3_000, 4],
      [4_000, 5],
    ] as const) {
      at = time;
      progress.reached(done);
    }
    await progress.settled();
    expect(shown).toEqual([2, 3, 4]);
  });
});
