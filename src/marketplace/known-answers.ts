/** Tells an answer that was read before from another, without decompressing or parsing it. */
import { createHash } from 'node:crypto';
import type { ReadText } from './pipeline.ts';
import { encodingOf } from './response-handler.ts';
import { decompressWhole } from './whole-response.ts';

/**
 * Creates how the answers to one request are read. A success whose digest is known is not decoded: the result is another
 * text.
 *
 * The digest is that of the text, which is the same however it was compressed. Bytes that are equal to those of the answer
 * before have its digest: they are not even decompressed.
 * @param inPlace the text in place of one that is known
 */
export function createKnownAnswers(inPlace: string) {
  /** The answer before: the digest of its bytes as they were sent, and that of its text. */
  let last: { readonly sent: string; readonly digest: string } | undefined;

  return (isKnown: (digest: string) => boolean): ReadText => ({
    asSent: true,
    async textOf(response) {
      const isSuccess = response.status === 200;
      const sent = `${encodingOf(response)} ${digestOf(response.bytes)}`;
      const before = last?.sent === sent ? last.digest : undefined;
      if (isSuccess && before !== undefined && isKnown(before)) return inPlace;
      const bytes = await decompressWhole(response);
      const digest = before ?? digestOf(bytes);
      if (isSuccess) last = { sent, digest };
      return isSuccess && before === undefined && isKnown(digest) ? inPlace : bytes.toString('utf8');
    },
  });
}

function digestOf(bytes: Buffer): string {
  return createHash('sha1').update(bytes).digest('base64url');
}
