import { expect, test } from 'vitest';
import {
  byIndex,
  filesForCard,
  filesOnCard,
  isPicture,
  mayBePicture,
  unreadFiles,
} from '../../src/domain/picture.ts';
import type { ProofFile } from '../../src/domain/task.ts';

const file = (index: number, contentType: string, size = 1_000): ProofFile => ({
  index,
  filename: `${index}`,
  contentType,
  size,
});

test('a picture is shown up to 5 MB, and compared up to 20 MB', () => {
  const sizes = [0, 1, 5_000_000, 5_000_001, 20_000_000, 20_000_001];
  const files = sizes.map((size, index) => file(index, 'image/png', size));
  expect(files.filter(isPicture).map(({ size }) => size)).toEqual([1, 5_000_000]);
  expect(files.filter(mayBePicture).map(({ size }) => size)).toEqual([1, 5_000_000, 5_000_001, 20_000_000]);
});

test('a card reads three files: those that can be shown before those of which only the bytes tell', () => {
  const types = ['application/pdf', 'image/png', '', 'image/heic', 'image/gif', 'application/octet-stream'];
  const files = types.map((type, at) => file(at + 1, type));
  expect(filesForCard(files).map(({ index }) => index)).toEqual([2, 5, 3]);
});

test('a file that turned out to be no picture is listed by its name, and not read again', () => {
  const files = [file(1, ''), file(2, ''), file(3, 'image/png'), file(4, 'image/png', 6_000_000)];
  // The first is a picture after all, the second is none; Slack has refused the third; the fourth is only compared.
  const pictures = [
    { index: 4, bytesHash: 'd' },
    { index: 1, file: 'F1', bytesHash: 'a' },
    { index: 2 },
    { index: 3, bytesHash: 'c' },
  ];
  const { shown, counted, named } = filesOnCard({ proof: { slots: [], files }, pictures });
  expect(shown.map(({ index }) => index)).toEqual([1]);
  expect(counted.map(({ index }) => index)).toEqual([3]);
  expect(named.map(({ index }) => index)).toEqual([2, 4]);
  expect(byIndex(pictures).map(({ index }) => index)).toEqual([1]);
  expect(unreadFiles({ proof: { slots: [], files }, pictures }).map(({ index }) => index)).toEqual([3]);
});
