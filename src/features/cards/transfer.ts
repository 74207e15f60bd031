import { addAbortSignal, Readable } from 'node:stream';
import type { ProofFile, Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import type { MemoryBudget } from '../../kit/budgets.ts';
import type { Modules } from '../../kit/modules.ts';
import type { FileDownload, MarketplaceClient } from '../../marketplace/index.ts';
import { type FileContent, inChunks } from '../../slack/files.ts';

/** Memory of a file streamed to Slack (bytes): the buffers of both connections. */
const streamedBytes = 1024 * 1024;
const downloadTimeoutMs = 120_000;

export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}

/** A file did not arrive in full; `cause` says why. */
export class DownloadFailed extends Error {
  override readonly name = 'DownloadFailed';
}

export class EmptyFile extends Error {
  override readonly name = 'EmptyFile';
}

/**
 * Passes a download on to Slack within the memory budget. Slack needs the length up front: a file with a known size is
 * streamed, any other is buffered in memory first.
 *
 * Throws {@link FileTooLarge}, {@link EmptyFile} or {@link DownloadFailed}, else what `upload` throws.
 */
export async function transferFile<T>(
  { marketplace }: Modules,
  { stream, size }: FileDownload,
  maxBytes: number,
  upload: (content: FileContent) => Promise<T>,
): Promise<T> {
  let failure: Error | undefined;
  // Attached now, because the stream may fail while waiting for its memory share.
  stream.on('error', (error) => {
    failure ??= error;
  });
  addAbortSignal(AbortSignal.timeout(downloadTimeoutMs), stream);
  try {
    if (size !== undefined && size > maxBytes) throw new FileTooLarge(`${size} bytes`);
    if (size === 0) throw new EmptyFile();
    if (size !== undefined) {
      return await marketplace.memory.hold(streamedBytes, () => upload({ length: size, chunks: stream }));
    }
    return await marketplace.memory.hold(maxBytes, async () => {
      const content = inChunks(await fileChunks(stream, maxBytes));
      if (content.length === 0) throw new EmptyFile();
      return upload(content);
    });
  } catch (error) {
    throw failure === undefined ? error : new DownloadFailed(failure.message, { cause: failure });
  } finally {
    stream.destroy();
  }
}

/** How long a file is kept (ms), and which part of what is kept one may be. */
const keptMs = 60_000;
const keptPart = 1 / 6;

/**
 * Creates the reading of proof files from the marketplace. What the desk shows is wanted by Slack and the evidence in the same
 * moment, and the marketplace limits requests: small files are kept for a minute.
 * @param memory for those that are being read
 * @param keptBytes how many bytes are kept at most; 0: none
 */
export function createProofFiles(memory: MemoryBudget, keptBytes: number) {
  const kept = new Map<string, { readonly size: number; readonly read: ReturnType<typeof readWhole> }>();

  async function readWhole(download: () => Promise<FileDownload>, size: number) {
    const { stream } = await download();
    addAbortSignal(AbortSignal.timeout(downloadTimeoutMs), stream);
    return fileChunks(stream, size).catch((error: unknown) => {
      throw error instanceof FileTooLarge ? error : new DownloadFailed(messageOf(error), { cause: error });
    });
  }

  return async (
    client: Pick<MarketplaceClient, 'downloadFileProof'>,
    ref: AccountRef,
    { id, round }: Pick<Task, 'id' | 'round'>,
    { index, size }: Pick<ProofFile, 'index' | 'size'>,
  ): Promise<FileDownload> => {
    const download = () => client.downloadFileProof(id, index);
    if (size === 0 || size > keptBytes * keptPart) return download();
    const key = [ref.workspace, ref.account, id, round, index].join(' ');
    const known = kept.get(key) ?? { size, read: memory.hold(size, () => readWhole(download, size)) };
    if (!kept.has(key)) {
      kept.set(key, known);
      setTimeout(() => kept.delete(key), keptMs).unref();
      known.read.catch(() => kept.delete(key));
      let total = [...kept.values()].reduce((sum, one) => sum + one.size, 0);
      for (const [oldest, one] of kept) {
        if (total <= keptBytes) break;
        kept.delete(oldest);
        total -= one.size;
      }
    }
    try {
      const chunks = await known.read;
      const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      return { size: length, stream: Readable.from(chunks, { objectMode: false }) };
    } catch (error) {
      // It is larger than was said.
      if (error instanceof FileTooLarge) return download();
      throw error;
    }
  };
}

/**
 * Reads a download into memory, in chunks as received: joining them would double the memory. Throws {@link FileTooLarge} as
 * soon as there are more than `maxBytes`, without reading the rest. Rejects with the stream's error when it breaks off.
 */
export async function fileChunks(stream: Readable, maxBytes: number): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new FileTooLarge(`more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return chunks;
}
