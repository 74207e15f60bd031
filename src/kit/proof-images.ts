import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  beginsLikePicture,
  isPicture,
  isVague,
  maxComparedBytes,
  maxPictureBytes,
  unreadFiles,
  untilPicturesReady,
} from '../domain/picture.ts';
import type { Picture, ProofFile, Task } from '../domain/task.ts';
import type { AccountRef } from '../domain/terms.ts';
import { messageOf } from '../errors.ts';
import type { MarketplaceClient } from '../marketplace/index.ts';
import type { Messenger } from '../slack/messenger.ts';
import { SlackError } from '../slack/slack-error.ts';
import type { FileContent, UploadedFile } from '../slack/uploads.ts';
import { transferFile } from './file-transfer.ts';
import type { Modules } from './modules.ts';
import type { PictureReading } from './pictures/reader.ts';

/** A file that was read, and its name. */
interface Read extends Picture {
  readonly filename: string;
}

/**
 * Uploads images of a task to Slack for its card or a modal; they are never linked. Images that cannot be shown are only
 * read, to be compared. An image that cannot be uploaded or read is skipped and only counted. Throws the SlackError when
 * Slack asks to wait, so that none is skipped for that. Slack can show them a moment
 * later.
 */
export async function uploadPictures(
  modules: Modules & { readonly messenger: Messenger },
  client: MarketplaceClient,
  task: Pick<Task, 'id'>,
  files: readonly ProofFile[],
): Promise<Picture[]> {
  const { log, marketplace, clock, messenger } = modules;

  /** Returns the action's result for a file; undefined if it fails. */
  async function unlessRefused<T>(file: number | string, run: () => Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      if (isRateLimited(error)) throw error;
      log.warn({ task: task.id, file, reason: messageOf(error) }, 'proof image not uploaded');
      return undefined;
    }
  }

  const read = (file: ProofFile) =>
    unlessRefused(file.index, async (): Promise<Read> => {
      const { index, filename, size } = file;
      const download = await client.downloadFileProof(task.id, index);
      if (isVague(file) && !beginsLikePicture(await firstBytes(download.stream))) {
        download.stream.destroy();
        return { index, filename };
      }
      const isShown = isPicture(file) || (isVague(file) && size <= maxPictureBytes);
      return transferFile(
        modules,
        download,
        isShown ? maxPictureBytes : maxComparedBytes,
        async (content) => {
          const reading = marketplace.pictureReader.begin();
          const { hashed, digest } = hashedContent(content, reading);
          try {
            const uploaded = isShown
              ? { file: await messenger.uploadFile(hashed, filename, `Proof file ${index}`) }
              : await finished(hashed.chunks.resume()).then(() => ({}));
            const bytesHash = digest();
            if (bytesHash === undefined) return { index, filename, ...uploaded };
            const print = await reading?.end();
            return { index, filename, ...uploaded, bytesHash, ...(print === undefined ? {} : { print }) };
          } finally {
            reading?.leave();
          }
        },
      );
    });

  /** Returns which files Slack has taken. A picture that it refuses does not affect the others. */
  async function completed(uploaded: readonly UploadedFile[]): Promise<readonly UploadedFile[]> {
    const [first] = uploaded;
    if (first === undefined) return [];
    const done = await unlessRefused(first.filename, async () => {
      await messenger.completeUploads(uploaded);
      return uploaded;
    });
    if (done !== undefined || uploaded.length === 1) return done ?? [];
    return (await Promise.all(uploaded.map((one) => completed([one])))).flat();
  }

  const results = await Promise.allSettled(files.map(read));
  const pictures = results.flatMap((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value ?? [];
  });
  const taken = await completed(
    pictures.flatMap(({ file: id, filename }) => (id === undefined ? [] : { id, filename })),
  );
  const uploadedAt = clock.now();
  return pictures.map((one) => {
    const { filename: _, file, ...compared } = one;
    const isTaken = file !== undefined && taken.some(({ id }) => id === file);
    return isTaken ? { ...compared, file, uploadedAt } : compared;
  });
}

/** Returns the beginning of a stream, which stays in it; empty if it has no bytes. */
async function firstBytes(stream: Readable): Promise<Buffer> {
  await once(stream, 'readable');
  const bytes: Buffer | null = stream.read();
  if (bytes !== null) stream.unshift(bytes);
  return bytes ?? Buffer.alloc(0);
}

/** Returns a file's content, hashed and read while streaming, and a function that returns the hash after the last byte. */
function hashedContent({ length, chunks }: FileContent, reading: PictureReading | undefined) {
  const hash = createHash('sha256');
  let passed = 0;
  async function* passing() {
    for await (const chunk of chunks as AsyncIterable<Buffer> | readonly Buffer[]) {
      hash.update(chunk);
      await reading?.write(chunk);
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

/**
 * Uploads the pictures that Slack does not have yet: cards and reviews start with only the first three. Waits until Slack can
 * show all of them.
 */
export async function withAllPictures(deps: Modules, ref: AccountRef, task: Task): Promise<Task> {
  const whole = await withMissing(deps, ref, task);
  await delay(untilPicturesReady(whole, deps.clock.now()));
  return whole;
}

async function withMissing(deps: Modules, ref: AccountRef, task: Task): Promise<Task> {
  const unread = unreadFiles(task);
  if (unread.length === 0) return task;
  const messenger = deps.slack.messengerOf(ref.workspace);
  const client = await deps.marketplace.of(ref);
  const uploaded = await uploadPictures({ ...deps, messenger }, client, task, unread);
  const kept = (task.pictures ?? []).filter((one) => !uploaded.some(({ index }) => index === one.index));
  const pictures = [...kept, ...uploaded];
  const stored = await deps.tasks.apply(ref, task.id, {
    type: 'images-uploaded',
    round: task.round,
    pictures,
  });
  return stored.task ?? task;
}
