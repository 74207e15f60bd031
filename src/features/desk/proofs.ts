import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { maxComparedBytes } from '../../domain/picture.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { createMemoryBudget } from '../../kit/budgets.ts';
import { transferFile } from '../../kit/file-transfer.ts';
import type { Modules } from '../../kit/modules.ts';
import type { FileDownload } from '../../marketplace/index.ts';

/** Larger files (bytes) are not shown. */
export const maxDeskFileBytes = maxComparedBytes;
/** Memory for files on their way to pages: slow lines must not keep files from cards. */
const budgetBytes = 32 * 1024 * 1024;
/** How many bytes tell what a file is. */
const signatureBytes = 16;

/** What the first bytes of the types that are shown look like. Everything else can only be saved. */
const signatures: readonly (readonly [pattern: RegExp, type: string])[] = [
  [/^89504e470d0a1a0a/, 'image/png'],
  [/^ffd8ff/, 'image/jpeg'],
  [/^474946383[79]61/, 'image/gif'],
  [/^52494646.{8}57454250/, 'image/webp'],
  [/^255044462d/, 'application/pdf'],
];

/** Creates the files of proofs as pages get them: never as what the worker says they are. */
export function createProofs(modules: Modules) {
  const { marketplace, slack } = modules;
  // Passed on like files for cards, within a budget of its own.
  const passing: Modules = {
    ...modules,
    marketplace: { ...marketplace, memory: createMemoryBudget(budgetBytes) },
  };

  return {
    /** Returns a file of a task's round, or of the one before, of which only Slack has copies; undefined if there is none. */
    async open(ref: AccountRef, task: Task, round: number, index: number): Promise<FileDownload | undefined> {
      if (task.detailsRemovedAt !== undefined) return undefined;
      if (round === task.round && task.proof.files.some((file) => file.index === index))
        return (await marketplace.of(ref)).downloadFileProof(task.id, index);
      if (round !== task.round - 1) return undefined;
      const copy = task.before?.pictures?.find((picture) => picture.index === index)?.file;
      if (copy === undefined) return undefined;
      const { attachments } = slack.messengerOf(ref.workspace);
      return attachments.open(await attachments.describe({ id: copy }));
    },

    /** Sends a file. Its first bytes say what it is. */
    async send(response: ServerResponse, download: FileDownload): Promise<void> {
      response.once('close', () => download.stream.destroy());
      await transferFile(passing, download, maxDeskFileBytes, async ({ length, chunks }) => {
        const parts = (chunks instanceof Readable ? chunks : Readable.from(chunks))[Symbol.asyncIterator]();
        const first: Buffer[] = [];
        let size = 0;
        while (size < signatureBytes) {
          const next = (await parts.next()) as IteratorResult<Buffer, undefined>;
          if (next.done) break;
          first.push(next.value);
          size += next.value.length;
        }
        const type = typeOf(Buffer.concat(first).subarray(0, signatureBytes));
        response.writeHead(200, {
          'content-type': type ?? 'application/octet-stream',
          'content-length': length,
          'content-disposition': `${type ? 'inline' : 'attachment'}; filename*=UTF-8''${encodedName(download.filename)}`,
        });
        async function* all() {
          yield* first;
          for (;;) {
            const next = (await parts.next()) as IteratorResult<Buffer, undefined>;
            if (next.done) return;
            yield next.value;
          }
        }
        await pipeline(Readable.from(all(), { objectMode: false }), response);
      });
    },
  };
}

function typeOf(bytes: Buffer): string | undefined {
  const begin = bytes.toString('hex');
  return signatures.find(([pattern]) => pattern.test(begin))?.[1];
}

/** Encodes a name for a header (RFC 8187). */
function encodedName(name: string): string {
  return encodeURIComponent(name.replace(/\p{Surrogate}/gu, '\ufffd')).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
