import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { checkPictures } from '../../src/app/doctor-checks.ts';
import { arePrintsAlike, bandsOfPrint, printOf, scaledSize } from '../../src/domain/evidence/likeness.ts';
import { createPictureReader } from '../../src/features/evidence/picture-reader.ts';
import { type Alteration, alterations, screenshot } from '../harness/picture-corpus.ts';
import { seededRandom } from '../harness/text-corpus.ts';
import { forAll } from './properties.ts';

const warnings: object[] = [];
const logger = { warn: (fields: object) => warnings.push(fields) };
// A slow machine takes long to start a process.
const reader = createPictureReader({ logger, mostWaitMs: 110_000 });

/** Returns the print that a picture gets, or undefined. */
async function read(picture: Buffer): Promise<string | undefined> {
  const reading = reader.begin();
  if (reading === undefined) throw new Error('no picture can be read');
  // In pieces, as they come from the marketplace.
  for (let at = 0; at < picture.length; at += 10_000) await reading.write(picture.subarray(at, at + 10_000));
  const print = await reading.end();
  reading.leave();
  return print;
}

async function printed(picture: Buffer): Promise<string> {
  const print = await read(picture);
  if (print === undefined) throw new Error('the picture has no print');
  return print;
}

/** Returns whether a picture is found in the index by its copy, and counts as the same. */
const isFound = (one: string, other: string) =>
  bandsOfPrint(one).some((band) => bandsOfPrint(other).includes(band)) && arePrintsAlike(one, other);

describe('a picture is the same as its copy', () => {
  test.each(Object.keys(alterations) as Alteration[])('%s', async (alteration) => {
    const shot = { app: 2, number: 1, seed: 5 };
    const original = await printed(await screenshot(shot));
    expect(Buffer.from(original, 'base64url')).toHaveLength(32);
    const copy = await printed(await alterations[alteration](shot, seededRandom(1)));
    expect(isFound(original, copy)).toBe(true);
    expect(isFound(copy, original)).toBe(true);
  });

  test('turned by what its file says, and with the same bytes again', async () => {
    const original = await screenshot({ app: 0, number: 3, seed: 5 });
    const turned = await sharp(original).rotate(90).withMetadata({ orientation: 8 }).jpeg().toBuffer();
    expect(isFound(await printed(original), await printed(turned))).toBe(true);
    expect(isFound(await printed(original), await printed(original))).toBe(true);
  });
});

test('different screens of one app are different pictures', async () => {
  const prints = await Promise.all(
    [0, 1, 2, 3, 4].map(async (number) => printed(await screenshot({ app: 3, number, seed: 5 }))),
  );
  for (const [index, one] of prints.entries())
    for (const other of prints.slice(index + 1)) expect(arePrintsAlike(one, other)).toBe(false);
});

test('whatever two pictures show, they are found exactly when their prints hardly differ', () => {
  const prints = fc.uint8Array({ minLength: 32, maxLength: 32 });
  forAll(prints, fc.uniqueArray(fc.nat(255), { maxLength: 40 }), (bytes, turned) => {
    const other = Buffer.from(bytes);
    for (const bit of turned) other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const [one, another] = [Buffer.from(bytes), other].map((print) => print.toString('base64url'));
    expect(arePrintsAlike(one ?? '', another ?? '')).toBe(turned.length <= 12);
    if (turned.length < 10) expect(isFound(one ?? '', another ?? '')).toBe(true);
  });
});

test('no print has a picture of one color, or of hardly more', () => {
  const { width, height } = scaledSize;
  const pixels = (shade: (column: number, row: number) => number) =>
    printOf(
      Uint8Array.from({ length: width * height }, (_, at) =>
        shade(Math.floor((at % width) / 8), Math.floor(at / width / 8)),
      ),
    );
  expect(pixels(() => 200)).toBeUndefined();
  expect(pixels((column) => 90 + (column % 2))).toBeUndefined();
  expect(pixels((column, row) => (column === 4 && row === 4 ? 255 : 0))).toBeUndefined();
  expect(pixels((column) => (column % 3) * 40)).toBeDefined();
});

test('no print has what is no picture, another format than it says, half a picture, too many pixels; the next one has one', async () => {
  expect(await read(Buffer.from('hello'))).toBeUndefined();
  expect(await read(Buffer.alloc(0))).toBeUndefined();
  // Nothing is opened but the formats of pictures: this one would draw, and could read files.
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><path d="M9 9h9v50z"/></svg>';
  expect(await read(Buffer.from(svg))).toBeUndefined();
  const fine = await screenshot({ app: 1, number: 1, seed: 5 });
  const large = sharp(fine).resize(9_000, 6_000, { fit: 'fill', kernel: 'nearest' });
  expect(await read(await large.jpeg().toBuffer())).toBeUndefined();
  const broken = sharp(fine).jpeg();
  await read((await broken.toBuffer()).subarray(0, 900));
  expect(await read(fine)).toBeDefined();
  expect(warnings).toEqual([]);
});

test('eight pictures are read at once, and then as many again', async () => {
  const picture = await screenshot({ app: 1, number: 1, seed: 5 });
  const print = await read(picture);
  const begun = Array.from({ length: 9 }, () => reader.begin());
  await Promise.all(begun.map(async (one) => one?.write(picture)));
  const prints = await Promise.all(begun.map(async (one) => one?.end()));
  expect(prints).toEqual([...Array(8).fill(print), undefined]);
  expect(await read(picture)).toBe(print);
});

test('no print has a picture that is left in the middle, and one that takes too long', async () => {
  const picture = await screenshot({ app: 1, number: 1, seed: 5 });
  const left = reader.begin();
  void left?.write(picture);
  left?.leave();
  expect(await read(picture)).toBeDefined();
  const impatient = createPictureReader({ logger, mostWaitMs: 0 });
  const reading = impatient.begin();
  void reading?.write(picture);
  expect(await reading?.end()).toBeUndefined();
  expect(warnings).not.toEqual([]);
});

test('the doctor says whether pictures can be read', () => {
  expect(checkPictures(true)).toMatchObject({ kind: 'ok' });
  expect(checkPictures(false)).toMatchObject({
    kind: 'note',
    text: expect.stringContaining('not installed'),
  });
});
