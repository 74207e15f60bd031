import { z } from 'zod';

/* Messages between this process and the one that decodes pictures. */

/** A chunk of a picture. The last one has no bytes; `isLeft` means that no more will come. */
export const Piece = z.object({
  picture: z.number(),
  bytes: z.instanceof<typeof Uint8Array<ArrayBufferLike>>(Uint8Array).exactOptional(),
  isLeft: z.literal(true).exactOptional(),
});
export type Piece = z.infer<typeof Piece>;

/** A picture's print; absent if the picture shows too little, or cannot be decoded. */
export const Decoded = z.object({ picture: z.number(), print: z.string().exactOptional() });
export type Decoded = z.infer<typeof Decoded>;

/** Maximum number of pixels of a picture: a photo from the largest common camera. */
export const mostPixels = 50_000_000;
/** Timeout of decoding one picture (ms). */
export const decodingMs = 4_000;
/** Memory limit of the decoding process (bytes); it ends when a picture needs more. */
export const mostMemory = 500 * 1024 * 1024;
