import { printOf, scaledSize } from '../../domain/evidence/likeness.ts';
import type { Decoded, Piece } from './picture-reader.ts';

/*
 * The process that only decodes workers' pictures: it has no secrets or connections, and limited time and memory.
 * Started by picture-reader.ts, and ends with it.
 */

/** Maximum number of pixels of a picture: a photo from the largest common camera. */
const mostPixels = 50_000_000;
/** Memory limit of this process (bytes); it ends when a picture needs more. */
const mostMemory = 500 * 1024 * 1024;
/** The accepted formats; every other format the library supports stays disabled. */
// cspell:ignore Nsgif
const formats = ['Png', 'Jpeg', 'Nsgif', 'Webp'];

const { default: sharp } = await import('sharp');
sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: formats.map((format) => `VipsForeignLoad${format}`) });

const pieces = new Map<number, Uint8Array[]>();

async function decode(bytes: Buffer): Promise<string | undefined> {
  const shades = await sharp(bytes, {
    limitInputPixels: mostPixels,
    sequentialRead: true,
    failOn: 'none',
  })
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .resize({ ...scaledSize, fit: 'fill' })
    .grayscale()
    .raw()
    .toBuffer();
  return printOf(shades);
}

/** Pictures are decoded sequentially. */
let last = Promise.resolve();

process.on('message', ({ picture, bytes }: Piece) => {
  const known = pieces.get(picture) ?? [];
  if (bytes !== undefined) {
    pieces.set(picture, [...known, bytes]);
    return;
  }
  pieces.delete(picture);
  last = last.then(async () => {
    const print = await decode(Buffer.concat(known)).catch(() => undefined);
    const decoded: Decoded = print === undefined ? { picture } : { picture, print };
    process.send?.(decoded);
  });
});
// Terminal signals reach both processes; this one ends with its parent.
process.on('SIGINT', () => undefined);

setInterval(() => {
  if (!process.connected) process.exit(0);
  if (process.memoryUsage.rss() > mostMemory) process.exit(1);
}, 50);
