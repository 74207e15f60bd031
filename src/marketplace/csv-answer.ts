/**
 * Streams an answer whose field `csv` is one long text: the text is passed on in blocks of bytes, and the JSON around it is
 * returned with an empty text. The text itself is never held.
 */
import { UnexpectedResponse } from './http.ts';

/** Number of bytes of the text passed on at a time. */
const blockBytes = 256 * 1024;
/** The JSON around the text is short; a page in place of an answer is not much longer. */
const maxRestBytes = 32 * 1024 * 1024;
/** Bytes of an escape, and of a surrogate pair of two escapes. */
const escapeLength = 6;
const pairLength = 12;

const backslash = 0x5c;
const quote = 0x22;
const letterU = 0x75;
const key = Buffer.from('"csv"');
/** The byte that each character after a backslash represents. */
const escapes: ReadonlyMap<number, number> = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([letter, character]) => [letter.charCodeAt(0), character.charCodeAt(0)],
  ),
);

/** State of reading the text; passed to functions instead of closed over, for the reason given in byte-keys.ts. */
interface CsvText {
  /** The next byte belongs to the text. */
  isOpen: boolean;
  readonly block: Buffer;
  /** Number of filled bytes of the block. */
  filled: number;
}

/** State of reading the JSON around the text. */
interface Outside {
  depth: number;
  isInString: boolean;
  isEscaped: boolean;
  /** Number of bytes of the key that the current string begins with; -1 when it is another string. */
  matched: number;
  isKey: boolean;
  isValueNext: boolean;
  /** Number of texts so far. */
  texts: number;
}

/**
 * Resolves to the JSON around the text, of any shape; where the text is not a JSON string, to something that is not JSON.
 * @param onText takes a block, which is valid until it resolves
 */
export async function readCsvAnswer(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
  onText: (block: Buffer) => Promise<void> | void,
): Promise<string> {
  const rest: Buffer[] = [];
  let restBytes = 0;
  let bytes = 0;
  let tail: Buffer | undefined;
  const text: CsvText = { isOpen: false, block: Buffer.allocUnsafe(blockBytes + 128 * 1024), filled: 0 };
  const outside: Outside = {
    depth: 0,
    isInString: false,
    isEscaped: false,
    matched: -1,
    isKey: false,
    isValueNext: false,
    texts: 0,
  };

  function keep(part: Buffer): void {
    restBytes += part.length;
    if (restBytes > maxRestBytes) throw new UnexpectedResponse('an answer too long to be one');
    // A copy: the part may be a view of a buffer that is large, or reused.
    if (part.length > 0) rest.push(Buffer.from(part));
  }

  for await (const arrived of stream) {
    bytes += arrived.length;
    if (bytes > maxBytes) throw new UnexpectedResponse('an answer too long to be one');
    const whole = tail === undefined ? arrived : Buffer.concat([tail, arrived]);
    tail = undefined;
    // Unescaping never makes a chunk longer, so each part fits into a block that is not full.
    for (let from = 0; from < whole.length; from += 64 * 1024) {
      let chunk = whole.subarray(from, from + 64 * 1024);
      if (tail !== undefined) chunk = Buffer.concat([tail, chunk]);
      tail = undefined;
      let at = 0;
      while (at < chunk.length) {
        if (!text.isOpen) {
          const textsBefore = outside.texts;
          const end = readOutside(outside, chunk, at);
          keep(chunk.subarray(at, end));
          at = end;
          text.isOpen = outside.texts > textsBefore;
          continue;
        }
        const end = appendText(text, chunk, at);
        if (end < 0) return `${Buffer.concat(rest).toString('utf8')}\u0000`;
        if (text.isOpen && end < chunk.length) tail = Buffer.from(chunk.subarray(end));
        at = text.isOpen ? chunk.length : end;
      }
      if (text.filled >= blockBytes) {
        await onText(text.block.subarray(0, text.filled));
        text.filled = 0;
      }
    }
  }
  if (text.filled > 0) await onText(text.block.subarray(0, text.filled));
  if (outside.texts > 1) throw new UnexpectedResponse('an answer with several results');
  return Buffer.concat(rest).toString('utf8');
}

/** Appends to the block until the text or the chunk ends. Returns the offset after it, or -1 if it is not a JSON string. */
function appendText(text: CsvText, chunk: Buffer, from: number): number {
  const { block } = text;
  const { length } = chunk;
  let { filled } = text;
  let at = from;
  while (at < length) {
    const byte = chunk[at] as number;
    if (byte >= 0x20 && byte !== backslash && byte !== quote) {
      block[filled] = byte;
      filled += 1;
      at += 1;
      continue;
    }
    text.filled = filled;
    if (byte === quote) {
      text.isOpen = false;
      return at;
    }
    if (byte !== backslash) return -1;
    const behind = appendEscape(text, chunk, at);
    if (behind <= at) return behind;
    at = behind;
    filled = text.filled;
  }
  text.filled = filled;
  return at;
}

/**
 * Appends an escape. Returns the offset after it, its own offset when it may continue in the next chunk, or -1 if invalid.
 */
function appendEscape(text: CsvText, chunk: Buffer, at: number): number {
  const rest = chunk.length - at;
  const letter = chunk[at + 1];
  if (letter === undefined) return at;
  const plain = escapes.get(letter);
  if (plain !== undefined) {
    text.block[text.filled] = plain;
    text.filled += 1;
    return at + 2;
  }
  if (letter !== letterU) return -1;
  if (rest < escapeLength) return at;
  const code = hexAt(chunk, at + 2);
  if (code < 0) return -1;
  const isHigh = code >= 0xd800 && code < 0xdc00;
  // The second half of the character may be in the next chunk.
  if (isHigh && rest < pairLength && mayBePair(chunk, at + escapeLength)) return at;
  const low = isHigh ? lowAt(chunk, at + escapeLength) : -1;
  const character = low < 0 ? code : 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  text.filled = writeUtf8(text.block, text.filled, character);
  return at + (low < 0 ? escapeLength : pairLength);
}

/**
 * Parses JSON only as far as needed to find the `csv` of the outermost object. Returns the offset up to which a chunk is
 * outside the text: after its first quote, or the end of the chunk. The quote that ends the text comes next then.
 */
function readOutside(outside: Outside, chunk: Buffer, from: number): number {
  for (let at = from; at < chunk.length; at += 1) {
    const byte = chunk[at] as number;
    if (outside.isInString) {
      readInString(outside, byte);
      continue;
    }
    switch (byte) {
      case quote:
        outside.isInString = true;
        if (outside.isValueNext) {
          outside.texts += 1;
          outside.isValueNext = false;
          outside.matched = -1;
          return at + 1;
        }
        outside.matched = outside.depth === 1 ? 1 : -1;
        outside.isKey = false;
        break;
      case 0x7b:
      case 0x5b:
        outside.depth += 1;
        outside.isValueNext = false;
        break;
      case 0x7d:
      case 0x5d:
        outside.depth -= 1;
        outside.isValueNext = false;
        break;
      case 0x3a:
        outside.isValueNext = outside.isKey;
        outside.isKey = false;
        break;
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        break;
      default:
        outside.isValueNext = false;
        outside.isKey = false;
    }
  }
  return chunk.length;
}

function readInString(outside: Outside, byte: number): void {
  outside.matched = outside.matched >= 0 && key[outside.matched] === byte ? outside.matched + 1 : -1;
  if (outside.isEscaped) outside.isEscaped = false;
  else if (byte === backslash) outside.isEscaped = true;
  else if (byte === quote) {
    outside.isInString = false;
    outside.isKey = outside.depth === 1 && outside.matched === key.length;
  }
}

/** Returns the number of four hexadecimal digits, or -1. */
function hexAt(chunk: Buffer, from: number): number {
  let value = 0;
  for (let at = from; at < from + 4; at += 1) {
    const byte = chunk[at] ?? 0;
    const letter = byte | 0x20;
    const digit =
      byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** Returns whether the rest of a chunk may be the beginning of another escape. */
function mayBePair(chunk: Buffer, at: number): boolean {
  return (
    (chunk[at] === undefined || chunk[at] === backslash) &&
    (chunk[at + 1] === undefined || chunk[at + 1] === letterU)
  );
}

/** Returns the second half of a surrogate pair of two escapes, or -1. */
function lowAt(chunk: Buffer, at: number): number {
  if (chunk[at] !== backslash || chunk[at + 1] !== letterU) return -1;
  const code = hexAt(chunk, at + 2);
  return code >= 0xdc00 && code < 0xe000 ? code : -1;
}

/** Writes a character and returns the offset after it. An unpaired half becomes the replacement character. */
function writeUtf8(bytes: Buffer, at: number, code: number): number {
  if (code < 0x80) {
    bytes[at] = code;
    return at + 1;
  }
  return at + bytes.write(String.fromCodePoint(code), at, 'utf8');
}
