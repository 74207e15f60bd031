import { Readable } from 'node:stream';
import type { WebClient } from '@slack/web-api';
import { request } from 'undici';
import type { MessageRef } from '../domain/live-message.ts';
import type { ChannelId } from '../domain/terms.ts';
import { messageOf } from '../errors.ts';
import { SlackError, UploadFailed } from './slack-error.ts';

/** All of a file must have gone to Slack within this time, which suits 100 MB over a slow line. */
const uploadTimeoutMs = 120_000;

/** A file to be shared. Its bytes may come in parts, so that a large one need not be copied into one. */
export interface SharedFile {
  readonly parts: readonly Buffer[];
  readonly filename: string;
  /** Said with it, in mrkdwn. */
  readonly comment?: string;
}

/**
 * Files that the bot hands to Slack. The Web API client's own way copies each of them several times and gives it no
 * more time than any other call, so the bytes go to Slack's address as they are.
 */
export function createUploads(
  client: WebClient,
  call: <T>(method: string, run: () => Promise<T>) => Promise<T>,
) {
  /** Gives the file's id. Throws when it did not arrive: then nothing was shared for certain. */
  async function upload(parts: readonly Buffer[], filename: string, altText?: string): Promise<string> {
    const length = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
    try {
      // Slack's name for it is alt_txt, the package of types knows another one.
      const file = { filename, length, ...(altText ? { alt_txt: altText } : {}) };
      const { upload_url: url, file_id: id } = await call('files.getUploadURLExternal', () =>
        client.files.getUploadURLExternal(file),
      );
      if (!url || !id) throw new Error('Slack gave no address for it');
      await send(url, parts, length);
      return id;
    } catch (error) {
      if (error instanceof SlackError && error.kind !== 'unreachable') throw error;
      throw new SlackError('upload', new UploadFailed(messageOf(error)));
    }
  }

  return {
    /** Hands a file to Slack without showing it anywhere yet. Gives its id, for image blocks. */
    async uploadFile(bytes: Buffer, filename: string, altText: string): Promise<string> {
      const id = await upload([bytes], filename, altText);
      await call('files.completeUploadExternal', () =>
        client.files.completeUploadExternal({ files: [{ id, title: filename }] }),
      );
      return id;
    },

    /** Puts a file into a channel or thread (or a direct message). */
    async shareFile(
      { channel, threadTs }: { channel: ChannelId; threadTs?: MessageRef['ts'] },
      { parts, filename, comment }: SharedFile,
    ): Promise<void> {
      const id = await upload(parts, filename);
      const shared = {
        files: [{ id, title: filename }] as [{ id: string; title: string }],
        channel_id: channel,
        ...(comment ? { initial_comment: comment } : {}),
      };
      await call('files.completeUploadExternal', () =>
        client.files.completeUploadExternal(threadTs ? { ...shared, thread_ts: threadTs } : shared),
      );
    },
  };
}

async function send(url: string, parts: readonly Buffer[], length: number): Promise<void> {
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(length) },
    body: Readable.from(parts),
    signal: AbortSignal.timeout(uploadTimeoutMs),
  });
  await body.dump();
  if (statusCode !== 200) throw new Error(`status ${statusCode}`);
}
