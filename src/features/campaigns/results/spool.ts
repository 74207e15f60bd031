import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FileContent } from '../../../slack/uploads.ts';

/** How much is read at a time. */
const readBytes = 64 * 1024;

/**
 * Holds bytes outside of the memory until it is known how many there are. The file has no name: nobody can open it, and it
 * is gone when the process is, however that ends.
 */
export interface Spool {
  write(chunks: readonly Buffer[]): Promise<void>;
  /** Drops what was written. */
  clear(): void;
  /** Returns what was written, with something before and behind it. */
  content(before: readonly Buffer[], behind: readonly Buffer[]): FileContent;
  close(): Promise<void>;
}

/** Creates an empty spool. Where no file can be made, the bytes stay in memory. */
export async function createSpool(): Promise<Spool> {
  const file = await namelessFile().catch(() => undefined);
  let held: Buffer[] = [];
  let length = 0;

  async function* written(): AsyncGenerator<Buffer> {
    yield* held;
    if (file === undefined) return;
    for (let at = 0; at < length; ) {
      const { bytesRead, buffer } = await file.read({
        buffer: Buffer.allocUnsafe(Math.min(readBytes, length - at)),
        position: at,
      });
      if (bytesRead === 0) throw new Error('a spooled file has become shorter');
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  return {
    async write(chunks) {
      for (const chunk of chunks) {
        if (file === undefined) held.push(Buffer.from(chunk));
        else await file.write(chunk, 0, chunk.length, length);
        length += chunk.length;
      }
    },

    clear() {
      held = [];
      length = 0;
    },

    content(before, behind) {
      async function* all() {
        yield* before;
        yield* written();
        yield* behind;
      }
      const around = [...before, ...behind].reduce((sum, { byteLength }) => sum + byteLength, 0);
      return { length: around + length, chunks: Readable.from(all(), { objectMode: false }) };
    },

    async close() {
      held = [];
      await file?.close();
    },
  };
}

async function namelessFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-'));
  try {
    return await open(join(folder, 'results'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
