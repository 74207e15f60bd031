import { addAbortSignal } from 'node:stream';
import { type FileDownload, FileTooLarge, fileChunks } from '../../marketplace/index.ts';
import { type FileContent, inChunks } from '../../slack/uploads.ts';
import type { FeatureContext } from './context.ts';

/** What a file takes that goes on to Slack as it comes (bytes): the buffers of both connections. */
const streamedBytes = 1024 * 1024;
const downloadTimeoutMs = 120_000;

/** A file did not arrive in full; `cause` says why. */
export class DownloadFailed extends Error {
  override readonly name = 'DownloadFailed';
}

/** A file has no bytes. */
export class EmptyFile extends Error {
  override readonly name = 'EmptyFile';
}

/**
 * Passes a download on to Slack within the memory budget. Slack wants to know the length beforehand: a file whose size
 * the marketplace tells goes on as it comes, any other one is held in memory until it is there.
 *
 * Throws {@link FileTooLarge}, {@link EmptyFile} or {@link DownloadFailed}, else what `upload` throws.
 */
export async function transferFile<T>(
  { memory }: Pick<FeatureContext, 'memory'>,
  { stream, size }: FileDownload,
  maxBytes: number,
  upload: (content: FileContent) => Promise<T>,
): Promise<T> {
  let failure: Error | undefined;
  // From now on: it may break off while it waits for its share of the memory.
  stream.on('error', (error) => {
    failure ??= error;
  });
  addAbortSignal(AbortSignal.timeout(downloadTimeoutMs), stream);
  try {
    if (size !== undefined && size > maxBytes) throw new FileTooLarge(`${size} bytes`);
    if (size === 0) throw new EmptyFile();
    if (size !== undefined) {
      return await memory.hold(streamedBytes, () => upload({ length: size, chunks: stream }));
    }
    return await memory.hold(maxBytes, async () => {
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
