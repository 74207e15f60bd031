import { printOf } from '../../../domain/evidence/picture-print.ts';
import { type Decoded, decodingMs, mostMemory, mostPixels, Piece } from './decoding.ts';

/*
 * The process that decodes pictures of workers, and does nothing else: it has no secrets, no connections, and only the time and
 * memory that it is given. It is started by reader.ts, and ends with it.
 */

/** Pictures are made smaller than this (pixels) before they are looked at. */
const longestSide = 320;
/** What pictures are known to be; everything else that the library could open stays closed. */
const formats = ['Png', 'Jpeg', 'Nsgif', 'Webp'];

const { default: sharp } = await import('sharp');
sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: formats.map((format) => `VipsForeignLoad${format}`) });

const pieces = new Map<number, Uint8Array[]>();

async function decode(bytes: Buffer): Promise<string | undefined> {
  const { data, info } = await sharp(bytes, {
    limitInputPixels: mostPixels,
    sequentialRead: true,
    failOn: 'none',
  })
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .resize(longestSide, longestSide, { fit: 'inside' })
    .greyscale()
    .timeout({ seconds: decodingMs / 1_000 })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const pixels = channels === 1 ? data : data.filter((_, index) => index % channels === 0);
  return printOf({ pixels, width, height });
}

/** Pictures are decoded one after the other. */
let last = Promise.resolve();

process.on('message', (message) => {
  const { picture, bytes, isLeft } = Piece.parse(message);
  const known = pieces.get(picture) ?? [];
  if (bytes !== undefined) {
    pieces.set(picture, [...known, bytes]);
    return;
  }
  pieces.delete(picture);
  if (isLeft) return;
  last = last.then(async () => {
    const print = await decode(Buffer.concat(known)).catch(() => undefined);
    const decoded: Decoded = print === undefined ? { picture } : { picture, print };
    process.send?.(decoded);
  });
});
process.on('disconnect', () => process.exit(0));
// Signals of a terminal go to both processes: this one ends with the other.
process.on('SIGINT', () => undefined);

setInterval(() => {
  if (process.memoryUsage.rss() > mostMemory) process.exit(1);
}, 50);
