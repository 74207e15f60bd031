import { Readable } from 'node:stream';
import type { WebClient } from '@slack/web-api';
import { request } from 'undici';
import type { MessageRef } from '../domain/live-message.ts';
import type { ChannelId } from '../domain/terms.ts';
import { messageOf } from '../errors.ts';
import { withHiddenShown } from './hidden-characters.ts';
import { SlackError, UploadFailed } from './slack-error.ts';

/** Timeout for uploading a whole file (ms), which allows 100 MB over a slow line. */
const uploadTimeoutMs = 120_000;

/** The bytes of a file, whose length Slack requires beforehand: in chunks, which are never copied into one. */
export interface FileContent {
  readonly length: number;
  readonly chunks: readonly Buffer[] | Readable;
}

/** Returns the content of a file in memory. */
export function inChunks(chunks: readonly Buffer[]): FileContent {
  return { length: chunks.reduce((sum, { byteLength }) => sum + byteLength, 0), chunks };
}

/** A file to share. */
export interface SharedFile {
  readonly content: FileContent;
  readonly filename: string;
  /** Posted with it, in mrkdwn. */
  readonly comment?: string;
}

/** A file that was uploaded to Slack. */
export interface UploadedFile {
  readonly id: string;
  readonly filename: string;
}

/**
 * Creates uploads of files to Slack. The Web API client would copy each file several times, with the timeout of any other
 * call, so the bytes are sent to Slack's upload address directly.
 */
export function createUploads(
  client: WebClient,
  call: <T>(method: string, run: () => Promise<T>) => Promise<T>,
) {
  /** Uploads a file. Returns its id. Throws when it did not arrive: then it was certainly not shared. */
  async function upload(content: FileContent, filename: string, altText?: string): Promise<string> {
    const { length } = content;
    try {
      // Slack calls it alt_txt; the types package has another name.
      const file = { filename: withHiddenShown(filename), length, ...(altText ? { alt_txt: altText } : {}) };
      const { upload_url: url, file_id: id } = await call('files.getUploadURLExternal', () =>
        client.files.getUploadURLExternal(file),
      );
      if (!url || !id) throw new Error('Slack returned no upload address');
      await send(url, content);
      return id;
    } catch (error) {
      if (error instanceof SlackError && error.kind !== 'unreachable') throw error;
      throw new SlackError('upload', new UploadFailed(messageOf(error)));
    }
  }

  return {
    /** Uploads a file without sharing it. Returns its id, for image blocks once the upload is completed. */
    uploadFile: upload,

    /** Completes uploads with one call: from then on, image blocks can show the files. */
    async completeUploads(uploads: readonly UploadedFile[]): Promise<void> {
      const files = uploads.map(({ id, filename }) => ({ id, title: withHiddenShown(filename) }));
      await call('files.completeUploadExternal', () =>
        client.files.completeUploadExternal({ files: files as [(typeof files)[number]] }),
      );
    },

    /** Shares a file in a channel, thread or direct message. Returns its permalink, if Slack returns one. */
    async shareFile(
      { channel, threadTs }: { channel: ChannelId; threadTs?: MessageRef['ts'] },
      { content, filename, comment }: SharedFile,
    ): Promise<string | undefined> {
      const id = await upload(content, filename);
      const shared = {
        files: [{ id, title: withHiddenShown(filename) }] as [{ id: string; title: string }],
        channel_id: channel,
        ...(comment ? { initial_comment: comment } : {}),
      };
      await call('files.completeUploadExternal', () =>
        client.files.completeUploadExternal(threadTs ? { ...shared, thread_ts: threadTs } : shared),
      );
      // The file is shared, whatever the result of this call.
      const info = await client.files.info({ file: id }).catch(() => undefined);
      return info?.file?.permalink;
    },
  };
}

async function send(url: string, { length, chunks }: FileContent): Promise<void> {
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(length) },
    body: chunks instanceof Readable ? chunks : Readable.from(chunks),
    signal: AbortSignal.timeout(uploadTimeoutMs),
  });
  await body.dump();
  if (statusCode !== 200) throw new Error(`status ${statusCode}`);
}
