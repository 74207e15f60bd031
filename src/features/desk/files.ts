import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { finished } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { maxComparedBytes, maxPictureBytes } from '../../domain/picture.ts';
import { type AccountRef, TaskId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { createMemoryBudget } from '../../kit/budgets.ts';
import type { Modules } from '../../kit/modules.ts';
import { FileTooLarge, fileChunks } from '../cards/public.ts';
import { refusal } from './acts.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Reads the built page into memory: index.html, and the rest in assets/. Throws UserError if it is not built. Returns a function
 * that sends a file of it, or returns false if the path is none.
 */
export function readPage(folder: string) {
  const read = (name: string) => ({
    zipped: gzipSync(readFileSync(join(folder, name))),
    type: types[extname(name)] ?? 'application/octet-stream',
  });
  try {
    const index = read('index.html');
    const assets = readdirSync(join(folder, 'assets'));
    const files = new Map(assets.map((name) => [`/desk/assets/${name}`, read(join('assets', name))]));
    files.set('/desk', index).set('/desk/', index);
    return (path: string, response: ServerResponse): boolean => {
      // The address that a task has in Slack.
      const file = files.get(path.replace(/^\/desk\/tasks\/[^/]+$/, '/desk'));
      if (file === undefined) return false;
      response.writeHead(200, {
        'content-type': file.type,
        // Every browser takes it.
        'content-encoding': 'gzip',
        // The names of assets change with their content.
        ...(file === index ? {} : { 'cache-control': 'public, max-age=31536000, immutable' }),
      });
      response.end(file.zipped);
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
const notInFull = 'This file did not arrive in full. Try again in a minute.';
/** How long a file may take to arrive (ms). */
const fileTimeoutMs = 60_000;

/** Names a file of a proof. */
export const FileName = z.object({
  task: TaskId,
  round: z.coerce.number().int(),
  index: z.coerce.number().int(),
});
type FileName = z.infer<typeof FileName>;

/** Creates the files of proofs as pages get them: bytes without a type, which no browser opens. */
export function createProofs({ marketplace, slack, tasks }: Modules) {
  const budget = createMemoryBudget(budgetBytes);

  /** Finds a file of a task's round, or of the one before, of which only Slack has copies. */
  async function find(ref: AccountRef, { task: id, round, index }: FileName) {
    const task = await tasks.get(ref, id);
    const file = task?.round === round ? task.proof.files.find((one) => one.index === index) : undefined;
    if (task && file) {
      const open = async () => marketplace.proofFile(await marketplace.of(ref), ref, task, file);
      return { size: file.size, open };
    }
    const earlier = task?.round === round + 1 ? task.before?.pictures : undefined;
    const copy = earlier?.find((picture) => picture.index === index)?.file;
    if (copy === undefined) throw refusal(404, 'This file is no longer there.');
    const { attachments } = slack.messengerOf(ref.workspace);
    const open = async () => attachments.open(await attachments.describe({ id: copy }));
    return { size: maxPictureBytes, open };
  }

  /** Finds a file, and returns what sends it. */
  return async (ref: AccountRef, name: FileName) => {
    const { size, open } = await find(ref, name);
    if (size > maxComparedBytes) throw refusal(413, tooLarge);
    return (response: ServerResponse) =>
      // Nothing is asked for before there is room for it.
      budget.hold(size || maxComparedBytes, async () => {
        const { stream } = await open();
        response.once('close', () => stream.destroy());
        addAbortSignal(AbortSignal.timeout(fileTimeoutMs), stream);
        const chunks = await fileChunks(stream, maxComparedBytes).catch((error: unknown) => {
          throw error instanceof FileTooLarge ? refusal(413, tooLarge) : refusal(503, notInFull);
        });
        response.writeHead(200, {
          'content-type': 'application/octet-stream',
          'content-disposition': 'attachment',
        });
        for (const chunk of chunks) response.write(chunk);
        response.end();
        await finished(response).catch(() => undefined);
      });
  };
}
