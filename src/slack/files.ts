import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { KnownBlock, ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { request } from 'undici';
import type { MessageRef } from '../domain/live-message.ts';
import type { ChannelId } from '../domain/terms.ts';
import { messageOf, UserError } from '../errors.ts';
import type { AttachedFile, Attachment } from './form-values.ts';
import { inline, withHiddenShown } from './mrkdwn.ts';
import { type Call, SlackError, UploadFailed } from './slack-error.ts';

/** The largest file that Slack's file_input accepts (bytes). */
const maxBytes = 10 * 1024 * 1024;

/** An attached file that is being downloaded. Read its stream or destroy it. */
export interface OpenAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  readonly stream: Readable;
}

/** Timeout for downloading a whole file (ms). */
const downloadTimeoutMs = 60_000;

/** Describes and downloads files that people attach in modals. Throws a UserError that names the file. */
export function createAttachments(client: WebClient, call: Call, token: () => Promise<string | undefined>) {
  /** Gets from Slack the properties of a file that the form did not report. */
  async function complete(file: AttachedFile): Promise<AttachedFile> {
    if (file.url_private_download !== undefined && file.size !== undefined) return file;
    const asked = call('files.info', () => client.files.info({ file: file.id }));
    const { file: found } = await asked.catch((error: unknown) => {
      if (!(error instanceof SlackError)) throw error;
      throw new UserError(notFound(error));
    });
    return { ...(found as Partial<AttachedFile> | undefined), id: file.id };
  }

  return {
    /** Returns a form's stored description of a file. Refuses one that is empty, too large or not stored by Slack. */
    async describe(file: AttachedFile): Promise<Attachment> {
      const { id, name = 'file', size = 0, mimetype, url_private_download } = await complete(file);
      if (!url_private_download || !isSlackAddress(url_private_download, client.slackApiUrl))
        throw new UserError(notOurs(name));
      if (size === 0) {
        throw new UserError(`“${inline(name, 80)}” is empty. Attach a file with something in it.`);
      }
      if (size > maxBytes) throw new UserError(tooLarge(name, size));
      const contentType = mimetype || 'application/octet-stream';
      return { id, name, size, contentType, address: url_private_download };
    },

    /** Starts to download a file; its bytes are streamed. The token is sent only to Slack's hosts. */
    async open({ name, size, address, contentType }: Attachment): Promise<OpenAttachment> {
      if (!isSlackAddress(address, client.slackApiUrl)) throw new UserError(notOurs(name));
      const answer = await fetch(address, {
        headers: { authorization: `Bearer ${(await token()) ?? ''}` },
        // Slack redirects to a sign-in page when the token may not read the file.
        redirect: 'manual',
        signal: AbortSignal.timeout(downloadTimeoutMs),
      }).catch((error: unknown) => {
        throw new UserError(notFound(new SlackError('download', new Error(messageOf(error)))));
      });
      if (answer.status !== 200 || answer.body === null) {
        await answer.body?.cancel();
        throw new UserError(
          `Slack did not deliver “${inline(name, 80)}” (status ${answer.status}). Attach it again; if it happens again, ask an admin to give Proofdesk the scope files:read.`,
        );
      }
      return { filename: name, contentType, size, stream: Readable.fromWeb(answer.body as ReadableStream) };
    },
  };
}

function notFound({ code, kind }: SlackError): string {
  if (code === 'missing_scope') {
    return 'Proofdesk can’t read files. Ask an admin to give it the scope files:read, then try again.';
  }
  return kind === 'refused'
    ? 'Slack no longer has this file. Attach it again.'
    : 'Slack could not be reached for the file. Try again in a minute.';
}

function notOurs(name: string): string {
  return `“${inline(name, 80)}” is stored outside Slack. Attach a file from your own device.`;
}

function tooLarge(name: string, size: number): string {
  return `“${inline(name, 80)}” has ${(size / 1024 / 1024).toFixed(1)} MB, and the limit is 10 MB. Attach a smaller one.`;
}

/**
 * Returns whether an address may receive the bot token: it is Slack's over https, or has the host that is configured as the
 * base of the Web API.
 */
export function isSlackAddress(address: string, apiUrl: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, host, username, password } = new URL(address);
  if (username !== '' || password !== '') return false;
  const base = new URL(apiUrl);
  if (protocol === base.protocol && host === base.host) return true;
  return protocol === 'https:' && /(^|\.)slack(-gov|-files)?\.com$/.test(hostname);
}

/** Timeout for uploading a whole file (ms), which allows 100 MB over a slow line. */
const uploadTimeoutMs = 120_000;

/** The bytes of a file, whose length Slack requires beforehand: in chunks, which are never copied into one. */
export interface FileContent {
  readonly length: number;
  readonly chunks: readonly Buffer[] | Readable;
}

export function inChunks(chunks: readonly Buffer[]): FileContent {
  return { length: chunks.reduce((sum, { byteLength }) => sum + byteLength, 0), chunks };
}

export interface UploadedFile {
  readonly id: string;
  readonly filename: string;
}

/**
 * Creates uploads of files to Slack. The Web API client would copy each file several times, with the timeout of any other
 * call, so the bytes are sent to Slack's upload address directly.
 */
export function createUploads(client: WebClient, call: Call) {
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
      const files = uploads.map(titled);
      await call('files.completeUploadExternal', () =>
        client.files.completeUploadExternal({ files: files as [(typeof files)[number]] }),
      );
    },

    /** Shares a file, with a comment in mrkdwn. Returns its permalink, if Slack returns one. */
    async shareFile(
      { channel, threadTs }: { channel: ChannelId; threadTs?: MessageRef['ts'] },
      { content, filename, comment }: { content: FileContent; filename: string; comment?: string },
    ): Promise<string | undefined> {
      const id = await upload(content, filename);
      const shared = {
        files: [titled({ id, filename })] as [ReturnType<typeof titled>],
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

const titled = ({ id, filename }: UploadedFile) => ({ id, title: withHiddenShown(filename) });

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

/** Returns whether Slack has refused to show a file. */
export type IsRefused = (file: string) => boolean;

/**
 * Sends a message or view. Slack refuses the whole for one picture that it cannot show (yet): then it is sent again without
 * the pictures that Slack names, or without all if it names none. Returns the answer, and whether any was left out.
 * @param make builds it without the refused pictures
 */
export async function withoutRefusedPictures<Shown extends { readonly blocks: readonly object[] }, Answer>(
  make: (isRefused: IsRefused) => Shown | Promise<Shown>,
  send: (shown: Shown) => Promise<Answer>,
): Promise<{ readonly answer: Answer; readonly isAnyLeftOut: boolean }> {
  const refused = new Set<string>();
  for (;;) {
    const shown = await make((file) => refused.has(file));
    try {
      return { answer: await send(shown), isAnyLeftOut: refused.size > 0 };
    } catch (error) {
      const more = refusedFiles(shown.blocks as readonly KnownBlock[], error).filter(
        (file) => !refused.has(file),
      );
      if (more.length === 0) throw error;
      for (const file of more) refused.add(file);
    }
  }
}

/** Returns the files of the images for which Slack refused the blocks. */
function refusedFiles(blocks: readonly KnownBlock[], error: unknown): string[] {
  if (!(error instanceof SlackError) || !/^invalid_(arguments|blocks)$/.test(error.code)) return [];
  const named = new Set(
    error.details.flatMap((detail) => {
      const index = /\[json-pointer:(?:\/view)?\/blocks\/(\d+)/.exec(detail)?.[1];
      return index === undefined ? [] : [Number(index)];
    }),
  );
  return blocks.flatMap((block, index) => {
    const file = fileOfBlock(block);
    return file !== undefined && (named.size === 0 || named.has(index)) ? file : [];
  });
}

/** Returns the file that an image block shows, or the image beside a section. */
export function fileOfBlock(block: KnownBlock): string | undefined {
  const image = block.type === 'section' ? block.accessory : block;
  if (image?.type !== 'image' || !('slack_file' in image)) return undefined;
  return 'id' in image.slack_file ? image.slack_file.id : undefined;
}

/** Returns a modal without the pictures that Slack has refused. */
export function withoutFiles<Modal extends ModalView>(view: Modal, isRefused: IsRefused): Modal {
  const blocks = (view.blocks as KnownBlock[]).flatMap((block) => {
    const file = fileOfBlock(block);
    if (file === undefined || !isRefused(file)) return block;
    if (block.type !== 'section') return [];
    const { accessory: _, ...section } = block;
    return section;
  });
  return { ...view, blocks };
}
