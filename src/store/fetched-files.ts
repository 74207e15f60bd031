import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type AccountRef, MemberId, type TaskId } from '../domain/terms.ts';
import { accountKey, createCodec } from './format.ts';
import { createStoredHash, type ErrorLogger } from './stored-hash.ts';

/** A requested proof file: being fetched since `at` (ms), or posted in the card's thread. */
const FetchedFile = z
  .object({
    state: z.enum(['under-way', 'posted']),
    by: MemberId,
    at: z.number(),
    /** Its permalink in Slack; absent if Slack returned none. */
    link: z.string().exactOptional(),
  })
  .readonly();
export type FetchedFile = z.infer<typeof FetchedFile>;

export const fetchedFileCodec = createCodec('fetched-file', FetchedFile);

/** One file of one round of a task. `index` from 1. */
export interface FileRef {
  readonly account: AccountRef;
  readonly task: TaskId;
  readonly round: number;
  readonly index: number;
}

/** How long a process may take to post a file (ms): after that it is considered dead. */
const leaseMs = 300_000;

/** Creates the store of fetched proof files: each is posted once, by any process. */
export function createFetchedFiles(redis: Redis, now: () => number, logger?: ErrorLogger) {
  const key = ({ account, task, round }: Omit<FileRef, 'index'>) =>
    accountKey(account, 'files', task, String(round));
  const stored = createStoredHash(redis, { codec: fetchedFileCodec, field: z.string(), key }, logger);

  /** Returns whether a file is posted, or being fetched by a process that is still alive. */
  const isTaken = ({ state, at }: FetchedFile) => state === 'posted' || at > now() - leaseMs;

  return {
    /** Returns the fetched files of a round, by index. */
    async of(round: Omit<FileRef, 'index'>): Promise<Map<number, FetchedFile>> {
      const found = [...(await stored.all(round))].filter(([, file]) => isTaken(file));
      return new Map(found.map(([index, file]) => [Number(index), file]));
    },

    /** Deletes the fetch records of a task's files, of all rounds up to this one. */
    async forget({ account, task, round }: Omit<FileRef, 'index'>): Promise<void> {
      const rounds = Array.from({ length: round }, (_, before) => before + 1);
      await redis.unlink(...rounds.map((each) => key({ account, task, round: each })));
    },

    /**
     * Claims a file for this process; undefined when it is posted or being fetched. The caller must call `posted`, or
     * `dropped` when the file could not be posted.
     */
    async claim(file: FileRef, by: MemberId) {
      const index = String(file.index);
      const claim: FetchedFile = { state: 'under-way', by, at: now() };
      let isMine = false;
      await stored.update(file, index, (existing) => {
        isMine = existing === undefined || !isTaken(existing);
        return isMine ? claim : existing;
      });
      if (!isMine) return undefined;
      return {
        async posted(link?: string): Promise<void> {
          const posted = { state: 'posted', by, at: now(), ...(link ? { link } : {}) } as const;
          await stored.replace(file, index, claim, posted);
        },
        async dropped(): Promise<void> {
          await stored.replace(file, index, claim, undefined);
        },
      };
    },
  };
}
