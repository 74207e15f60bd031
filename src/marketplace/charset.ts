/** Decodes answers as their Content-Type declares. Without a declaration, JSON is UTF-8. */
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import type { ResponseHead } from './response-handler.ts';
import { UnexpectedResponse } from './unexpected-response.ts';

/** What bytes that stand for no character become. */
const replacement = '\uFFFD';

/** Returns the decoder of an answer, or undefined for UTF-8. Throws {@link UnexpectedResponse} for an unknown charset. */
function decoderOf({ header }: Pick<ResponseHead, 'header'>): TextDecoder | undefined {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/iu.exec(header('content-type') ?? '')?.[1];
  if (charset === undefined) return undefined;
  try {
    const decoder = new TextDecoder(charset);
    return decoder.encoding === 'utf-8' ? undefined : decoder;
  } catch {
    throw new UnexpectedResponse('an answer in an unknown charset');
  }
}

/** Returns an answer's text. @param onUndecodable called when some of its bytes stand for no character */
export function decodeText(
  bytes: Buffer,
  head: Pick<ResponseHead, 'header'>,
  onUndecodable?: () => void,
): string {
  const decoder = decoderOf(head);
  const text = decoder === undefined ? bytes.toString('utf8') : decoder.decode(bytes);
  if (onUndecodable && (decoder === undefined ? !isUtf8(bytes) : text.includes(replacement))) onUndecodable();
  return text;
}

/** Passes on an arriving answer in UTF-8; one that is declared to be UTF-8 is not examined. */
export function inUtf8(
  chunks: AsyncIterable<Buffer>,
  head: Pick<ResponseHead, 'header'>,
  onUndecodable: () => void,
): AsyncIterable<Buffer> {
  const decoder = decoderOf(head);
  if (decoder === undefined) return chunks;
  return (async function* () {
    for await (const chunk of chunks) yield encoded(decoder.decode(chunk, { stream: true }));
    yield encoded(decoder.decode());
  })();

  function encoded(text: string): Buffer {
    if (text.includes(replacement)) onUndecodable();
    return Buffer.from(text);
  }
}

/** Returns whether a part of an answer has bytes that could not be decoded. */
export function hasUndecoded(part: unknown): boolean {
  return JSON.stringify(part).includes(replacement);
}
