import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { checkPictures } from '../../src/doctor/pictures.ts';
import { bandsOfPrint, probesOfPrint } from '../../src/domain/evidence/picture-bands.ts';
import { arePrintsAlike } from '../../src/domain/evidence/picture-likeness.ts';
import { cellsOfPrint, printOf } from '../../src/domain/evidence/picture-print.ts';
import { createPictureReader } from '../../src/features/shared/pictures/reader.ts';
import { type Alteration, alterations, screenshot } from '../harness/picture-corpus.ts';
import { seededRandom } from '../harness/text-corpus.ts';

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

const isFound = (one: string, other: string) => {
  const places = new Set(bandsOfPrint(one).map((place) => place.join()));
  return (
    [...probesOfPrint(other)].flat().some((place) => places.has(place.join())) && arePrintsAlike(one, other)
  );
};

describe('a picture is the same as its copy', () => {
  test.each(Object.keys(alterations) as Alteration[])('%s', async (alteration) => {
    const shot = { app: 2, number: 1, seed: 5 };
    const original = await printed(await screenshot(shot));
    expect(Buffer.from(original, 'base64url')).toHaveLength(200);
    const copy = await printed(await alterations[alteration](shot, seededRandom(1)));
    expect(isFound(original, copy)).toBe(true);
    expect(isFound(copy, original)).toBe(true);
  });

  test('cropped, so that its rows have other parts of its lines', async () => {
    const shot = { app: 0, number: 21, seed: 90_210 };
    const copy = await alterations['cropped by 3 %'](
      shot,
      seededRandom(shot.seed + shot.app * 1_000 + shot.number),
    );
    expect(isFound(await printed(await screenshot(shot)), await printed(copy))).toBe(true);
  });

  test('turned by what its file says, and with the same bytes again', async () => {
    const original = await screenshot({ app: 0, number: 3, seed: 5 });
    const turned = await sharp(original).rotate(90).withMetadata({ orientation: 8 }).jpeg().toBuffer();
    expect(isFound(await printed(original), await printed(turned))).toBe(true);
    expect(arePrintsAlike(await printed(original), await printed(original))).toBe(true);
  });
});

test('different screens of one app are different pictures', async () => {
  const prints = await Promise.all(
    [0, 1, 2, 3, 4].map(async (number) => printed(await screenshot({ app: 3, number, seed: 5 }))),
  );
  for (const [index, one] of prints.entries())
    for (const other of prints.slice(index + 1)) expect(arePrintsAlike(one, other)).toBe(false);
});

test('two screens of one app that differ in nothing but the words of a few lines are different pictures', async () => {
  const [one, other] = [22, 28].map(async (number) =>
    printed(await screenshot({ app: 3, number, seed: 90_210 })),
  );
  expect(arePrintsAlike((await one) ?? '', (await other) ?? '')).toBe(false);
});

describe('what has no print', () => {
  test('a picture of one color, one of a few pixels, and what is no print', () => {
    const gray = (width: number, height: number, shade: (index: number) => number) =>
      printOf({
        pixels: Uint8Array.from({ length: width * height }, (_, index) => shade(index)),
        width,
        height,
      });
    expect(gray(100, 200, () => 200)).toBeUndefined();
    expect(gray(9, 9, (index) => (index * 97) % 256)).toBeUndefined();
    const chessboard = (index: number) => (index % 100 < 50 === index < 10_000 ? 20 : 220);
    expect(gray(100, 200, chessboard)).toBeDefined();
    expect(cellsOfPrint('abc')).toBeUndefined();
    expect(bandsOfPrint('abc')).toEqual([]);
    expect([...probesOfPrint('abc')]).toEqual([]);
    expect(arePrintsAlike('abc', 'abc')).toBe(false);
  });

  test('what is no picture, another format than it says, half a picture, too many pixels; the next one has one', async () => {
    expect(await read(Buffer.from('hello'))).toBeUndefined();
    expect(await read(Buffer.alloc(0))).toBeUndefined();
    // Nothing is opened but the formats of pictures: this one would draw, and could read files.
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><path d="M9 9h9v50z"/></svg>';
    expect(await read(Buffer.from(svg))).toBeUndefined();
    const large = sharp({ create: { width: 9_000, height: 6_000, channels: 3, background: '#123456' } });
    expect(await read(await large.png().toBuffer())).toBeUndefined();
    const fine = await screenshot({ app: 1, number: 1, seed: 5 });
    const broken = sharp(fine).jpeg();
    await read((await broken.toBuffer()).subarray(0, 900));
    expect(await read(fine)).toBeDefined();
  });

  test('one that is left in the middle, and one that takes too long', async () => {
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
});

test('the doctor says whether pictures can be read', () => {
  expect(checkPictures(true)).toMatchObject({ kind: 'ok' });
  expect(checkPictures(false)).toMatchObject({
    kind: 'note',
    text: expect.stringContaining('not installed'),
  });
});
