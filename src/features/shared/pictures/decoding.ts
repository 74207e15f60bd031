import { z } from 'zod';

/* What this process and the one that decodes pictures say to each other. */

/** A piece of a picture. The last one has no bytes; `isLeft` tells that no more will come. */
export const Piece = z.object({
  picture: z.number(),
  bytes: z.instanceof<typeof Uint8Array<ArrayBufferLike>>(Uint8Array).exactOptional(),
  isLeft: z.literal(true).exactOptional(),
});
export type Piece = z.infer<typeof Piece>;

/** What a picture looks like; without a print, it shows too little, or cannot be decoded. */
export const Decoded = z.object({ picture: z.number(), print: z.string().exactOptional() });
export type Decoded = z.infer<typeof Decoded>;

/** A picture may have so many pixels: a photo of the largest usual camera. */
export const mostPixels = 50_000_000;
/** Decoding one may take so long (ms). */
export const decodingMs = 4_000;
/** The process that decodes may take so much memory (bytes); it ends where a picture needs more. */
export const mostMemory = 500 * 1024 * 1024;
