import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FileContent } from '../../../slack/uploads.ts';

/** Chunk size for writing and reading. */
const chunkBytes = 64 * 1024;
/**
 * Number of buffers reused for reading: an upload allocates little else, so new buffers per chunk would not be collected
 * before the whole file is in memory. A consumer that respects back-pressure holds two or three chunks at a time.
 */
const readBuffers = 16;
/** Maximum UTF-8 bytes per UTF-16 unit. */
const maxBytesPerUnit = 3;

/**
 * Buffers bytes outside of memory until their total is known. The file has no name: nobody can open it, and it
 * disappears with the process, however that ends.
 */
export interface Spool {
  /** Accepts bytes, or text as UTF-8. */
  write(pieces: readonly (Buffer | string)[]): Promise<void>;
  /** Discards the written data. */
  clear(): void;
  /**
   * Returns the written data with a prefix and a suffix, readable once. A chunk is valid until a dozen more have been
   * read, so it must be sent, not kept.
   */
  content(before: string, behind: readonly string[]): FileContent;
  close(): Promise<void>;
}

/** Creates an empty spool. If no file can be created, the bytes stay in memory. */
export async function createSpool(): Promise<Spool> {
  const file = await namelessFile().catch(() => undefined);
  // One buffer for all writes: buffers are freed late, so separate ones would add up to the size of the file.
  const next = Buffer.allocUnsafe(chunkBytes);
  let nextLength = 0;
  let held: Buffer[] = [];
  let length = 0;

  async function append(bytes: Buffer): Promise<void> {
    if (file === undefined) held.push(Buffer.from(bytes));
    else await writeAll(file, bytes, length);
    length += bytes.length;
  }

  async function appendNext(): Promise<void> {
    const bytes = next.subarray(0, nextLength);
    nextLength = 0;
    if (bytes.length > 0) await append(bytes);
  }

  async function* written(): AsyncGenerator<Buffer> {
    yield* held;
    if (file === undefined) return;
    const buffers = Array.from({ length: readBuffers }, () => Buffer.allocUnsafe(chunkBytes));
    for (let [at, turn] = [0, 0]; at < length; turn += 1) {
      const buffer = buffers[turn % readBuffers] as Buffer;
      const { bytesRead } = await file.read(buffer, 0, Math.min(chunkBytes, length - at), at);
      if (bytesRead === 0) throw new Error('a spooled file has become shorter');
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  return {
    async write(pieces) {
      for (const piece of pieces) {
        const most = typeof piece === 'string' ? piece.length * maxBytesPerUnit : piece.length;
        if (most > chunkBytes - nextLength) await appendNext();
        if (most > chunkBytes) await append(typeof piece === 'string' ? Buffer.from(piece) : piece);
        else if (typeof piece === 'string') nextLength += next.write(piece, nextLength);
        else nextLength += piece.copy(next, nextLength);
      }
    },

    clear() {
      held = [];
      length = 0;
      nextLength = 0;
    },

    content(before, behind) {
      const head = Buffer.from(before);
      const end = Buffer.concat([next.subarray(0, nextLength), Buffer.from(behind.join(''))]);
      async function* all() {
        yield head;
        yield* written();
        yield end;
      }
      return {
        length: head.length + length + end.length,
        chunks: Readable.from(all(), { objectMode: false }),
      };
    },

    async close() {
      held = [];
      await file?.close();
    },
  };
}

/** Writes all bytes; a nearly full disk accepts a part, and fails at the next write. */
async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; )
    at += (await file.write(bytes, at, bytes.length - at, position + at)).bytesWritten;
}

async function namelessFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-'));
  try {
    return await open(join(folder, 'results'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
