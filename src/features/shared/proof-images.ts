import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { isPicture, maxPictureBytes } from '../../domain/picture.ts';
import type { Picture, ProofFile, Task } from '../../domain/task.ts';
import { messageOf } from '../../errors.ts';
import type { MarketplaceClient } from '../../marketplace/index.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { FileContent } from '../../slack/uploads.ts';
import type { FeatureContext } from './context.ts';
import { transferFile } from './file-transfer.ts';
import type { PictureReading } from './pictures/reader.ts';

/** A picture uploaded to Slack. */
interface Uploaded extends Picture {
  readonly filename: string;
}

/**
 * Uploads images of a task to Slack for its card or a modal; they are never linked. An image that cannot be uploaded is
 * skipped and only counted. Slack can show them a moment later. Throws the SlackError when Slack asks to wait, so that none is skipped for that.
 */
export async function uploadPictures(
  {
    messenger,
    logger,
    memory,
    now,
    pictureReader,
  }: { messenger: Messenger } & Pick<FeatureContext, 'logger' | 'memory' | 'now' | 'pictureReader'>,
  marketplace: MarketplaceClient,
  task: Pick<Task, 'id'>,
  files: readonly ProofFile[],
): Promise<Picture[]> {
  /** Returns the action's result for a file; undefined if it fails. */
  async function unlessRefused<T>(file: number, run: () => Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      if (isRateLimited(error)) throw error;
      logger.warn({ task: task.id, file, reason: messageOf(error) }, 'proof image not uploaded');
      return undefined;
    }
  }

  const upload = ({ index, filename }: ProofFile) =>
    unlessRefused(index, async (): Promise<Uploaded> => {
      const download = await marketplace.downloadFileProof(task.id, index);
      return transferFile({ memory }, download, maxPictureBytes, async (content) => {
        const reading = pictureReader.begin();
        const { hashed, digest } = hashedContent(content, reading);
        try {
          const file = await messenger.uploadFile(hashed, filename, `Proof file ${index}`);
          const bytesHash = digest();
          if (bytesHash === undefined) return { index, file, filename };
          const print = await reading?.end();
          return { index, file, filename, bytesHash, ...(print === undefined ? {} : { print }) };
        } finally {
          reading?.leave();
        }
      });
    });

  /** Returns the pictures that can be shown. A picture that Slack refuses does not affect the others. */
  async function completed(uploaded: readonly Uploaded[]): Promise<readonly Uploaded[]> {
    const [first] = uploaded;
    if (first === undefined) return [];
    const done = await unlessRefused(first.index, async () => {
      await messenger.completeUploads(uploaded.map(({ file: id, filename }) => ({ id, filename })));
      return uploaded;
    });
    if (done !== undefined || uploaded.length === 1) return done ?? [];
    return (await Promise.all(uploaded.map((one) => completed([one])))).flat();
  }

  const results = await Promise.allSettled(files.filter(isPicture).map(upload));
  const uploaded = results.flatMap((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value ?? [];
  });
  const done = await completed(uploaded);
  const uploadedAt = now();
  return done.map(({ index, file, bytesHash, print }) => ({
    index,
    file,
    uploadedAt,
    ...(bytesHash === undefined ? {} : { bytesHash }),
    ...(print === undefined ? {} : { print }),
  }));
}

/** Returns a file's content, hashed and read while streaming, and a function that returns the hash after the last byte. */
function hashedContent({ length, chunks }: FileContent, reading: PictureReading | undefined) {
  const hash = createHash('sha256');
  let passed = 0;
  async function* passing() {
    for await (const chunk of chunks as AsyncIterable<Buffer> | readonly Buffer[]) {
      hash.update(chunk);
      reading?.write(chunk);
      passed += chunk.byteLength;
      yield chunk;
    }
  }
  return {
    hashed: { length, chunks: Readable.from(passing(), { objectMode: false }) },
    /** 128 bits of SHA-256; undefined if some bytes were not sent. */
    digest: () => (passed === length ? hash.digest().subarray(0, 16).toString('base64url') : undefined),
  };
}

function isRateLimited(error: unknown): boolean {
  return error instanceof SlackError && error.kind === 'rate-limited';
}
