import { Readable } from 'node:stream';
import type { WebClient } from '@slack/web-api';
import { request } from 'undici';
import type { MessageRef } from '../domain/live-message.ts';
import type { ChannelId } from '../domain/terms.ts';
import { messageOf } from '../errors.ts';
import { withHiddenShown } from './hidden-characters.ts';
import { SlackError, UploadFailed } from './slack-error.ts';

/** A file must be uploaded in full within this time, which allows 100 MB over a slow line. */
const uploadTimeoutMs = 120_000;

/** A file to be shared. Its bytes may come in parts, so that a large one need not be copied into one. */
export interface SharedFile {
  readonly parts: readonly Buffer[];
  readonly filename: string;
  /** Posted with it, in mrkdwn. */
  readonly comment?: string;
}

/**
 * Creates uploads of files to Slack. The Web API client would copy each file several times, with the timeout of any other
 * call, so the bytes are sent to Slack's upload address directly.
 */
export function createUploads(
  client: WebClient,
  call: <T>(method: string, run: () => Promise<T>) => Promise<T>,
) {
  /** Uploads a file. Returns its id. Throws when it did not arrive: then it certainly was not shared. */
  async function upload(parts: readonly Buffer[], filename: string, altText?: string): Promise<string> {
    const length = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
    try {
      // Slack calls it alt_txt; the package of types has another name.
      const file = { filename: withHiddenShown(filename), length, ...(altText ? { alt_txt: altText } : {}) };
      const { upload_url: url, file_id: id } = await call('files.getUploadURLExternal', () =>
        client.files.getUploadURLExternal(file),
      );
      if (!url || !id) throw new Error('Slack returned no upload address');
      await send(url, parts, length);
      return id;
    } catch (error) {
      if (error instanceof SlackError && error.kind !== 'unreachable') throw error;
      throw new SlackError('upload', new UploadFailed(messageOf(error)));
    }
  }

  return {
    /** Uploads a file without sharing it yet. Returns its id, for image blocks. */
    async uploadFile(bytes: Buffer, filename: string, altText: string): Promise<string> {
      const id = await upload([bytes], filename, altText);
      await call('files.completeUploadExternal', () =>
        client.files.completeUploadExternal({ files: [{ id, title: withHiddenShown(filename) }] }),
      );
      return id;
    },

    /** Shares a file in a channel, thread or direct message. */
    async shareFile(
      { channel, threadTs }: { channel: ChannelId; threadTs?: MessageRef['ts'] },
      { parts, filename, comment }: SharedFile,
    ): Promise<void> {
      const id = await upload(parts, filename);
      const shared = {
        files: [{ id, title: withHiddenShown(filename) }] as [{ id: string; title: string }],
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
