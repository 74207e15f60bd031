import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { FileTooLarge, fileChunks } from '../../src/kit/file-transfer.ts';

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
