import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { finished } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { maxComparedBytes, maxPictureBytes } from '../../domain/picture.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { createMemoryBudget } from '../../kit/budgets.ts';
import { FileTooLarge, fileChunks } from '../../kit/file-transfer.ts';
import type { Modules } from '../../kit/modules.ts';
import type { FileDownload } from '../../marketplace/index.ts';
import { DeskRefusal } from './acts.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * Reads the built page into memory: index.html, and the rest in assets/. Throws UserError if it is not built. Returns a function
 * that sends a file of it, or returns false if the path is none.
 */
export function readPage(folder: string) {
  const read = (name: string) => {
    const bytes = readFileSync(join(folder, name));
    return { bytes, zipped: gzipSync(bytes), type: types[extname(name)] ?? 'application/octet-stream' };
  };
  try {
    const index = read('index.html');
    const assets = readdirSync(join(folder, 'assets')).filter((name) => extname(name) in types);
    const files = new Map(assets.map((name) => [`/desk/assets/${name}`, read(join('assets', name))]));
    files.set('/desk', index).set('/desk/', index);
    return (path: string, { headers }: IncomingMessage, response: ServerResponse): boolean => {
      // The address that a task has in Slack.
      const file = files.get(path.replace(/^\/desk\/tasks\/[^/]+$/, '/desk'));
      if (file === undefined) return false;
      const isZipped = /\bgzip\b/.test(String(headers['accept-encoding']));
      response.writeHead(200, {
        'content-type': file.type,
        vary: 'accept-encoding',
        ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
        // The names of assets change with their content.
        ...(file === index ? {} : { 'cache-control': 'public, max-age=31536000, immutable' }),
      });
      response.end(isZipped ? file.zipped : file.bytes);
      return true;
    };
  } catch {
    throw new UserError(
      'PUBLIC_URL is set, but the page of the desk is not built. Run npm run build, or leave out PUBLIC_URL.',
    );
  }
}

/** Memory for files on their way to pages: slow lines must not keep files from cards. */
const budgetBytes = 48 * 1024 * 1024;
const tooLarge = 'This file is larger than 20 MB. Open it on the website.';
/** How long a file may take to arrive (ms). */
const fileTimeoutMs = 60_000;

/** What the first bytes of the types that are shown look like. Everything else can only be saved. */
const signatures: readonly (readonly [pattern: RegExp, type: string])[] = [
  [/^89504e470d0a1a0a/, 'image/png'],
  [/^ffd8ff/, 'image/jpeg'],
  [/^474946383[79]61/, 'image/gif'],
  [/^52494646.{8}57454250/, 'image/webp'],
  [/^255044462d/, 'application/pdf'],
];

/** A file of a proof, and how large it is said to be (bytes). */
interface FoundFile {
  readonly size: number;
  readonly open: () => Promise<Pick<FileDownload, 'filename' | 'stream'>>;
}

/** Creates the files of proofs as pages get them: never as what the worker says they are. */
export function createProofs({ marketplace, slack }: Modules) {
  const budget = createMemoryBudget(budgetBytes);

  return {
    /** Finds a file of a task's round, or of the one before, of which only Slack has copies; undefined if there is none. */
    find(ref: AccountRef, task: Task, round: number, index: number): FoundFile | undefined {
      const file = task.proof.files.find((one) => one.index === index);
      if (round === task.round)
        return (
          file && {
            size: file.size,
            open: async () => marketplace.proofFile(await marketplace.of(ref), ref, task, file),
          }
        );
      const earlier = round === task.round - 1 ? task.before?.pictures : undefined;
      const id = earlier?.find((picture) => picture.index === index)?.file;
      const { attachments } = slack.messengerOf(ref.workspace);
      return id === undefined
        ? undefined
        : { size: maxPictureBytes, open: async () => attachments.open(await attachments.describe({ id })) };
    },

    /** Sends a file. Its first bytes say what it is. */
    async send(response: ServerResponse, { size, open }: FoundFile): Promise<void> {
      if (size > maxComparedBytes) throw new DeskRefusal(413, tooLarge);
      // Nothing is asked for before there is room for it.
      await budget.hold(size || maxComparedBytes, async () => {
        const { filename, stream } = await open();
        response.once('close', () => stream.destroy());
        addAbortSignal(AbortSignal.timeout(fileTimeoutMs), stream);
        const chunks = await fileChunks(stream, maxComparedBytes).catch((error: unknown) => {
          if (error instanceof FileTooLarge) throw new DeskRefusal(413, tooLarge);
          throw new DeskRefusal(503, 'This file did not arrive in full. Try again in a minute.');
        });
        const begin = Buffer.concat(chunks, 16).toString('hex');
        const type = signatures.find(([pattern]) => pattern.test(begin))?.[1];
        const name = encodeURIComponent(filename.replace(/\p{Surrogate}/gu, '\ufffd')).replace(
          /['()*]/g,
          '_',
        );
        response.writeHead(200, {
          'content-type': type ?? 'application/octet-stream',
          'content-disposition': `${type ? 'inline' : 'attachment'}; filename*=UTF-8''${name}`,
        });
        for (const chunk of chunks) response.write(chunk);
        response.end();
        await finished(response).catch(() => undefined);
      });
    },
  };
}
