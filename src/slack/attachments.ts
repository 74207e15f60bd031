import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { WebClient } from '@slack/web-api';
import { messageOf, UserError } from '../errors.ts';
import type { Attachment } from './file-field.ts';
import type { AttachedFile } from './form-values.ts';
import { inline } from './mrkdwn.ts';
import { SlackError } from './slack-error.ts';

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
export function createAttachments(
  client: WebClient,
  call: <T>(method: string, run: () => Promise<T>) => Promise<T>,
) {
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
      const {
        id,
        name = 'file',
        size = 0,
        mimetype,
        url_private_download,
        is_external,
      } = await complete(file);
      if (is_external || !url_private_download || !isSlackAddress(url_private_download, client.slackApiUrl))
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
        headers: { authorization: `Bearer ${client.token ?? ''}` },
        // Slack redirects to a sign-in page when the token may not read the file.
        redirect: 'manual',
        signal: AbortSignal.timeout(downloadTimeoutMs),
      }).catch((error: unknown) => {
        throw new UserError(notFound(new SlackError('download', new Error(messageOf(error)))));
      });
      if (answer.status !== 200 || answer.body === null) {
        await answer.body?.cancel();
        throw new UserError(
          `Slack did not deliver “${inline(name, 80)}” (status ${answer.status}). Attach it again; if it happens again, ask your administrator to give Proofdesk the scope files:read.`,
        );
      }
      return { filename: name, contentType, size, stream: Readable.fromWeb(answer.body as ReadableStream) };
    },
  };
}

function notFound({ code, kind }: SlackError): string {
  if (code === 'missing_scope') {
    return 'The app may not read files. Ask your administrator to give it the scope files:read, then try again.';
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
