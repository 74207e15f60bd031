/** Reads the answer of results_csv: the JSON around one long text, which is passed on as it arrives and never held. */
import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { decoderOf, type HttpResponse, UnexpectedResponse } from './http.ts';
import { CallerFailure } from './pipeline.ts';
import { parseJson } from './response-parser.ts';
import { createResultsReader, type ResultsReaderOptions } from './results-csv.ts';

/** More than any results should need: those of a million tasks are a third of it (bytes). */
const maxBytes = 1024 * 1024 * 1024;
/** The JSON around the text is short; a page in place of an answer is not much longer. */
const maxAround = 4 * 1024 * 1024;
/** Where the text must begin to be passed on. One that begins later is read with the JSON around it. */
const maxBefore = 64 * 1024;
/** Number of characters that are read before other work gets its turn. */
const sliceLength = 64 * 1024;
/** The beginning of the text. A quote inside a string is escaped, so only a key of an object can look like this. */
const beginning = /[{,][ \t\r\n]*"csv"[ \t\r\n]*:[ \t\r\n]*"/gu;
/** Stands for the text in the JSON around it. */
const placeholder = '\u0000the text';

/** Creates the reader of one answer. */
export function createResultsAnswer(options: ResultsReaderOptions) {
  const reader = createResultsReader(options);
  let wireBytes = 0;
  let isUndecodable = false;

  async function take(text: string): Promise<void> {
    for (let at = 0, end = 0; at < text.length; at = end) {
      // Not between the halves of a character.
      end = at + sliceLength + (isHigh(text.charCodeAt(at + sliceLength - 1)) ? 1 : 0);
      const slice = text.slice(at, end);
      await options.into.onCsv?.(Buffer.from(slice));
      await reader.push(slice);
      await nextTurn();
    }
  }

  /** Yields an arriving answer as text. */
  async function* decoded(response: HttpResponse): AsyncGenerator<string> {
    const decoder = decoderOf(response);
    let held: Buffer = Buffer.alloc(0);
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      wireBytes += chunk.length;
      if (decoder.encoding !== 'utf-8') {
        yield noted(decoder.decode(chunk, { stream: true }));
        continue;
      }
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const whole = wholeCharacters(bytes);
      held = bytes.subarray(whole);
      isUndecodable ||= !isUtf8(bytes.subarray(0, whole));
      yield bytes.toString('utf8', 0, whole);
    }
    yield noted(held.length > 0 ? held.toString() : decoder.decode());
  }

  function noted(text: string): string {
    isUndecodable ||= text.includes('\uFFFD');
    return text;
  }

  return {
    /** Reads a response. Resolves to the JSON around the text, with an empty text where it was passed on. */
    async receive(response: HttpResponse): Promise<{ readonly text: string }> {
      const answer = createAnswerText();
      let length = 0;
      for await (const piece of decoded(response)) {
        length += piece.length;
        if (length > maxBytes) throw new UnexpectedResponse('an answer too long to be one');
        await take(answer.read(piece)).catch((error: unknown) => {
          throw new CallerFailure(error);
        });
      }
      if (response.received !== undefined) wireBytes = response.received();
      return { text: answer.around() };
    },

    /** Ends the reading of a success. @param csv text that was not passed on before */
    async end(csv: string) {
      await take(csv);
      return { ...(await reader.end(isUndecodable)), wireBytes };
    },
  };
}

/** Returns how many bytes are whole characters: the last one may be incomplete. */
function wholeCharacters(bytes: Buffer): number {
  let at = bytes.length - 1;
  while (at > bytes.length - 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  const first = bytes[at] ?? 0;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return at + size > bytes.length ? at : bytes.length;
}

/** Separates the text from the JSON around it. */
function createAnswerText() {
  let before = '';
  let after = '';
  let state: 'before' | 'text' | 'after' | 'broken' = 'before';
  /** The end of the text so far that is to be read with the next piece. */
  let held = '';

  /** Reads the text. Returns what it means. */
  function readText(piece: string): string {
    const escaped = held + piece;
    const end = closingQuote(escaped);
    const readable = end < 0 ? completeUntil(escaped) : end;
    held = escaped.slice(readable);
    if (end >= 0) {
      state = 'after';
      after = escaped.slice(end + 1);
    }
    const text = parseJson(`"${escaped.slice(0, readable)}"`) as string | undefined;
    // What is no JSON string makes the JSON around it unreadable, too.
    if (text === undefined) state = 'broken';
    const last = text?.charCodeAt(text.length - 1) ?? 0;
    // The second half of the character comes with the next piece.
    const isHalf = end < 0 && isHigh(last);
    if (isHalf) held = `\\u${last.toString(16)}${held}`;
    return (isHalf ? text?.slice(0, -1) : text)?.replace(/\p{Surrogate}/gu, '\uFFFD') ?? '';
  }

  return {
    /** Reads the next piece. Returns what it has of the text. */
    read(piece: string): string {
      if (state === 'text') return readText(piece);
      if (state === 'after') after += piece;
      if (state === 'before') {
        before += before === '' ? piece.replace(/^\uFEFF/u, '') : piece;
        const begin = beginOf(before);
        if (begin >= 0) {
          const rest = before.slice(begin);
          before = before.slice(0, begin - 1);
          state = 'text';
          return readText(rest);
        }
      }
      if (before.length + after.length > maxAround)
        throw new UnexpectedResponse('an answer too long to be one');
      return '';
    },

    /** Returns the JSON around the text, with an empty text; what is not JSON when the text was not read to its end. */
    around(): string {
      if (state !== 'after') return state === 'before' ? before : `${before}"`;
      const answer = parseJson(before + JSON.stringify(placeholder) + after) as { csv?: unknown } | undefined;
      if (answer !== undefined && answer.csv !== placeholder)
        throw new UnexpectedResponse('an answer with several results');
      return `${before}""${after}`;
    },
  };
}

/** Returns the offset after the quote that begins the text, or -1. */
function beginOf(around: string): number {
  for (const match of around.slice(0, maxBefore).matchAll(beginning)) {
    const quote = match.index + match[0].length - 1;
    // In an inner object, more than one brace would be missing.
    if (parseJson(`${around.slice(0, quote)}""}`) !== undefined) return quote + 1;
  }
  return -1;
}

/** Returns whether a character is the first half of another one. */
function isHigh(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

/** Returns the offset of the quote that ends a JSON string, or -1. */
function closingQuote(text: string): number {
  let quote = text.indexOf('"');
  while (quote >= 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

/** Returns the offset of an escape that may continue in the next piece, or the end. */
function completeUntil(text: string): number {
  const slash = text.lastIndexOf('\\');
  if (slash < 0 || slash + 6 <= text.length || isEscaped(text, slash)) return text.length;
  return slash + 1 === text.length || text[slash + 1] === 'u' ? slash : text.length;
}
